#include "platform/token_keeper.h"

#include <algorithm>
#include <utility>

#include "wire/fetch.h"

namespace steelyard::platform {
namespace {

constexpr base::Nanos kTimeout = 20 * base::kSecond;
// Before its end, or at half of its life where that is shorter.
constexpr base::Nanos kRenewBefore = 300 * base::kSecond;
constexpr base::Nanos kAskAgain = 10 * base::kSecond;

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

base::Result<std::shared_ptr<TokenKeeper>> TokenKeeper::make(GoogleCredentials credentials,
                                                             const wire::Environment& environment) {
  auto url = wire::parse_url(credentials.where + ": token_uri", credentials.token_uri);
  if (!url) {
    return tl::unexpected(url.error());
  }
  if (!url->tls && !is_loopback(url->host)) {
    return base::bad_input(credentials.where, "token_uri is not https",
                           "https://oauth2.googleapis.com/token");
  }
  // A key that cannot sign is known before anything is sent.
  if (const auto body = google_token_request(credentials, base::wall_now()); !body) {
    return tl::unexpected(body.error());
  }
  auto proxy = wire::proxy_for(*url, environment);
  if (!proxy) {
    return tl::unexpected(proxy.error());
  }
  std::shared_ptr<wire::TlsContext> tls;
  if (url->tls) {
    auto context = wire::TlsContext::client({});
    if (!context) {
      return tl::unexpected(context.error());
    }
    tls = std::move(*context);
  }
  return std::shared_ptr<TokenKeeper>(
      new TokenKeeper(std::move(credentials), std::move(*url), std::move(tls), std::move(*proxy)));
}

TokenKeeper::TokenKeeper(GoogleCredentials credentials, wire::Url url,
                         std::shared_ptr<wire::TlsContext> tls, std::optional<wire::Proxy> proxy)
    : credentials_(std::move(credentials)),
      url_(std::move(url)),
      tls_(std::move(tls)),
      proxy_(std::move(proxy)) {}

TokenKeeper::~TokenKeeper() {
  stop_ = true;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

base::Result<AccessToken> TokenKeeper::ask(const std::atomic<bool>* stop) const {
  const auto body = google_token_request(credentials_, base::wall_now());
  if (!body) {
    return tl::unexpected(body.error());
  }
  return wire::fetch(url_,
                     {"",
                      {{"Content-Type", "application/x-www-form-urlencoded"},
                       {"Accept", "application/json"}},
                      "POST",
                      body->reveal()},
                     {tls_, kTimeout, stop, proxy_})
      .and_then([&](const wire::Fetched& answer) {
        return parse_google_token(credentials_, answer.status, answer.body, base::wall_now());
      });
}

base::Status TokenKeeper::begin(const std::atomic<bool>* stop) {
  {
    const std::lock_guard lock(mutex_);
    if (thread_.joinable() && base::wall_now() < token_.expires_at) {
      return {};
    }
  }
  auto token = ask(stop);
  if (!token) {
    return tl::unexpected(token.error());
  }
  take(std::move(*token));
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { keep(); });
  }
  return {};
}

void TokenKeeper::take(AccessToken token) {
  const base::Nanos life = std::max<base::Nanos>(0, token.expires_at - base::wall_now());
  const std::lock_guard lock(mutex_);
  before_ = std::exchange(token_, std::move(token)).value;
  ++edition_;
  renew_at_ = base::monotonic_now() + life - std::min(kRenewBefore, life / 2);
}

void TokenKeeper::keep() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(renew_at_)};
    if (ending_.wait_until(lock, until, [this] { return over_; })) {
      return;
    }
    lock.unlock();
    auto token = ask(&stop_);
    if (token) {
      take(std::move(*token));
    }
    lock.lock();
    // A token of no life at all would be asked for without end.
    renew_at_ =
        std::max(renew_at_, base::monotonic_now() + (token ? base::kSecond / 2 : kAskAgain));
  }
}

base::Secret TokenKeeper::token() const {
  const std::lock_guard lock(mutex_);
  return token_.value;
}

std::vector<base::Secret> TokenKeeper::secrets() const {
  std::vector<base::Secret> secrets;
  {
    const std::lock_guard lock(mutex_);
    secrets = {token_.value, before_};
  }
  if (const auto* user = std::get_if<GoogleUser>(&credentials_.from)) {
    secrets.push_back(user->client_secret);
    secrets.push_back(user->refresh_token);
  }
  return secrets;
}

}  // namespace steelyard::platform
