#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace trainyard {

/// A field of the spec or of the Cluster, or some of its values, that a target does not carry.
///
/// In `field`, `[]` stands for any item of a list and `*` for any key of a map:
/// `spec.data.inputs[].handler`, `spec.storage.*.csi`.
struct Inexpressible {
  std::string_view field;             // "spec.elastic"
  std::string_view value;             // only this value; "" for any
  std::optional<std::int64_t> above;  // only values above this one
  std::string_view because;           // why, as half a sentence
  Span span;                          // of the row
};

/// Whether pods have `-<index>` at the end of their names.
enum class IndexSuffix : std::uint8_t { Never, SeveralNodes, Always };

/// What the rules must know of a target; read from its `target.yaml`.
struct TargetFacts {
  std::string_view name;
  std::string_view summary;
  bool available = false;       // false: its limits are known, its templates are not written yet
  std::string_view kubernetes;  // the oldest version that knows all that is written; "" for any
  std::string_view container_name;  // what its controller expects; "" when it does not care
  std::int64_t name_limit = 63;     // of the longest name made from the job's name
  std::int64_t name_overhead = 0;   // characters that the target appends, `-<index>` aside
  IndexSuffix index_suffix = IndexSuffix::Never;
  std::string_view master_host;        // host name of rank 0, with `{job}` for the job's name
  std::string_view rank_field;         // the pod's own field that holds a node's rank
  std::int64_t master_port = 0;        // at which the ranks meet, unless the spec says otherwise
  std::vector<Inexpressible> cannot;   // the system has no way to carry these
  std::vector<Inexpressible> not_yet;  // the system could, Trainyard does not write it yet
  Span span;

  /// The most characters that the name of a job with so many pods may have.
  std::int64_t longest_name(std::int64_t pods) const;
};

/// Every target that is known, the planned ones too, sorted by name. Asked only by a message that
/// has to name some of them, because that reads all their packs.
class KnownTargets {
 public:
  virtual ~KnownTargets() = default;
  virtual const std::vector<const TargetFacts*>& all_targets() = 0;
};

}  // namespace trainyard
