#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/word_view.h"
#include "tree/tree.h"

namespace trainyard {

/// A host that a container waits for or talks to, and where it is written.
struct AskedHost {
  std::string name;
  WordView at;

  std::string_view label() const { return std::string_view(name).substr(0, name.find('.')); }
  /// What stands behind the first dot; "" for nothing.
  std::string_view rest() const {
    const std::size_t dot = name.find('.');
    return dot == name.npos ? std::string_view() : std::string_view(name).substr(dot + 1);
  }
};

/// Those that its command and its variables name.
std::vector<AskedHost> asked_hosts(View container);

}  // namespace trainyard
