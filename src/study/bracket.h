// Which load to try next, when the largest is sought under which the SLA is met. First it is
// doubled (or halved) until one load meets the SLA and a larger one does not; then the gap between
// them is halved on a logarithmic scale, until it is as narrow as asked for; then the winner is
// tried once more, for longer. It is taken for granted that a load below one that meets the SLA
// meets it too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace steelyard::study {

struct BracketRange {
  double from = 1;  // the first load
  double least = 1;
  double most = 1;
  bool whole = true;         // only whole numbers
  double resolution = 0.05;  // the larger of two neighbours is at most so much larger
};

class Bracket {
 public:
  // How a load is tried: on the way up it is enough to know roughly.
  enum class Phase : std::uint8_t { kScreen, kMeasure, kConfirm };
  struct Next {
    double load;
    Phase phase;
  };

  // 0 < least <= from <= most, resolution > 0; whole bounds where `whole`.
  explicit Bracket(const BracketRange& range) : range_(range) {}

  // Absent: there is nothing left to try.
  [[nodiscard]] std::optional<Next> next() const;
  void take(const Next& tried, bool met);

  // The largest that met the SLA, below the smallest that did not; absent: none did.
  [[nodiscard]] std::optional<double> best() const;
  [[nodiscard]] bool confirmed() const;
  // The smallest that did not meet it; absent: all did.
  [[nodiscard]] std::optional<double> least_missed() const;

 private:
  [[nodiscard]] std::optional<double> between(double low, double high) const;
  [[nodiscard]] double rounded(double load) const;

  BracketRange range_;
  std::map<double, bool> met_;
  std::optional<double> confirmed_;
};

}  // namespace steelyard::study
