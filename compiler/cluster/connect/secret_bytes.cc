#include "cluster/connect/secret_bytes.h"

#include <cstring>

namespace trainyard {

void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.capacity());
  text.clear();
}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this == &other) return *this;
  clear();
  bytes_ = std::move(other.bytes_);
  other.clear();  // short texts are copied
  return *this;
}

void SecretBytes::clear() {
  wipe(bytes_);
}

}  // namespace trainyard
