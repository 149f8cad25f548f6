#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// An absolute path without empty steps, `.` and a slash at its end: `/x//y/` is `/x/y`.
std::string plain_path(std::string_view path);

/// True when a step of the path is `..`.
bool goes_up(std::string_view path);

/// True for the directory itself and all below it; both are plain paths.
bool is_within(std::string_view path, std::string_view directory);

}  // namespace trainyard
