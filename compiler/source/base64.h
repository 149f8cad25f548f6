#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// RFC 4648, with padding: as Kubernetes takes binary data, and as URLs can carry it.
std::string base64(std::string_view bytes);
std::string base64_url(std::string_view bytes);

}  // namespace trainyard
