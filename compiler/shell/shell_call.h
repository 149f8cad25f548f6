#pragma once

#include <cstddef>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// The arguments of a container, those of `command` in front.
std::vector<View> arguments_of(View container);

/// What stands behind the options of a shell, and whether it is a script by `-c`.
struct ShellCall {
  std::size_t script = 0;
  bool by_option = false;
};

ShellCall shell_call(const std::vector<View>& words, std::size_t shell);

/// The text that a shell is given by `-c`; an empty view where there is none.
View script_of(const std::vector<View>& words);

}  // namespace trainyard
