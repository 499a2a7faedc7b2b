// Azure OpenAI by its deployments: OpenAI's bodies and streams, with the deployment and the version
// of the API in the address. (Its newer route, /openai/v1, is plain OpenAI with the scheme
// api-key.) A first chunk without choices, of content filters, bears no token. Source: Azure OpenAI
// REST API reference, "Chat completions".
#pragma once

#include "platform/dialect.h"

namespace steelyard::platform {

extern const Dialect kAzureOpenAiChat;
extern const Dialect kAzureOpenAiCompletions;

}  // namespace steelyard::platform
