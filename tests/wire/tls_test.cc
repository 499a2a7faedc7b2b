#include "wire/tls.h"

#include <openssl/ssl.h>

#include "test_certificate.h"
#include "two_ends.h"

namespace steelyard::wire {
namespace {

constexpr base::Nanos kLong = 60 * base::kSecond;

std::shared_ptr<TlsContext> server_with(const TestCertificate& certificate) {
  return TlsContext::server(certificate.certificate_file(), certificate.key_file()).value();
}

std::shared_ptr<TlsContext> client_that_trusts(const TestCertificate& certificate) {
  return TlsContext::client({true, certificate.certificate_file()}).value();
}

// What became of a handshake, and of one answer after it.
struct Met {
  std::string client_failure;  // empty: it opened
  std::string received;
};

Met meet(std::shared_ptr<TlsContext> server, std::shared_ptr<TlsContext> client,
         const std::string& host) {
  boost::asio::io_context loop(1);
  Peer peer(loop, std::move(server));
  Client ours(loop, std::move(client));
  ours.connection->connect(peer.address(), host, kLong);
  run_until(loop, [&] { return (ours.seen.opened && peer.seen.opened) || ours.seen.closed; });
  if (ours.seen.closed) {
    return {ours.seen.failure, ""};
  }
  peer.connection->send("secret words");
  run_until(loop, [&] { return ours.seen.received.size() == 12 || ours.seen.closed; });
  return {ours.seen.failure, ours.seen.received};
}

TEST(Tls, a_certificate_of_the_ca_file_is_trusted_for_its_names_and_addresses) {
  const TestCertificate certificate("DNS:localhost,IP:127.0.0.1");
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    const Met met = meet(server_with(certificate), client_that_trusts(certificate), host);
    EXPECT_EQ(met.client_failure, "") << host;
    EXPECT_EQ(met.received, "secret words") << host;
  }
}

TEST(Tls, a_certificate_nobody_vouches_for_is_refused) {
  const TestCertificate certificate("DNS:localhost");
  const Met met = meet(server_with(certificate), TlsContext::client({}).value(), "localhost");
  EXPECT_EQ(met.client_failure,
            "the certificate of 'localhost' is not trusted: self-signed certificate");
}

TEST(Tls, a_certificate_for_another_name_or_address_is_refused) {
  const TestCertificate certificate("DNS:elsewhere.example,IP:127.0.0.2");
  const auto failure = [&](const std::string& host) {
    return meet(server_with(certificate), client_that_trusts(certificate), host).client_failure;
  };
  EXPECT_EQ(failure("localhost"),
            "the certificate of 'localhost' is not trusted: hostname mismatch");
  EXPECT_EQ(failure("127.0.0.1"),
            "the certificate of '127.0.0.1' is not trusted: IP address mismatch");
}

TEST(Tls, unverified_takes_any_certificate) {
  const TestCertificate certificate("DNS:elsewhere.example");
  const Met met =
      meet(server_with(certificate), TlsContext::client({false, ""}).value(), "localhost");
  EXPECT_EQ(met.client_failure, "");
  EXPECT_EQ(met.received, "secret words");
}

TEST(Tls, versions_1_2_and_1_3_are_spoken_and_1_1_is_not) {
  const TestCertificate certificate("DNS:localhost");
  const auto failure = [&](int version) {
    auto server = server_with(certificate);
    SSL_CTX_set_security_level(server->get(), 0);
    SSL_CTX_set_min_proto_version(server->get(), version);
    SSL_CTX_set_max_proto_version(server->get(), version);
    return meet(server, client_that_trusts(certificate), "localhost").client_failure;
  };
  EXPECT_EQ(failure(TLS1_3_VERSION), "");
  EXPECT_EQ(failure(TLS1_2_VERSION), "");
  EXPECT_THAT(failure(TLS1_1_VERSION), testing::StartsWith("TLS: "));
}

TEST(Tls, a_server_that_speaks_plain_text_is_told_apart) {
  const TestCertificate certificate("DNS:localhost");
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop, client_that_trusts(certificate));
  client.connection->connect(peer.address(), "localhost", kLong);
  run_until(loop, [&] { return !peer.seen.received.empty(); });
  peer.connection->send("HTTP/1.1 400 Bad Request\r\n\r\n");
  run_until(loop, [&] { return client.seen.closed; });
  EXPECT_EQ(client.seen.failure, "TLS: wrong version number");
}

