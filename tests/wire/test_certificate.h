// A key and a certificate made on the spot, in PEM files that last as long as it does.
#pragma once

#include <filesystem>
#include <string>

namespace steelyard::wire {

class TestCertificate {
 public:
  // Signed by itself, for names in OpenSSL's form: "DNS:localhost,IP:127.0.0.1".
  explicit TestCertificate(const std::string& names);
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  [[nodiscard]] std::string certificate_file() const { return (folder_ / "cert.pem").string(); }
  [[nodiscard]] std::string key_file() const { return (folder_ / "key.pem").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace steelyard::wire
