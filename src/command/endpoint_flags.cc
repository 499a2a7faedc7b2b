#include "command/endpoint_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "base/text.h"
#include "platform/platforms.h"
#include "quantity/duration.h"
#include "quantity/rate.h"
#include "quantity/sla.h"
#include "workload/limits.h"

namespace steelyard::command {

void add_server_flags(CLI::App& command, EndpointFlags& flags) {
  command.add_option("--endpoint-type", flags.endpoint_type,
                     "completions, chat, or native (default: native where the platform has it, "
                     "else chat)");
  command.add_option("--endpoint", flags.endpoint, "path, where it is not the type's own");
  command.add_option("--api-version", flags.api_version,
                     "Azure OpenAI: of its API (default: the last that is no preview)");
  command.add_option("-m,--model,--served-model-name", flags.model,
                     "as the server names it (default: the first that /v1/models names)");
  add_flags(command, flags.auth);
  command.add_option("-H,--header", flags.headers, "extra header, K=V or 'K: V'; repeatable");
  command.add_flag("--insecure", flags.insecure, "do not verify the server's certificate");
  command.add_option("--ca-file", flags.ca_file, "PEM of the authorities to trust");
  command.add_flag("--no-proxy", flags.no_proxy,
                   "go directly whatever http_proxy, https_proxy and all_proxy say");
  command
      .add_option("--connect-timeout", flags.connect_timeout, "to open a connection, TLS included")
      ->capture_default_str();
  command.add_option("--request-timeout", flags.request_timeout, "from the send to the last byte")
      ->capture_default_str();
}

namespace {

using platform::Dialect;

void add_place(CLI::App& command, EndpointFlags& flags) {
  command
      .add_option("--base-url,--url,--target", flags.base_url, "the server, with or without /v1")
      ->capture_default_str();
  command
      .add_option("--platform", flags.platform,
                  fmt::format("whose protocol is spoken: {}", platform::platform_names()))
      ->capture_default_str();
  command.add_option("--backend", flags.backend,
                     "vllm, openai (completions) or openai-chat: vLLM's way to say the same");
  add_server_flags(command, flags);
  command
      .add_option("--connection-reuse", flags.connection_reuse,
                  "keep, or per-request: a new connection for each, its opening timed apart")
      ->capture_default_str();
  command
      .add_option("--http-version", flags.http_version,
                  "1.1, 2 (by ALPN; over http with prior knowledge), or auto: what ALPN settles on")
      ->capture_default_str();
  command
      .add_option("--http2-streams", flags.http2_streams,
                  "HTTP/2: requests at once on a connection, unless the server allows fewer")
      ->capture_default_str();
}

void add_load(CLI::App& command, EndpointFlags& flags) {
  command.add_option("--dataset-name", flags.dataset_name, workload::dataset_names())
      ->capture_default_str();
  command.add_option("--dataset-path", flags.dataset_path,
                     "file of sharegpt, custom, a trace, or sessions");
  command.add_option("--num-prompts,--request-count,--number,--max-requests", flags.num_prompts,
                     "requests (default: 1000 random ones, or all that the file has)");
  command.add_option("--seed", flags.seed, "of lengths, prompts and arrivals")
      ->capture_default_str();
  command
      .add_option("--random-input-len,--input-len,--isl", flags.random_input_len,
                  "tokens, about one a word")
      ->capture_default_str();
  command.add_option("--random-output-len,--osl", flags.random_output_len, "tokens")
      ->capture_default_str();
  command
      .add_option("--random-range-ratio", flags.random_range_ratio,
                  "spread of the lengths, in the sense of --random-range-style")
      ->capture_default_str();
  command
      .add_option("--random-range-style", flags.random_range_style,
                  "vllm: (1-r)L to (1+r)L; sglang: rL to L")
      ->capture_default_str();
  command.add_option("--output-len,--sharegpt-output-len,--custom-output-len", flags.output_len,
                     "tokens, instead of what the file says");
  command.add_option("--time-scale", flags.time_scale, "trace: arrivals this many times slower")
      ->capture_default_str();
  command
      .add_option("--request-rate", flags.request_rate,
                  "requests a second; inf: all at once, or as slots are free")
      ->capture_default_str();
  command
      .add_option("--burstiness", flags.burstiness,
                  "1 Poisson, below burstier, above more even, inf constant")
      ->capture_default_str();
  command.add_option("--max-concurrency,--concurrency,--parallel", flags.max_concurrency,
                     "requests out at once; without a rate it is a closed loop");
  command.add_option("--duration,--benchmark-duration", flags.duration,
                     "send nothing new after this long, for example 60s");
  command
      .add_option("--num-warmups,--warmup-requests", flags.num_warmups,
                  "requests before, with other prompts, in no figure")
      ->capture_default_str();
}

void add_request(CLI::App& command, EndpointFlags& flags) {
  command.add_flag("--no-stream", flags.no_stream, "whole answers: no TTFT, E2E alone");
  command.add_flag("--ignore-eos", flags.ignore_eos, "vLLM, SGLang: go on to the length asked for");
  command.add_flag("--use-max-completion-tokens", flags.max_completion_tokens,
                   "name the limit as OpenAI's newer models want it");
  command.add_option("--temperature", flags.temperature, "of sampling (default: the server's own)");
  command.add_option("--extra-body,--extra-request-body", flags.extra_body,
                     "JSON object merged into every request");
}

void add_sla(CLI::App& command, EndpointFlags& flags) {
  command.add_option("--sla", flags.sla,
                     "ttft<500ms, tpot.p99<50ms, e2e.mean<2s...; exit 1 when missed; repeatable");
  command
      .add_option("--sla-target", flags.sla_target,
                  "share of requests for terms without a percentile")
      ->capture_default_str();
  command.add_option("--goodput", flags.goodput, "vLLM's form: ttft:500 tpot:50 e2el:5000, in ms");
}

bool unprintable(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7F; });
}

