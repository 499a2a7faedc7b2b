#include "platform/openai_dialect.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace steelyard::platform {
namespace {

TEST(Body, an_extra_body_is_a_json_object_of_bounded_depth) {
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

TEST(Body, an_extra_body_overrides_ours) {
  RequestOptions options;
  options.model = "m";
  options.dialect = &kOpenAiCompletions;
  options.extra_body = R"({"max_tokens": 5, "top_p": 0.9})";
  std::string body;
  body_template(options).write({}, "a\xFF", 9, body);
  EXPECT_THAT(body, testing::HasSubstr(R"("max_tokens":5)"));
  EXPECT_THAT(body, testing::HasSubstr(R"("top_p":0.9)"));
  EXPECT_THAT(body, testing::HasSubstr("\"a\xEF\xBF\xBD\""));
}

TEST(Body, a_conversation_goes_before_the_prompt) {
  RequestOptions options;
  options.model = "m\"x";
  const BodyTemplate chat = body_template(options);
  const std::vector<PastTurn> history = {{"one\n", "two\x01"}};
  std::string body = "kept";
  chat.write(history, "three \\", 7, body);
  ASSERT_EQ(body.substr(0, 4), "kept");
  const auto json = base::parse_json(body.substr(4)).value();
  EXPECT_EQ(json["model"], "m\"x");
  EXPECT_EQ(json["max_tokens"], 7);
  ASSERT_EQ(json["messages"].size(), 3U);
  EXPECT_EQ(json["messages"][0]["content"], "one\n");
  EXPECT_EQ(json["messages"][1]["role"], "assistant");
  EXPECT_EQ(json["messages"][1]["content"], "two\x01");
  EXPECT_EQ(json["messages"][2]["content"], "three \\");
  options.dialect = &kOpenAiCompletions;
  std::string text;
  body_template(options).write(history, "three", 7, text);
  EXPECT_EQ(base::parse_json(text).value()["prompt"], "one\n\ntwo\x01\nthree");
}

}  // namespace
}  // namespace steelyard::platform
