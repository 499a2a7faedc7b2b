// Modal: what a web endpoint there runs is the user's own, as a rule vLLM's OpenAI API. The
// platform's part: a request that has waited 150 s, for a cold start above all, is answered with
// 303 and a place to ask again with GET, as often as it takes. Source: Modal's guide,
// "webhook-timeouts".
#pragma once

#include "platform/dialect.h"

namespace steelyard::platform {

extern const Dialect kModalChat;
extern const Dialect kModalCompletions;

}  // namespace steelyard::platform