base::Result<std::pair<std::string, std::string>> header_of(const std::string& text) {
  const std::size_t colon = text.find(": ");
  const std::size_t at = colon != std::string::npos ? colon : text.find('=');
  const std::string name(text.substr(0, at));
  const std::string value(at == std::string::npos ? "" : base::trim(text.substr(at + 1)));
  // The value may be a secret: it is not repeated.
  if (at == std::string::npos || !wire::is_field(name, value)) {
    return base::bad_input("--header", "not a header field", "NAME=VALUE or 'NAME: VALUE'");
  }
  return std::pair(name, value);
}

base::Result<const platform::Platform*> platform_of(const EndpointFlags& flags) {
  return platform::platform_named("--platform", flags.platform);
}

// vLLM's --backend says platform and endpoint type in one.
base::Result<const Dialect*> dialect_of(const EndpointFlags& flags) {
  const std::string& backend = flags.backend;
  if (!backend.empty() && backend != "vllm" && backend != "openai" && backend != "openai-chat") {
    return base::bad_input("--backend", "'" + backend + "' is not known",
                           "vllm, openai or openai-chat");
  }
  const bool completions = backend == "vllm" || backend == "openai";
  const std::string type =
      flags.endpoint_type.empty() && completions ? "completions" : flags.endpoint_type;
  return platform_of(flags).and_then([&](const platform::Platform* platform) {
    return platform::dialect_of(*platform, "--endpoint-type", type);
  });
}

base::Status read_auth(const EndpointFlags& flags, load::Target& target) {
  const bool has_field = std::ranges::any_of(
      target.fields, [](const auto& field) { return base::lower(field.first) == "authorization"; });
  return platform_of(flags)
      .and_then([&](const platform::Platform* platform) {
        return auth_of(flags.auth, *platform, target.url, has_field);
      })
      .map([&](platform::Auth auth) { target.auth = std::move(auth); });
}

base::Status read_tls(const EndpointFlags& flags, load::Target& target) {
  if (!target.url.tls) {
    if (!flags.ca_file.empty() || flags.insecure) {
      return base::bad_input(flags.insecure ? "--insecure" : "--ca-file",
                             "this address has no certificate", "an https --base-url");
    }
    return {};
  }
  return wire::TlsContext::client({!flags.insecure, flags.ca_file}).map([&](auto context) {
    target.tls = std::move(context);
  });
}

base::Status read_proxy(const EndpointFlags& flags, load::Target& target) {
  if (flags.no_proxy) {
    return {};
  }
  return wire::proxy_for(target.url, wire::process_environment())
      .map([&](std::optional<wire::Proxy>&& proxy) { target.proxy = std::move(proxy); });
}

