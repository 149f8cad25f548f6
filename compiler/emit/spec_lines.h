#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emit/artifact.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// The values in `text` that come from a spec, by line: `objects` are written into it
/// at the places of `written`. A value that nothing in a spec led to has the line of the Cluster.
std::vector<SpecLine> spec_lines(const ObjectSet& objects,
                                 const std::vector<WrittenObject>& written, std::string_view text,
                                 const Origins& origins);

}  // namespace trainyard
