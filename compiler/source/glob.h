#pragma once

#include <string_view>

namespace trainyard {

/// Whether a path fits a pattern: `*` is any text without a slash, `**` any text, `**/` none or any
/// that ends in a slash, `?` one character but a slash. Takes time in proportion to both lengths.
bool fits_glob(std::string_view pattern, std::string_view path);

}  // namespace trainyard