base::Status read_reuse(const EndpointFlags& flags, load::Target& target) {
  if (flags.connection_reuse != "keep" && flags.connection_reuse != "per-request") {
    return base::bad_input("--connection-reuse", "'" + flags.connection_reuse + "' is not known",
                           "keep or per-request");
  }
  target.reuse = flags.connection_reuse == "keep" ? load::Reuse::kKeep : load::Reuse::kPerRequest;
  return {};
}

base::Status read_http(const EndpointFlags& flags, load::Target& target) {
  if (flags.http_version == "2") {
    target.http = load::HttpVersion::k2;
  } else if (flags.http_version == "auto") {
    target.http = load::HttpVersion::kAuto;
  } else if (flags.http_version != "1.1") {
    return base::bad_input("--http-version", "'" + flags.http_version + "' is not known",
                           "1.1, 2 or auto");
  }
  if (target.http == load::HttpVersion::k2 && target.proxy && !target.url.tls) {
    return base::bad_input("--http-version", "HTTP/2 over http does not go through a proxy",
                           "https, 1.1, or --no-proxy");
  }
  constexpr std::uint32_t kMostStreams = 1'000'000;
  if (flags.http2_streams < 1 || flags.http2_streams > kMostStreams) {
    return base::bad_input("--http2-streams", fmt::format("{} streams", flags.http2_streams),
                           fmt::format("from 1 to {}", kMostStreams));
  }
  target.http2_streams = flags.http2_streams;
  return {};
}

// A time limit of nothing ends everything before it began.
base::Result<base::Nanos> parse_limit(const std::string& flag, const std::string& given) {
  return quantity::parse_duration(flag, given)
      .and_then([&](base::Nanos time) -> base::Result<base::Nanos> {
        return time > 0 ? base::Result<base::Nanos>(time)
                        : base::bad_input(flag, "\"" + given + "\" leaves no time",
                                          "a duration above 0, such as 10s");
      });
}

base::Status read_timeouts(const EndpointFlags& flags, load::Target& target) {
  return parse_limit("--connect-timeout", flags.connect_timeout)
      .map([&](base::Nanos time) { target.connect_timeout = time; })
      .and_then([&] { return parse_limit("--request-timeout", flags.request_timeout); })
      .map([&](base::Nanos time) { target.request_timeout = time; });
}

}  // namespace

void add_flags(CLI::App& command, EndpointFlags& flags) {
  add_place(command, flags);
  add_load(command, flags);
  add_flags(command, flags.workload);
  add_request(command, flags);
  add_sla(command, flags);
}

base::Result<load::Target> target_of(const EndpointFlags& flags) {
  load::Target target;
  auto url = wire::parse_url(flags.url_flag, flags.base_url);
  if (!url) {
    return tl::unexpected(url.error());
  }
  target.url = *url;
  const auto dialect = dialect_of(flags);
  if (!dialect) {
    return tl::unexpected(dialect.error());
  }
  if (!flags.endpoint.empty() && (!flags.endpoint.starts_with('/') || unprintable(flags.endpoint) ||
                                  flags.endpoint.find(' ') != std::string::npos)) {
    return base::bad_input("--endpoint", "'" + base::valid_utf8(flags.endpoint) + "' is no path",
                           "for example /v1/chat/completions");
  }
  platform::RequestOptions asked;
  if (flags.model.empty() && flags.endpoint.empty() && platform::names_model_in_path(**dialect)) {
    return base::bad_input("--model", "it stands in this platform's address", "--model NAME");
  }
  asked.model = flags.model;
  asked.stream = !flags.no_stream;
  asked.api_version = flags.api_version;
  target.path = platform::path_under(
      target.url, flags.endpoint.empty() ? (*dialect)->path(asked) : flags.endpoint);
  for (const std::string& text : flags.headers) {
    auto field = header_of(text);
    if (!field) {
      return tl::unexpected(field.error());
    }
    target.fields.push_back(std::move(*field));
  }
  return read_auth(flags, target)
      .and_then([&] { return read_timeouts(flags, target); })
      .and_then([&] { return read_reuse(flags, target); })
      .and_then([&] { return read_proxy(flags, target); })
      .and_then([&] { return read_http(flags, target); })
      .and_then([&] { return read_tls(flags, target); })
      .map([&] { return target; });
}

