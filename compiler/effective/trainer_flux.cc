#include "effective/trainer_fold.h"

namespace trainyard {
namespace {

constexpr std::string_view kConfig = "/etc/flux-config";

struct FluxVolume {
  std::string_view name;
  std::string_view path;  // in the container of the user's code
};
constexpr FluxVolume kInstall{"flux-install", "/mnt/flux"};
constexpr FluxVolume kSoftware{"spack-install", "/opt/software"};
constexpr FluxVolume kCurve{"flux-curve", "/curve"};
constexpr FluxVolume kMemory{"shared-memory", "/dev/shm"};

/// A variable of this name chooses the image, in the runtime or, before that, in the TrainJob.
View chosen_image(TrainJobMerge& fold) {
  View found;
  const auto look = [&](View list) {
    for (View each : items_at(list, "env")) {
      if (string_at(each, "name") == "FLUX_VIEW_IMAGE" && get(each, "value")) {
        found = get(each, "value");
      }
    }
  };
  const NodeId container = fold.trainer_container();
  if (container != kNoNode) look(fold.maker.view(container));
  look(fold.trainer());
  return found;
}

/// What the user wants to run, in one text.
std::string command_of(TrainJobMerge& fold) {
  std::string text;
  const auto add = [&](View words) {
    for (View each : Items(words)) text += (text.empty() ? "" : " ") + std::string(each->text);
  };
  const NodeId container = fold.trainer_container();
  View command = get(fold.trainer(), "command");
  if (!command && container != kNoNode) command = get(fold.maker.view(container), "command");
  if (command) add(command);
  if (const View arguments = get(fold.trainer(), "args")) add(arguments);
  return text;
}

class Flux {
 public:
  explicit Flux(TrainJobMerge& fold)
      : fold_(fold),
        maker_(fold.maker),
        mark_(maker_.mark("Flux, which runs the program", get(fold.ml_policy(), "flux"))),
        config_(std::string(fold.name()) + "-flux-entrypoint") {}

  void add_to(const TrainerPodSet& set) {
    add_empty(set, kSoftware, "");
    add_empty(set, kInstall, "");
    const NodeId scripts = volume(config_);
    const NodeId map = maker_.map_at(scripts, "configMap", mark_);
    maker_.put(map, "name", config_, mark_);
    maker_.put(map, "defaultMode", maker_.number(0755, mark_));
    upsert(maker_, set.pod_spec, "volumes", scripts, same_name);
    if (has_memory()) add_empty(set, kMemory, "Memory");
    const NodeId keys = volume(kCurve.name);
    const NodeId secret = maker_.map_at(keys, "secret", mark_);
    maker_.put(secret, "secretName", std::string(fold_.name()) + "-flux-curve", mark_);
    maker_.put(secret, "defaultMode", maker_.number(0400, mark_));
    upsert(maker_, set.pod_spec, "volumes", keys, same_name);
    append_to(maker_, set.pod_spec, "initContainers", installer());
    const NodeId container = container_named(maker_, set.pod_spec, "node");
    if (container == kNoNode) return;
    add_mount(container, kInstall.name, kInstall.path, false);
    add_mount(container, kSoftware.name, kSoftware.path, false);
    add_mount(container, config_, kConfig, true);
    add_mount(container, kCurve.name, kCurve.path, true);
    if (has_memory()) add_mount(container, kMemory.name, kMemory.path, true);
  }

 private:
  bool has_memory() const { return fold_.minor >= 3; }

  NodeId volume(std::string_view name) {
    const NodeId made = maker_.map(mark_);
    maker_.put(made, "name", name, mark_);
    return made;
  }

  void add_empty(const TrainerPodSet& set, const FluxVolume& of, std::string_view medium) {
    const NodeId made = volume(of.name);
    const NodeId source = maker_.map_at(made, "emptyDir", mark_);
    if (!medium.empty()) maker_.put(source, "medium", medium, mark_);
    upsert(maker_, set.pod_spec, "volumes", made, same_name);
  }

  void add_mount(NodeId container, std::string_view name, std::string_view path, bool read_only) {
    const NodeId made = mount(maker_, name, path, mark_);
    if (read_only) maker_.put(made, "readOnly", maker_.truth(true, mark_));
    upsert(maker_, container, "volumeMounts", made, same_mount_path);
  }

  NodeId installer() {
    const NodeId made = maker_.map(mark_);
    maker_.put(made, "name", "flux-installer", mark_);
    const View image = chosen_image(fold_);
    image ? maker_.put_copy(made, "image", image)
          : maker_.put(made, "image", "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy",
                       mark_);
    for (std::string_view word : {"/bin/bash", "/etc/flux-config/init.sh"}) {
      append_to(maker_, made, "command", maker_.text(word, mark_));
    }
    add_mount(made, kInstall.name, kInstall.path, false);
    add_mount(made, config_, kConfig, true);
    return made;
  }

  TrainJobMerge& fold_;
  PodBuilder& maker_;
  OriginId mark_;
  std::string config_;
};

}  // namespace

void enforce_flux(TrainJobMerge& fold) {
  fold.maker.act_for("trainer");
  if (!integer_at(fold.trainer(), "numNodes")) {
    fold.out.failure =
        "with the policy `flux` it reads `numNodes` of `trainer`, which is not there";
    return;
  }
  fold.command = {"/bin/bash", "/etc/flux-config/entrypoint.sh", command_of(fold)};
  Flux flux(fold);
  for (const TrainerPodSet& set : fold.pod_sets) {
    if (set.name == "node") flux.add_to(set);
  }
}

}  // namespace trainyard
