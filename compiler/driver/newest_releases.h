#pragma once

#include <set>
#include <string>
#include <vector>

#include "schema/pack.h"
#include "target/object_set.h"

namespace trainyard {

/// The releases whose APIs objects are written for where no Cluster names them: the newest that
/// trainyard has the schema of.
class NewestReleases {
 public:
  /// Takes in the kinds of these objects. One whose schema is of no release is left out.
  void note(const ObjectSet& objects, const SchemaPack& schemas);
  void merge(const NewestReleases& other) {
    releases_.insert(other.releases_.begin(), other.releases_.end());
  }
  /// The line of a comment that names them; "" when there are none.
  std::string line() const;

 private:
  bool has_pods_ = false;                        // whatever makes them, Kubernetes runs them
  std::vector<const SchemaKind*> seen_;          // whose releases are known already
  std::set<std::string, std::less<>> releases_;  // "Kubernetes 1.36"
};

}  // namespace trainyard
