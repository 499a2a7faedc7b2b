// Google's generateContent, of the Gemini API and of Vertex AI: POST
// MODEL:streamGenerateContent?alt=sse, an object an event, or without alt=sse one JSON array that
// grows; no mark of the end but a finishReason. Counts stand in every event and grow; thoughts are
// counted apart from the answer, and are put to it here. Sources: googleapis'
// GenerateContentResponse (google/ai/generativelanguage/v1beta), recorded chunks (vercel/ai at
// ed857f5).
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

// The model is a name, or from "models/", "publishers/" or "projects/" on all of its path.
extern const Dialect kGemini;

class GeminiReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  // One object, or all of a stream's array.
  AnswerEvent read_whole(std::string_view body) override;

 private:
  // Adds to the texts, which are the event's.
  void read_object(std::string_view type, std::string_view data, AnswerEvent& event);
  void read_candidate(JsonElement candidate, AnswerEvent& event);

  JsonText json_;
  std::string text_;
  std::string thinking_;
  std::string reason_;
};

}  // namespace steelyard::platform
