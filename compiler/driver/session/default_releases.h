#pragma once

#include <string>
#include <string_view>
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
  void merge(const DefaultReleases& other);
  /// The lines of a comment that name them; "" when there are none.
  std::string lines() const;

 private:
  struct Named {
    bool kubernetes = false;                // whatever makes pods, Kubernetes runs them
    std::vector<std::string_view> sources;  // of schemas, each once

    void add(std::string_view source);
    std::string line(std::string_view because) const;
  };

  Named without_;   // where no Cluster was named
  Named unstated_;  // where one was, and leaves them out
};

}  // namespace trainyard
