#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// The path of a `file:` URI (RFC 8089). Any other URI is its own name: a document that is not
/// saved yet, `untitled:Untitled-1`.
std::string path_of_uri(std::string_view uri);

/// The `file:` URI of an absolute path.
std::string uri_of_path(std::string_view path);

}  // namespace trainyard
