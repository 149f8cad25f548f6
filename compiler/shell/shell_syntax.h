#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// What a shell cannot read of a script, and where.
struct ShellFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string what;  // a sentence without a full stop
};

/// Whether sh and bash would refuse a script before they run any of it: a quote or a block that is
/// never closed, or closed by another word. Nothing where this is not certain: of what is rare in
/// scripts not all is read here.
std::optional<ShellFault> shell_fault(std::string_view script);

}  // namespace trainyard
