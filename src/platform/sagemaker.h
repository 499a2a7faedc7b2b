// Amazon SageMaker's real-time endpoints: InvokeEndpoint and InvokeEndpointWithResponseStream,
// whose parts carry what the container writes, cut anywhere. The model's name is the endpoint's.
// The body is the container's own: TGI's and LMI's "inputs", or OpenAI's, without a model in it, as
// most containers serve one; --extra-body names one where it must be named. Source: the service
// models of botocore 1.43 (sagemaker-runtime).
#pragma once

#include "platform/dialect.h"

namespace steelyard::platform {

extern const Dialect kSagemaker;
extern const Dialect kSagemakerChat;
extern const Dialect kSagemakerCompletions;

}  // namespace steelyard::platform
