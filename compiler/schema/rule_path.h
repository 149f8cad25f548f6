#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The names in the `fieldPath` of a rule: `.spec['a.b'].c` is `spec`, `a.b`, `c`.
std::vector<std::string> rule_path(std::string_view path);

}  // namespace trainyard
