#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace trainyard {

/// A field of the spec, or one value of it, that a target has no way to carry.
struct Inexpressible {
  std::string_view field;    // "spec.elastic"
  std::string_view value;    // "" for any value
  std::string_view because;  // why, as half a sentence
};

/// What the rules must know of a target; read from its `target.yaml`.
struct TargetFacts {
  std::string_view name;
  std::string_view summary;
  bool available = false;  // false: its limits are known, its templates are not written yet
  std::string_view container_name;  // what its controller expects; "" when it does not care
  std::int64_t name_limit = 63;     // of the longest name made from the job's name
  std::int64_t name_overhead = 0;   // characters that the target appends, index digits aside
  bool index_suffix = false;        // whether pods of a multi-node job get `-<index>`
  std::string_view master_host;     // host name of rank 0, with `{job}` for the job's name
  std::string_view rank_field;      // the pod's own field that holds a node's rank
  std::int64_t master_port = 0;     // at which the ranks meet, unless the spec says otherwise
  std::vector<Inexpressible> cannot;
  Span span;
};

}  // namespace trainyard
