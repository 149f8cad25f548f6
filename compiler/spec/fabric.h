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

/// A network between GPUs: schemas/trainyard/v1alpha1/Fabric.yaml says what each field means,
/// templates/fabrics/ holds the data.
namespace trainyard {

/// How an annotation lists networks.
enum class NetworksFormat : std::uint8_t { Interfaces, List };
std::span<const std::string_view> words(NetworksFormat);

/// Where the fabric works.
struct FabricNeeds {
  Flag whole_node;
  Integer gpus;
  Text kubernetes;
  Text source;
};

/// A version of the node's software, with what must go with it.
struct FabricVersion {
  Text version;
  Text sidecar_tag;
  TextList sidecar_args;
  Text nccl;
  Text remarks;
};

struct FabricVersions {
  Located<std::vector<Located<FabricVersion>>> known;  // oldest first
  Text source;
};

/// A variable that must not be; `name` may end with `*`.
struct RefusedVariable {
  Text name;
  Text value;
  Text because;
  Text source;
};

struct FabricNetworks {
  Text annotation;
  Located<NetworksFormat> format;
  Text default_annotation;
  Text default_interface;
  Text default_network;
  Integer first;
  Integer extra;
  Integer count;
  Flag required;
  Text source;
};

struct FabricResource {
  Text name;
  Located<FabricCount> count;
  Text source;
};

struct FabricDeviceClaim {
  Text name;
  Text device_class;
  Integer count;
  Text source;
};

struct FabricDevices {
  Text annotation;
  TextList paths;
};

struct FabricSidecar {
  Text name;
  Text image;
  Located<ImagePullPolicy> image_pull_policy;
  TextList command;
  TextList args;
  TextMap env;
  TextList capabilities;
  Flag privileged;
  Located<FabricDevices> devices;
  Shape mounts;  // list of core/v1 VolumeMount
  Text source;
};

/// A patch to the pods of a job, and where it fits.
struct FabricProfile {
  Text name;
  TextList machines;
  Flag host_network;
  Flag claims;
  TextList builds;  // oldest ones of Kubernetes, one for each minor release
  Located<FabricNetworks> networks;
  Located<FabricResource> resource;
  Located<std::vector<Located<FabricDeviceClaim>>> device_claims;
  Flag nvlink_domain;
  Located<FabricSidecar> sidecar;
  Shape volumes;  // list of core/v1 Volume
  Shape mounts;   // list of core/v1 VolumeMount
  TextList library_path;
  TextMap env;
  TextMap tuning;
  Text interface;
  TextList capabilities;
  Flag privileged;
  Text nccl_profile;
  Text remarks;
  Text source;
};

struct FabricSpec {
  Text summary;
  Text source;
  Text nccl_network;
  Located<FabricNeeds> needs;
  Located<FabricVersions> versions;
  Located<std::vector<Located<RefusedVariable>>> refuses;
  Located<std::vector<Located<FabricProfile>>> profiles;
};

struct Fabric {
  Text api_version;
  Text kind;
  Located<Metadata> metadata;
  Located<FabricSpec> spec;
};

/// As decode_training_job.
Fabric decode_fabric(const Tree& tree, NodeId root, Sink& sink);

/// The fields that are decoded, for the comparison with the schema.
const FieldTable& fabric_fields();

}  // namespace trainyard
