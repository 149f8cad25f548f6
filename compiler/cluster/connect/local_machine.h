#pragma once

#include <functional>
#include <optional>
#include <string>

#include "source/file_system.h"

namespace trainyard {

/// The machine on which a client runs, as far as a connection depends on it.
struct LocalMachine {
  FileSystem& files;
  /// A variable of the environment; nothing where it is not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  /// Whether a person at a terminal can answer an exec plugin.
  bool terminal = false;
  /// A descriptor that is readable once the user interrupts (Interrupt); -1 for none.
  int interrupt = -1;
};

}  // namespace trainyard
