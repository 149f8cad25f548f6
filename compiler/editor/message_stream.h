#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Cuts a stream of bytes into the bodies of messages: `Content-Length: N`, an empty line, N bytes
/// (microsoft/language-server-protocol, version 3.17, section "Base Protocol").
class MessageReader {
 public:
  static constexpr std::size_t kLongestHeader = 4096;
  static constexpr std::size_t kLongestBody = 64UL * 1024 * 1024;

  void feed(std::string_view bytes) { waiting_.append(bytes); }

  /// The next whole body. Nothing when more bytes are needed, or when the stream is broken.
  std::optional<std::string> next();

  /// Why nothing after this point can be read; empty while the stream is good.
  const std::string& fault() const { return fault_; }

 private:
  bool read_header();
  std::optional<std::string> broken(std::string why);

  std::string waiting_;
  std::size_t at_ = 0;  // of what is not read yet
  std::optional<std::size_t> length_;
  std::string fault_;
};

/// A body with its header.
std::string framed(std::string_view body);

}  // namespace trainyard
