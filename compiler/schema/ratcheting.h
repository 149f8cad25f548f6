#pragma once

#include <unordered_map>
#include <vector>

#include "schema/old_values.h"
#include "schema/subject.h"

namespace trainyard {

/// Ratcheting validation of custom resources: an invalid value that an update does not change
/// may stay.
class Ratcheting {
 public:
  /// `old` and `defaults` must outlive this.
  Ratcheting(const Subject& subject, const OldValues& old, RuleDefaults& defaults)
      : subject_(subject), old_(old), defaults_(defaults) {}

  /// Makes warnings of the violations from `from` on, which are of this place and of what is below
  /// it, if the value is unchanged. Whether it did so.
  bool let_stay_since(std::size_t from, const Frame& at);
  /// Whether the value is unchanged; if the old one is unknown, asks the nearest known parent.
  bool is_kept(const Frame& at);

 private:
  const Subject& subject_;
  const OldValues& old_;
  RuleDefaults& defaults_;
  std::unordered_map<NodeId, bool> kept_;  // what `is_kept` has found
};

/// Makes a warning of what is wrong and was so before.
void let_stay(Violation& violation);

/// Whether a list has items twice that the API server refuses.
bool has_refused_duplicate(const std::vector<Violation>& violations);
/// Items that a list has twice may stay where the old object had such items, even in another
/// list. That was so before Kubernetes 1.30, too.
void let_duplicates_stay(std::vector<Violation>& violations);

}  // namespace trainyard
