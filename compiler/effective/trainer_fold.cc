#include "effective/trainer_fold.h"

#include "source/characters.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

bool names_gpu(std::string_view resource) {
  const std::string lower = lower_case(resource);
  return lower.find("gpu") != std::string::npos;
}

std::int64_t gpus_in(View resources) {
  if (!resources || !resources->is_map()) return 0;
  for (View each : Items(resources)) {
    if (!names_gpu(each->key)) continue;
    const auto amount = Quantity::parse(each->text);
    return amount ? amount->whole_units().value_or(0) : 0;
  }
  return 0;
}

}  // namespace

TrainerPodSet* TrainJobMerge::by_ancestor(std::string_view ancestor) {
  for (TrainerPodSet& each : pod_sets) {
    if (each.ancestor == ancestor) return &each;
  }
  return nullptr;
}

TrainerPodSet* TrainJobMerge::by_name(std::string_view wanted) {
  for (TrainerPodSet& each : pod_sets) {
    if (each.name == wanted) return &each;
  }
  return nullptr;
}

NodeId TrainJobMerge::trainer_container() {
  const TrainerPodSet* set = by_ancestor("trainer");
  return set == nullptr ? kNoNode : container_named(maker, set->pod_spec, "node");
}

View TrainJobMerge::resources_per_node() {
  if (const View given = get(trainer(), "resourcesPerNode")) return given;
  for (const TrainerPodSet& each : pod_sets) {
    if (each.name != "node" && each.ancestor != "trainer") continue;
    const NodeId container = container_named(maker, each.pod_spec, "node");
    if (container != kNoNode) return get(maker.view(container), "resources");  // also none
  }
  return {};
}

std::int64_t TrainJobMerge::gpus_per_node() {
  const View resources = resources_per_node();
  const std::int64_t requested = gpus_in(get(resources, "requests"));
  return requested != 0 ? requested : gpus_in(get(resources, "limits"));
}

void TrainJobMerge::upsert_index_env(NodeId container, std::string_view name,
                                     std::string_view why) {
  upsert_env(container,
             field_variable(maker, name,
                            "metadata.annotations['batch.kubernetes.io/job-completion-index']",
                            maker.mark(why)));
}

void TrainJobMerge::upsert_trainer_env(NodeId container) {
  for (View each : items_at(trainer(), "env")) {
    if (each->is_map()) upsert_env(container, maker.copy(each));
  }
}

void TrainJobMerge::upsert_trainer_port(NodeId container) {
  const OriginId mark = maker.mark("port at which ranks meet");
  upsert(maker, container, "ports", port(maker, "", kTrainerPort, mark), same_port);
}

std::string TrainJobMerge::first_node() const {
  return std::string(name()) + "-node-0-0." + std::string(name());
}

}  // namespace trainyard
