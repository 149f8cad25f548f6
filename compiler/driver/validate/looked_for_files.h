#pragma once

#include <set>
#include <string>
#include <string_view>

namespace trainyard {

/// The files that a Test of chainsaw looks for in a cluster (`assert: {file: ...}`, `error:`). They
/// hold parts of objects, and no client applies them. kyverno/chainsaw pkg/apis/v1alpha1
std::set<std::string> looked_for_files(std::string_view path, std::string_view text);

}  // namespace trainyard
