// A suite as people write it, for the tests to change at one place.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace steelyard::study {

inline constexpr std::string_view kGoodSuite = R"(name: small
workload:
  dataset: random
  input_tokens: 16
  output_tokens: 8
  requests: 12
  max_concurrency: 2
sla:
  terms: ["ttft.p99<500ms", e2e<2s]
  target: 99%
platforms:
  - name: rented
    emulate: {ttft: {p50: 5ms}, itl: {p50: 1ms}}
    offer: {price: 1.2 USD/h, source: a list, date: "2026-11-30"}
  - name: by-token
    base_url: http://127.0.0.1:9/v1
    model: m
    offer:
      input: 0.1 USD/Mtok
      output: 0.2 USD/Mtok
      source: a list
      date: "2026-11-30"
)";

// The good suite with one piece of its text, which must be there, replaced.
inline std::string changed(std::string_view from, std::string_view to) {
  std::string text(kGoodSuite);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(fmt::format("{}steelyard-{}-{}", testing::TempDir(), name, ::getpid())) {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string at(std::string_view name) const {
    return fmt::format("{}/{}", path_, name);
  }
  std::string write(std::string_view name, std::string_view text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }

 private:
  std::string path_;
};

}  // namespace steelyard::study
