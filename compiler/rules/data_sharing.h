#pragma once

#include <cstdint>
#include <string>

#include "rules/data_move.h"
#include "rules/rule_context.h"

namespace trainyard {

/// Which pods of a job have the directory of a move in common, and which of them does the work.
class DataSharing {
 public:
  explicit DataSharing(const RuleContext& context) : context_(context), tree_(context.plan.tree) {}

  /// A pod that only starts the others has none of their storage.
  bool takes_part(const RoleInput& input) const;
  /// Whether the directory is on a volume that is one and the same in all pods that have it.
  bool is_shared_by_pods(const Role& role, const DataMove& move) const;
  bool is_single(const Role& role) const;
  /// The role that fetches for all that have its volume: one that waits for no other, rank 0's for
  /// choice, and not the one behind sshd that starts when all others run.
  const Role* fetching(const Role& role, const DataMove& move) const;
  /// The name of the first pod of a role, as its controller makes it.
  std::string first_pod(const Role& role) const;
  /// Pods that have the volume of a role's directory; of those that there are several of, at least
  /// two.
  std::int64_t pods_with(const Role& role, const DataMove& move) const;

 private:
  bool is_same_volume(const Role& a, const Role& b, const DataMove& move) const;

  const RuleContext& context_;
  const Tree& tree_;
};

}  // namespace trainyard
