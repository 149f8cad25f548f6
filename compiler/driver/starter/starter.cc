#include "driver/starter/starter.h"

#include <algorithm>

#include "diag/words.h"
#include "driver/discover/document_lines.h"
#include "spec/cluster.h"
#include "tree/embedded_tree.h"
#include "tree/scalar.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_starters();  // made by the build from templates/starters.yaml

namespace {

std::vector<Starter> read_starters(View file) {
  std::vector<Starter> all;
  for (const View each : Items(file)) {
    all.push_back({string_at(each, "framework"), string_at(each, "image"), string_at(each, "run"),
                   string_at(each, "runAlone"), string_at(each, "starts"),
                   integer_at(each, "gpus").value_or(0), string_at(each, "target")});
  }
  return all;
}

/// GPUs of a node: of the machine, or of those of the Cluster that has one sort.
std::int64_t gpus_of_node(Session& session, const StarterChoices& choices,
                          const ClusterDocument* cluster, const Starter& starter) {
  if (starter.gpus == 0) return 0;
  std::string_view name = choices.machine;
  if (name.empty() && cluster != nullptr && cluster->cluster.spec->pools->size() > 0) {
    name = *cluster->cluster.spec->pools->front()->machine;
  }
  const Machine* const machine = name.empty() ? nullptr : session.machines.find(name);
  return machine == nullptr ? starter.gpus : *machine->gpu->count;
}

/// That of the Cluster's queue, of its defaults, or of the target; Kueue else.
std::string_view queueing_system(const StarterChoices& choices, const ClusterDocument* cluster) {
  if (cluster != nullptr) {
    for (const auto& queue : *cluster->cluster.spec->queues) {
      if (*queue->name == choices.queue && queue->system) {
        return words(QueueSystem{})[static_cast<std::size_t>(*queue->system)];
      }
    }
    const auto& system = cluster->cluster.spec->defaults->scheduling->system;
    if (system) return words(SchedulingSystem{})[static_cast<std::size_t>(*system)];
  }
  if (choices.target.starts_with("runai")) return "runai";
  return choices.target == "volcano" ? "volcano" : "kueue";
}

/// The namespace of the queue, where the Cluster has no default and the call names none.
std::string name_space_of(const StarterChoices& choices, const ClusterDocument* cluster) {
  if (!choices.name_space.empty() || cluster == nullptr) return choices.name_space;
  if (cluster->cluster.spec->defaults->ns) return {};
  for (const auto& queue : *cluster->cluster.spec->queues) {
    if (*queue->name == choices.queue && queue->namespaces->size() > 0) {
      return std::string(*queue->namespaces->front());
    }
  }
  return {};
}

std::string target_of(const StarterChoices& choices, const ClusterDocument* cluster,
                      const Starter& starter) {
  if (!choices.target.empty()) return choices.target;
  if (!starter.target.empty()) return std::string(starter.target);
  return cluster == nullptr ? std::string() : std::string(*cluster->cluster.spec->defaults->target);
}

/// Whether each release of the target's system has a field for it.
bool takes_deadline(Session& session, const std::string& target) {
  if (target.empty()) return true;
  const TargetFacts* const facts = session.targets.facts(target, session.sink);
  return facts == nullptr || std::ranges::find(facts->cannot, "spec.lifecycle.deadline",
                                               &Inexpressible::field) == facts->cannot.end();
}

void data_lines(const std::string& data, DocumentLines& lines) {
  if (data.empty()) return;
  if (data.find("://") == std::string::npos) {
    lines.line(1, "storage:");
    lines.line(
        2,
        "data: " +
            flow_map({{"claim", yaml_text(data)}, {"mountPath", "/data"}, {"readOnly", "true"}}),
        "a PersistentVolumeClaim of the namespace");
    return;
  }
  lines.line(1, "data:");
  lines.line(2, "inputs:", "fetched before the program starts");
  lines.entry(2, {{"uri", yaml_text(data)}, {"path", "/data"}},
              "`credentials` names a Secret, if it needs one");
}

}  // namespace

const std::vector<Starter>& starters() {
  static const Tree tree = embedded_tree(embedded_starters(), "starters.yaml");
  static const std::vector<Starter> all = read_starters({tree, tree.root()});
  return all;
}

const Starter* find_starter(std::string_view framework) {
  const auto found = std::ranges::find(starters(), framework, &Starter::framework);
  return found == starters().end() ? nullptr : &*found;
}

std::string starter_spec(Session& session, const StarterChoices& choices,
                         const ClusterDocument* cluster) {
  const Starter& starter = *find_starter(choices.framework);
  DocumentLines lines;
  lines.comment(0,
                "A training job. `trainyard explain spec.run` and the like describe each field.");
  lines.line(0, "apiVersion: trainyard/v1alpha1");
  lines.line(0, "kind: TrainingJob");
  lines.line(0, "metadata:");
  lines.line(1, "name: " + yaml_text(choices.name), "the objects are named by it");
  const std::string name_space = name_space_of(choices, cluster);
  if (!name_space.empty()) lines.line(1, "namespace: " + yaml_text(name_space));
  lines.line(0, "spec:");
  lines.line(1, "framework: " + yaml_text(choices.framework), "tells ranks how to meet");
  const bool has_image = !choices.image.empty();
  const std::string image(has_image ? choices.image : starter.image);
  lines.line(1, "image: " + (plain_is_string(image) ? image : quoted(image)),
             has_image ? "" : "yours, with the program in it");
  const bool is_alone = choices.nodes == "1" && !starter.run_alone.empty();
  lines.line(1, "run: " + std::string(is_alone ? starter.run_alone : starter.run), starter.starts);
  lines.line(1, "nodes: " + choices.nodes);
  const std::int64_t gpus = gpus_of_node(session, choices, cluster, starter);
  if (gpus > 0) lines.line(1, "gpusPerNode: " + std::to_string(gpus));
  if (gpus == 0) lines.line(1, "resources: {cpu: 4, memory: 16Gi}", "of each node");
  if (!choices.machine.empty()) {
    lines.line(1, "machine: " + yaml_text(choices.machine), "brings its fabric along");
  }
  const std::string target = choices.target.empty() ? std::string(starter.target) : choices.target;
  if (!target.empty()) {
    lines.line(1, "target: " + yaml_text(target), "`trainyard list targets` shows others");
  }
  if (!choices.queue.empty()) {
    lines.line(
        1, "scheduling: " + flow_map({{"system", std::string(queueing_system(choices, cluster))},
                                      {"queue", yaml_text(choices.queue)}}));
  }
  data_lines(choices.data, lines);
  if (takes_deadline(session, target_of(choices, cluster, starter))) {
    lines.line(1, "lifecycle: {deadline: 1d}", "a job that hangs ends after a day");
  }
  lines.line(1, "security: {level: baseline}", "`restricted` if the image does not start as root");
  return laid_out(lines.text());
}

}  // namespace trainyard
