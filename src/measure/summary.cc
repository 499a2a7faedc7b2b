#include "measure/summary.h"

#include "measure/run_figures.h"

namespace steelyard::measure {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kRateLimited:
      return "rate_limited";
    case Outcome::kErrorInBand:
      return "error_in_band";
    case Outcome::kTruncated:
      return "truncated";
    case Outcome::kNoToken:
      return "no_token";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kConnection:
      return "connection";
    case Outcome::kNotStreamed:
      return "not_streamed";
    case Outcome::kProtocol:
      break;
  }
  return "protocol";
}

std::string_view name_of(TokenSource source) {
  switch (source) {
    case TokenSource::kUsage:
      return "usage";
    case TokenSource::kTokenizer:
      return "tokenizer";
    case TokenSource::kChunks:
      return "chunks";
    case TokenSource::kUnknown:
      break;
  }
  return "unknown";
}

Summary summarise(std::span<const RequestLog> logs, std::span<const double> percents) {
  RunFigures figures;
  for (const RequestLog& log : logs) {
    figures.add(log);
  }
  return figures.summary(percents);
}

}  // namespace steelyard::measure
