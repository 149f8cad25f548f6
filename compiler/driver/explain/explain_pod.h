#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/explain/pod_level.h"
#include "driver/session/session.h"

namespace trainyard {

struct ExplainPodRequest {
  std::vector<std::string> inputs;    // files, directories, `-`
  std::string cluster;                // its versions and runtimes count; "" for none
  std::string target;                 // overrides that of specs; "" for none
  std::string kubernetes;             // has the form of a version; "" for the Cluster's
  std::string name;                   // of the job, when there are several; "" for the only one
  std::string role;                   // "" for the one that trains
  std::optional<std::int64_t> index;  // of the pod in its role; else the first
};

/// Something that the pod has because a controller added it.
struct InjectedValue {
  std::string path;     // in the pod
  std::string because;  // `training-operator: rank of this replica`
};

struct ExplainedPod {
  std::string text;  // YAML with comments, for people
  std::string json;  // the pod alone
  std::string job;   // `PyTorchJob/train`
  std::string role;
  std::int64_t index = 0;
  std::string name;
  std::string hostname;
  std::string address;
  std::vector<InjectedValue> injected;
  std::vector<std::string> notes;
  PodLevel security;  // that the namespace must let in
};

/// The pod that the controllers will make from a job of the input, whichever kind it has: what they
/// add is marked, and variables stand in their final order. Nothing, with errors in the session's
/// sink, when there is no such pod.
std::optional<ExplainedPod> explain_pod(Session& session, const ExplainPodRequest& request);

}  // namespace trainyard
