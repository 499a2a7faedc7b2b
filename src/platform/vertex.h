// Google Vertex AI, under the address of an endpoint:
// https://HOST/v1/projects/PROJECT/locations/REGION/endpoints/ID, where HOST is the region's
// (REGION-aiplatform.googleapis.com, which streams nothing of dedicated endpoints) or the
// endpoint's own (ID.REGION-NUMBER.prediction.vertexai.goog); ID is "openapi" for models that
// Google serves. Chat is OpenAI's route; native is :streamRawPredict and :rawPredict, which hand
// the body to the container as it is: here OpenAI's, and others by --extra-body. Sources: Vertex
// AI, "Use dedicated public endpoints"; litellm issues 10436 and 14668.
#pragma once

#include "platform/dialect.h"

namespace steelyard::platform {

extern const Dialect kVertexChat;
extern const Dialect kVertexRaw;

}  // namespace steelyard::platform
