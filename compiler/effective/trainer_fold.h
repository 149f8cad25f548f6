#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "effective/fold_train_job.h"
#include "effective/pod_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// A replicated job while a TrainJob is folded into it.
struct TrainerPodSet {
  NodeId replicated_job = kNoNode;
  NodeId pod_spec = kNoNode;
  std::string name;
  std::string ancestor;  // the step that its label names: `trainer`
  std::int64_t count = 1;
  View counted_by;  // where the count stands
};

/// What the policies of the Trainer work on.
struct TrainJobMerge {
  PodBuilder& maker;
  const TrainJobInput& input;
  FoldedTrainJob& out;
  int minor = 3;  // release 2.x of the Trainer
  NodeId job_set_spec = kNoNode;
  std::vector<TrainerPodSet> pod_sets = {};
  std::vector<std::string> command_end = {};  // what is put behind the TrainJob's command
  std::vector<std::string> command = {};      // what stands for command and arguments, if anything

  View spec() const { return get(input.train_job, "spec"); }
  View trainer() const { return get(spec(), "trainer"); }
  View ml_policy() const { return get(get(input.runtime, "spec"), "mlPolicy"); }
  std::string_view name() const { return string_at(get(input.train_job, "metadata"), "name"); }

  TrainerPodSet* by_ancestor(std::string_view ancestor);
  TrainerPodSet* by_name(std::string_view name);
  /// The container of the user's code: `node` in the step `trainer`; kNoNode when there is none.
  NodeId trainer_container();
  /// What a node has: the TrainJob's `resourcesPerNode`, else what the runtime says.
  View resources_per_node();
  /// The amount of the resource whose name has `gpu` in it.
  std::int64_t gpus_per_node();

  void upsert_env(NodeId container, NodeId variable) {
    upsert(maker, container, "env", variable, same_name);
  }
  void upsert_env(NodeId container, std::string_view name, std::string_view value,
                  std::string_view why, View led_by = {}) {
    upsert_env(container, variable(maker, name, value, maker.mark(why, led_by)));
  }
  /// One whose value is the index of the pod.
  void upsert_index_env(NodeId container, std::string_view name, std::string_view why);
  void upsert_trainer_env(NodeId container);
  void upsert_trainer_port(NodeId container);
  /// `train-node-0-0.train`
  std::string first_node() const;
};

inline constexpr std::int64_t kTrainerPort = 29500;

inline bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Lets the policy of the runtime set counts, variables and volumes.
void enforce_ml_policy(TrainJobMerge& fold);

/// Flux runs the program: a container that brings it, volumes, and a command around the user's.
/// kubeflow/trainer pkg/runtime/framework/plugins/flux/flux.go
void enforce_flux(TrainJobMerge& fold);

/// What `tune run` is called with in addition: its recipe, its config and where ranks meet.
/// kubeflow/trainer pkg/runtime/framework/plugins/torch/torchtune.go
std::vector<std::string> torchtune_arguments(TrainJobMerge& fold, std::int64_t nodes,
                                             const std::string& processes);

}  // namespace trainyard
