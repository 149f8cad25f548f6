#pragma once

#include <string_view>
#include <vector>

#include "manifest/inventory.h"
#include "tree/tree.h"

namespace trainyard {

/// An object whose containers have as texts the scripts and the variables that they take from
/// ConfigMaps: `bash -c "..."` for `bash /scripts/train.sh`, `value: ...` for `valueFrom`.
/// Everything keeps the place where it is written.
struct ScriptedObject {
  struct Script {
    View text;  // in its ConfigMap
    View config_map;
    std::string_view container;  // its name
    bool is_value = false;       // of a variable, and no script
  };

  Tree tree;
  std::vector<Script> scripts;  // none: there is no tree either
};

/// Scripts of shells, for others are not read, and variables, from ConfigMaps of the inventory.
ScriptedObject with_scripts(View object, const Inventory& inventory);

}  // namespace trainyard
