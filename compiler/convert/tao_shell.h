#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// The shell in which the TAO SDK starts a program: exports of what a build gives to a job of TAO,
/// then the program.
struct TaoShell {
  std::vector<std::pair<std::string, std::string>> exports;
  std::string program;
};

/// Nothing for any other script, as the shell sees it.
std::optional<TaoShell> read_tao_shell(std::string_view script);

}  // namespace trainyard
