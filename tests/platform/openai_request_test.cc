#include "platform/openai_request.h"

namespace steelyard::platform {
namespace {

TEST(OpenAiRequest, an_extra_body_is_a_json_object_of_bounded_depth) {
  const auto complaint = [](const std::string& text) {
    const auto checked = check_extra_body("--extra-body", text);
    return checked ? "" : base::to_line(checked.error());
  };
  EXPECT_EQ(complaint(""), "");
  EXPECT_EQ(complaint(R"({"top_p": 0.9})"), "");
  const std::string hint = R"( (a JSON object, for example {"top_p": 0.9}))";
  EXPECT_EQ(complaint("[]"), "--extra-body: not a JSON object" + hint);
  EXPECT_EQ(complaint("{"), "--extra-body: not JSON" + hint);
  EXPECT_EQ(complaint(R"({"x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
            "--extra-body: nested deeper than 1024 levels" + hint);
}

TEST(OpenAiRequest, an_extra_body_overrides_ours) {
  OpenAiOptions options;
  options.model = "m";
  options.endpoint = OpenAiEndpoint::kCompletions;
  options.extra_body = R"({"max_tokens": 5, "top_p": 0.9})";
  const std::string body = openai_body(options, "a\xFF", 9);
  EXPECT_THAT(body, testing::HasSubstr(R"("max_tokens":5)"));
  EXPECT_THAT(body, testing::HasSubstr(R"("top_p":0.9)"));
  EXPECT_THAT(body, testing::HasSubstr("\"a\xEF\xBF\xBD\""));
}

}  // namespace
}  // namespace steelyard::platform