TEST(Tls, a_handshake_that_never_ends_runs_into_the_time_limit) {
  const TestCertificate certificate("DNS:localhost");
  boost::asio::io_context loop(1);
  Peer mute(loop);  // takes what comes and says nothing
  Client client(loop, client_that_trusts(certificate));
  client.connection->connect(mute.address(), "localhost", 20 * base::kMillisecond);
  run_until(loop, [&] { return client.seen.closed; });
  EXPECT_EQ(client.seen.failure, "no connection within the time limit");
}

TEST(Tls, a_long_message_arrives_whole) {
  const TestCertificate certificate("DNS:localhost");
  boost::asio::io_context loop(1);
  Peer peer(loop, server_with(certificate));
  Client client(loop, client_that_trusts(certificate));
  client.connection->connect(peer.address(), "localhost", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  const std::string message(20U << 20U, 'x');
  client.connection->send(message);
  run_until(loop, [&] { return peer.seen.received.size() == message.size(); });
  EXPECT_TRUE(peer.seen.received == message);
}

TEST(Tls, a_send_is_stamped_and_both_handshakes_are_timed) {
  const TestCertificate certificate("DNS:localhost");
  boost::asio::io_context loop(1);
  Peer peer(loop, server_with(certificate));
  Client client(loop, client_that_trusts(certificate));
  const base::Nanos began = base::monotonic_now();
  client.connection->connect(peer.address(), "localhost", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  const ConnectTimes& times = client.connection->times();
  ASSERT_TRUE(times.tls);
  EXPECT_GT(times.tcp, 0);
  EXPECT_GT(*times.tls, 0);
  EXPECT_LE(times.tcp + *times.tls, base::monotonic_now() - began);
  const base::Nanos written = client.connection->send("ask", true);
  run_until(loop, [&] { return peer.seen.received == "ask"; });
  const auto left = client.connection->sent_at();
  ASSERT_TRUE(left);
  EXPECT_GE(*left, written - base::kMicrosecond);
  EXPECT_LE(*left, peer.seen.stamps.back().user);
}

TEST(Tls, bytes_cut_anywhere_give_the_same_words) {
  const TestCertificate certificate("DNS:localhost");
  const auto server_context = server_with(certificate);
  const auto client_context = client_that_trusts(certificate);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1'000}}) {
    TlsSession server(*server_context, "");
    TlsSession client(*client_context, "localhost");
    std::string read;
    const auto carry = [&](TlsSession& from, TlsSession& to) {
      const std::string bytes = from.output();
      for (std::size_t at = 0; at < bytes.size(); at += step) {
        ASSERT_TRUE(to.take(std::string_view(bytes).substr(at, step)));
        std::array<char, 100> buffer{};
        while (const std::size_t got = to.read(buffer.data(), buffer.size()).value()) {
          read.append(buffer.data(), got);
        }
      }
    };
    ASSERT_TRUE(client.take(""));
    while (!client.established() || !server.established()) {
      carry(client, server);
      carry(server, client);
    }
    const std::string words(40'000, 'w');
    ASSERT_TRUE(server.write(words));
    carry(server, client);
    EXPECT_TRUE(read == words) << "in pieces of " << step;
  }
}

TEST(Tls, files_that_are_no_pem_are_bad_input_by_name) {
  const TestCertificate certificate("DNS:localhost");
  const auto no_authority = TlsContext::client({true, "/nowhere/ca.pem"});
  ASSERT_FALSE(no_authority);
  EXPECT_EQ(no_authority.error().where, "/nowhere/ca.pem");
  const auto no_certificate = TlsContext::server("/nowhere/cert.pem", certificate.key_file());
  ASSERT_FALSE(no_certificate);
  EXPECT_EQ(no_certificate.error().where, "/nowhere/cert.pem");
  const auto no_key =
      TlsContext::server(certificate.certificate_file(), certificate.certificate_file());
  ASSERT_FALSE(no_key);
  EXPECT_EQ(no_key.error().where, certificate.certificate_file());
}

}  // namespace
}  // namespace steelyard::wire
