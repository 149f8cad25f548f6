#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// RFC 4648, with padding: as Kubernetes takes binary data, and as URLs can carry it.
std::string base64(std::string_view bytes);
std::string base64_url(std::string_view bytes);
/// The bytes of such a text, in which line breaks do not count; nothing when it is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace trainyard
