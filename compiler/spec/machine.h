#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "spec/cluster.h"
#include "spec/located.h"
#include "spec/training_job.h"
#include "tree/tree.h"

/// The machine catalogue: schemas/trainyard/v1alpha1/MachineCatalogue.yaml says what each field
/// means, templates/machines/ holds the data.
namespace trainyard {

enum class Architecture : std::uint8_t { Amd64, Arm64 };
std::span<const std::string_view> words(Architecture);

struct MachineGpu {
  Text model;
  Text product;
  Integer count;
  QuantityText memory;  // of one GPU
  Text resource;
};

struct Allocatable {
  QuantityText cpu;
  QuantityText memory;
};

/// One machine type. What is not given is not known.
struct Machine {
  Text name;
  TextList aliases;
  Located<MachineGpu> gpu;
  QuantityText cpu;
  QuantityText memory;
  Located<Allocatable> allocatable;
  Located<Architecture> architecture;
  Text fabric;
  Text underlay;
  Integer nics;
  Integer gbps;
  IntegerMap resources;  // fabric devices of a pod on a whole node
  IntegerMap claims;     // the same through DRA, by device class
  Flag whole_node;
  Integer nvlink_nodes;
  TextMap node_selector;
  Shape taints;  // list of core/v1 Taint
  Text remarks;
  Text source;
};

/// How a provider marks the nodes that are bought in one way.
struct MachineCapacity {
  Located<CapacityKind> kind;
  TextMap labels;
  Shape taints;            // list of core/v1 Taint
  Text reservation_label;  // its value is the name of the reservation
};

struct MachineSpec {
  Text source;
  TopologyLevels topology;
  Shape taints;  // list of core/v1 Taint
  Located<std::vector<Located<MachineCapacity>>> capacity;
  Located<std::vector<Located<Machine>>> machines;
};

struct MachineCatalogue {
  Text api_version;
  Text kind;
  Located<Metadata> metadata;
  Located<MachineSpec> spec;
};

/// As decode_training_job.
MachineCatalogue decode_machine_catalogue(const Tree& tree, NodeId root, Sink& sink);

/// The machine with this name or alias, or nothing.
const Machine* find_machine(const MachineCatalogue& catalogue, std::string_view name);

/// The fields that are decoded, for the comparison with the schema.
const FieldTable& machine_catalogue_fields();

}  // namespace trainyard
