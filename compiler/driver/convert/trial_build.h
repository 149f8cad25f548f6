#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/build/compile.h"
#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// Builds specs that `convert` made, to learn for which target they build.
class TrialBuilds {
 public:
  struct Result {
    bool builds = true;
    std::vector<Diagnostic> refusals = {};  // in order; none if it builds
  };

  /// Builds are made in `session`, whose sink they clear. `cluster` may be null.
  TrialBuilds(Session& session, const ClusterDocument* cluster)
      : session_(session), cluster_(cluster) {}

  /// For the target of the spec, of the Cluster, or the default.
  Result build(const std::string& spec);
  /// The spec that was built last.
  View spec() const { return document_.root(); }
  /// What the last build has made, if it did, and the texts that it read.
  Compilation& made() { return made_; }
  const SourceMap& sources() const { return session_.sources; }

 private:
  Session& session_;
  const ClusterDocument* cluster_;
  Document document_;
  Compilation made_;
};

/// The target that makes objects of this kind; "" for a kind that none makes.
std::string_view target_of_kind(View object);

}  // namespace trainyard
