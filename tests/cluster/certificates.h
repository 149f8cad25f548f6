#pragma once

#include <filesystem>
#include <string>

namespace trainyard::test {

/// A CA of a test, and what it signs. Files are PEM in a folder that goes with it.
class Authority {
 public:
  Authority();
  Authority(const Authority&) = delete;
  ~Authority();

  std::string pem() const;  // of the CA
  /// A certificate for a name or an address, and its key.
  struct Pair {
    std::string certificate_file;
    std::string key_file;
    std::string certificate;
    std::string key;
  };
  Pair sign(const std::string& name, bool is_expired = false);

 private:
  struct Keys;
  Keys* keys_;
  std::filesystem::path folder_;
  int count_ = 0;
};

}  // namespace trainyard::test
