#pragma once

#include <string>

namespace trainyard {

/// What a schema describes and where it comes from.
struct SchemaFacts {
  std::string group;  // "" for the core group
  std::string version;
  std::string kind;
  std::string plural;      // "" when not known
  std::string source;      // "kubernetes-sigs/jobset v0.12.0 config/...": project, version, path
  bool namespaced = true;  // false for kinds of the whole cluster
  // Of custom resources: with the subresource `status` that field is set through it alone, and
  // with `scale` the number of replicas is read at a path (`.spec.replicas`); "" without it.
  bool has_status = false;
  std::string replicas_path;
  // A kind as it was before a release of its operator: "trainer 2.2", as a Cluster calls it; "" for
  // the newest.
  std::string before;

  /// `core/v1/Pod`: how references and files name it.
  std::string name() const {
    return (group.empty() ? std::string("core") : group) + "/" + version + "/" + kind;
  }
};

}  // namespace trainyard
