#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// Builds specs that `convert` made, to learn for which target they build.
class TrialBuilds {
 public:
  struct Result {
    bool builds = true;
    bool is_expressible = true;  // by the target
    std::string refusal;         // the first error
  };

  /// Builds are made apart from `session`, whose sink they leave alone. `cluster` may be null.
  TrialBuilds(const Session& session, const ClusterDocument* cluster);
  ~TrialBuilds();

  /// `target` as for `build --target`; "" for that of the spec, the Cluster or the default.
  Result build(const std::string& spec, std::string_view target);

 private:
  std::unique_ptr<Session> session_;
  const ClusterDocument* cluster_;
};

/// The target that makes objects of this kind; "" for a kind that none makes.
std::string_view target_of_kind(View object);

}  // namespace trainyard
