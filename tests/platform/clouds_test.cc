// What is sent to the clouds' platforms: paths and bodies.
#include "platform/azure_openai.h"
#include "platform/platforms.h"
#include "platform/sagemaker.h"
#include "platform/vertex.h"

namespace steelyard::platform {
namespace {

RequestOptions options_of(const Dialect& dialect, std::string model, bool stream = true) {
  RequestOptions options;
  options.dialect = &dialect;
  options.model = std::move(model);
  options.stream = stream;
  return options;
}

std::string body_of(const RequestOptions& options) {
  std::string body;
  body_template(options).write({}, "Hi", 16, body);
  return body;
}

std::string path_at(const std::string& base_url, const RequestOptions& options) {
  const auto url = wire::parse_url("", base_url).value();
  return url.path + path_under(url, options.dialect->path(options));
}

TEST(Clouds, sagemaker_names_the_endpoint_in_the_path_and_no_model_in_the_body) {
  const std::string base = "https://runtime.sagemaker.us-east-1.amazonaws.com";
  const RequestOptions native = options_of(kSagemaker, "my-llm");
  EXPECT_EQ(path_at(base, native), "/endpoints/my-llm/invocations-response-stream");
  EXPECT_EQ(body_of(native),
            R"({"inputs":"Hi","parameters":{"max_new_tokens":16,"details":true,"do_sample":false},)"
            R"("stream":true})");
  const RequestOptions whole = options_of(kSagemakerChat, "my llm", false);
  EXPECT_EQ(path_at(base, whole), "/endpoints/my%20llm/invocations");
  EXPECT_EQ(body_of(whole),
            R"({"messages":[{"role":"user","content":"Hi"}],"max_tokens":16,"stream":false})");
  EXPECT_TRUE(names_model_in_path(kSagemakerCompletions));
}

TEST(Clouds, azure_openai_names_the_deployment_and_a_version_in_the_path) {
  RequestOptions options = options_of(kAzureOpenAiChat, "gpt-4o");
  const std::string base = "https://res.openai.azure.com";
  EXPECT_EQ(path_at(base, options),
            "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21");
  options.api_version = "2025-04-01-preview";
  EXPECT_EQ(path_at(base, options),
            "/openai/deployments/gpt-4o/chat/completions?api-version=2025-04-01-preview");
  EXPECT_EQ(path_at(base, options_of(kAzureOpenAiCompletions, "d/1")),
            "/openai/deployments/d%2F1/completions?api-version=2024-10-21");
  EXPECT_EQ(path_at(base + "/openai/v1", options_of(kOpenAiChat, "gpt-4o")),
            "/openai/v1/chat/completions")
      << "the newer route is OpenAI's own";
}

TEST(Clouds, vertex_is_asked_under_the_address_of_an_endpoint) {
  const std::string base =
      "https://123.us-central1-456.prediction.vertexai.goog/v1/projects/p/locations/us-central1/"
      "endpoints/123";
  const std::string path = "/v1/projects/p/locations/us-central1/endpoints/123";
  EXPECT_EQ(path_at(base, options_of(kVertexChat, "m")), path + "/chat/completions");
  EXPECT_EQ(path_at(base, options_of(kVertexRaw, "m")), path + ":streamRawPredict");
  EXPECT_EQ(path_at(base, options_of(kVertexRaw, "m", false)), path + ":rawPredict");
}

TEST(Clouds, those_that_speak_openai_keep_what_stands_before_its_path) {
  const RequestOptions options = options_of(kOpenAiChat, "m");
  const std::string eas = "http://1.cn-hangzhou.pai-eas.aliyuncs.com/api/predict/llm";
  EXPECT_EQ(path_at(eas, options), "/api/predict/llm/v1/chat/completions");
  EXPECT_EQ(path_at(eas + "/v1", options), "/api/predict/llm/v1/chat/completions");
  EXPECT_EQ(path_at("https://a.apig.cn-north-4.huaweicloudapis.com/v1/infers/s-1", options),
            "/v1/infers/s-1/v1/chat/completions");
  EXPECT_EQ(path_at("https://ms-1.gw.ap-guangzhou.ti.tencentcs.com/ms-1", options),
            "/ms-1/v1/chat/completions");
}

}  // namespace
}  // namespace steelyard::platform
