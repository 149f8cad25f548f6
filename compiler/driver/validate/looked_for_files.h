#pragma once

#include <set>
#include <string>

#include "source/source_map.h"

namespace trainyard {

/// The files that a Test of chainsaw looks for in a cluster (`assert: {file: ...}`, `error:`). They
/// hold parts of objects, and no client applies them. kyverno/chainsaw pkg/apis/v1alpha1
std::set<std::string> looked_for_files(const SourceMap& sources, FileId file);

}  // namespace trainyard
