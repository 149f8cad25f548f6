#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace trainyard {

/// A token, a password or a key. Its memory is zeroed at the end, and nothing prints it.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  SecretBytes(SecretBytes&& other) noexcept : bytes_(std::move(other.bytes_)) { other.clear(); }
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  ~SecretBytes() { clear(); }

  bool empty() const { return bytes_.empty(); }
  std::string_view view() const { return bytes_; }
  void clear();

 private:
  std::string bytes_;
};

/// Overwrites a text with zeros, in a way that the compiler does not leave out, and empties it.
void wipe(std::string& text);

}  // namespace trainyard
