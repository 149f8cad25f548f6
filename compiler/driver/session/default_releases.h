#pragma once

#include <set>
#include <string>
#include <vector>

#include "schema/pack.h"
#include "spec/cluster.h"
#include "target/object_set.h"

namespace trainyard {

/// The releases whose APIs objects are written for where nothing names them: the newest that
/// trainyard has the schema of.
class DefaultReleases {
 public:
  /// Takes in the kinds of these objects. One whose schema is of no release is left out, and so is
  /// one of a project whose version the Cluster states; null where no Cluster was named.
  void note(const ObjectSet& objects, const SchemaPack& schemas, const Cluster* cluster);
  /// A Cluster that ceases to be may leave its place to another one.
  void forget_cluster() {
    cluster_ = nullptr;
    seen_.clear();
    has_pods_ = false;
  }
  void merge(const DefaultReleases& other) {
    without_.insert(other.without_.begin(), other.without_.end());
    unstated_.insert(other.unstated_.begin(), other.unstated_.end());
  }
  /// The lines of a comment that name them; "" when there are none.
  std::string lines() const;

 private:
  using Names = std::set<std::string, std::less<>>;  // "Kubernetes 1.36"

  const Cluster* cluster_ = nullptr;
  bool has_pods_ = false;                // whatever makes them, Kubernetes runs them
  std::vector<const SchemaKind*> seen_;  // whose releases are known already, for this Cluster
  Names without_;                        // where no Cluster was named
  Names unstated_;                       // where one was, and leaves them out
};

}  // namespace trainyard
