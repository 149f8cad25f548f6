#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Whether a LabelSelector matches labels. One without terms matches everything.
bool selects(View selector, View labels);
/// The same for labels that are not all written down: `label` says the value of a key.
using LabelOf = std::function<std::optional<std::string>(std::string_view key)>;
bool selects(View selector, const LabelOf& label);

}  // namespace trainyard
