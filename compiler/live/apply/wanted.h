#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"
#include "emit/provenance.h"
#include "live/meant_cluster.h"

namespace trainyard {

/// An object as it is to be on the cluster.
struct WantedObject {
  std::string api_version;
  std::string kind;
  std::string name_space;  // "" where the manifest leaves it to the context, or has none
  std::string name;
  std::string body;  // YAML, as `build` writes it
};

/// What belongs together: the objects of one job, of one platform, of one unit of a fleet, or of
/// one file of manifests.
struct WantedSet {
  std::string name;        // of the job, Cluster or unit; "" for manifests, which have no record
  std::string name_space;  // of its record
  std::string source;      // the path of its spec, Fleet or manifest
  std::vector<WantedObject> objects;  // in the order of creation
  Provenance causes;                  // why each value is as it is; none for manifests
  bool is_unit = false;               // its jobs have other names
};

struct WantedRequest {
  std::vector<std::string> inputs;  // specs, Clusters, manifests, directories, `-`
  std::string cluster;              // as in a build
  std::string target;
  std::string unit;      // CLUSTER/TEAM of the Fleet, which is the one input; "" for no unit
  bool secrets = false;  // manifests may hold Secrets
};

struct Wanted {
  std::vector<WantedSet> sets;
  std::vector<MeantCluster> meant;  // by the Clusters that say so
};

/// Compiles what has to be compiled, and takes manifests as they are. Errors are in the session's
/// sink; then the sets are not all.
Wanted read_wanted(Session& session, const WantedRequest& request);

/// The first line of a spec that a field comes from, as `spec.yaml:6:10`; "" where none is known.
/// `field` is a path with names of items: `spec.containers[main].image`.
std::string spec_place(const WantedSet& set, const WantedObject& object, std::string_view field);

}  // namespace trainyard
