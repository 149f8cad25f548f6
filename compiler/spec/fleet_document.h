#pragma once

#include <vector>

#include "diag/sink.h"
#include "spec/field_table.h"
#include "spec/located.h"
#include "tree/tree.h"

namespace trainyard {

// A Fleet document as it was written. What each field means is in
// schemas/trainyard/v1alpha1/Fleet.yaml.

struct FleetMetadata {
  Text name;
};

struct FleetCluster {
  Text file;
  TextList specs;
  TextList overlays;
};

struct Chain {
  Text name;
  TextList steps;
  Duration timeout;
};

struct Team {
  Text name;
  TextList namespaces;
  TextList specs;
  TextList overlays;
  TextList policies;
  Text service_account;
  Located<std::vector<Located<Chain>>> chains;
};

struct FleetSpec {
  Text rendered;
  Located<std::vector<Located<FleetCluster>>> clusters;
  Located<std::vector<Located<Team>>> teams;
};

struct Fleet {
  Text api_version;
  Text kind;
  Located<FleetMetadata> metadata;
  Located<FleetSpec> spec;
};

/// As decode_training_job.
Fleet decode_fleet(const Tree& tree, NodeId root, Sink& sink);

/// The fields that are decoded, for the comparison with the schema.
const FieldTable& fleet_fields();

}  // namespace trainyard
