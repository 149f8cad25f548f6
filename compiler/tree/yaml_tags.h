#pragma once

#include <string_view>

namespace trainyard {

/// Tags of the core schema begin so; `!!int` is short for it.
inline constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

/// Whether a tag leaves the type to what stands there.
inline bool is_non_specific(std::string_view tag) {
  return tag == "?" || tag == "!" || tag.empty();
}

}  // namespace trainyard