base::Result<platform::RequestOptions> options_of(const EndpointFlags& flags) {
  platform::RequestOptions options;
  const auto dialect = dialect_of(flags);
  if (!dialect) {
    return tl::unexpected(dialect.error());
  }
  options.dialect = *dialect;
  options.model = flags.model;
  options.stream = !flags.no_stream;
  options.ignore_eos = flags.ignore_eos;
  options.completion_limit = flags.max_completion_tokens;
  options.temperature = flags.temperature;
  options.extra_body = flags.extra_body;
  options.api_version = flags.api_version;
  return platform::check_ignore_eos("--ignore-eos", options)
      .and_then([&] { return platform::check_extra_body("--extra-body", flags.extra_body); })
      .map([&] { return options; });
}

namespace {

base::Result<std::optional<base::Nanos>> duration_of(const EndpointFlags& flags) {
  if (flags.duration.empty()) {
    return std::optional<base::Nanos>();
  }
  return parse_limit("--duration", flags.duration).map([](base::Nanos time) {
    return std::optional(time);
  });
}

}  // namespace

base::Result<workload::ArrivalOptions> arrivals_of(const EndpointFlags& flags) {
  workload::ArrivalOptions arrivals;
  arrivals.burstiness = flags.burstiness;
  return quantity::parse_rate("--request-rate", flags.request_rate)
      .map([&](double rate) { arrivals.rate_rps = rate; })
      .and_then([&] { return duration_of(flags); })
      .and_then([&](std::optional<base::Nanos> over) {
        return read_schedule(flags.workload, over, arrivals);
      })
      .map([&] { return arrivals; });
}

base::Result<study::LoadShape> shape_of(const EndpointFlags& flags) {
  study::LoadShape shape;
  shape.max_concurrency = flags.max_concurrency;
  if (const std::int64_t slots = flags.max_concurrency.value_or(1);
      slots < 1 || slots > workload::kMostAtOnce) {
    return base::bad_input("--max-concurrency", fmt::format("{} slots", slots),
                           fmt::format("from 1 to {}", workload::kMostAtOnce));
  }
  return duration_of(flags).map([&](std::optional<base::Nanos> time) {
    shape.send_for = time;
    return shape;
  });
}

base::Result<workload::DatasetOptions> dataset_of(const EndpointFlags& flags, bool paced) {
  workload::DatasetOptions options;
  const auto dataset = workload::dataset_named(flags.dataset_name);
  if (!dataset) {
    return base::bad_input("--dataset-name", "'" + flags.dataset_name + "' is not known",
                           workload::dataset_names());
  }
  options.dataset = *dataset;
  if (flags.random_range_style == "sglang") {
    options.range_style = workload::RangeStyle::kSglang;
  } else if (flags.random_range_style != "vllm") {
    return base::bad_input("--random-range-style",
                           "'" + flags.random_range_style + "' is not known", "vllm or sglang");
  }
  options.path = flags.dataset_path;
  options.num_prompts = flags.num_prompts;
  options.seed = flags.seed;
  options.random_input_len = flags.random_input_len;
  options.random_output_len = flags.random_output_len;
  options.range_ratio = flags.random_range_ratio;
  options.output_len = flags.output_len;
  options.time_scale = flags.time_scale;
  options.endless = !flags.duration.empty() && !flags.num_prompts;
  const auto at_once = paced ? std::nullopt : flags.max_concurrency;
  return read_dataset(flags.workload, flags.dataset_name, at_once, options).map([&] {
    return options;
  });
}

base::Result<std::optional<study::Sla>> sla_of(const EndpointFlags& flags) {
  study::Sla sla;
  const auto target = quantity::parse_share("--sla-target", flags.sla_target);
  if (!target) {
    return tl::unexpected(target.error());
  }
  sla.target = *target;
  for (const std::string& text : flags.sla) {
    auto term = quantity::parse_sla_term("--sla", text);
    if (!term) {
      return tl::unexpected(term.error());
    }
    sla.terms.push_back(*term);
  }
  for (const std::string& text : flags.goodput) {
    auto term = quantity::parse_goodput_term("--goodput", text);
    if (!term) {
      return tl::unexpected(term.error());
    }
    sla.terms.push_back(*term);
  }
  return sla.terms.empty() ? std::optional<study::Sla>() : std::optional(sla);
}

}  // namespace steelyard::command
