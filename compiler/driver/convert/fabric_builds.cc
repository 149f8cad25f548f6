#include "driver/convert/fabric_builds.h"

#include <algorithm>

#include "diag/words.h"
#include "driver/build/compile_once.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::string_view kTarget = "job";

template <class Use>
void each_container(View pod_template, Use use) {
  const View spec = get(pod_template, "spec");
  for (std::string_view list : {"containers", "initContainers"}) {
    for (View each : items_at(spec, list)) use(each);
  }
}

/// An image of this repository, whatever its tag.
bool runs_image(View pod_template, std::string_view repository) {
  bool found = false;
  each_container(pod_template, [&](View container) {
    const std::string_view image = string_at(container, "image");
    if (!image.starts_with(repository)) return;
    const std::string_view rest = image.substr(repository.size());
    found = found || rest.empty() || rest.starts_with(':') || rest.starts_with('@');
  });
  return found;
}

bool requests(View pod_template, std::string_view resource) {
  bool found = false;
  each_container(pod_template, [&](View container) {
    found = found || get(get(get(container, "resources"), "limits"), resource);
  });
  return found;
}

bool sets(View pod_template, std::string_view name, std::string_view value) {
  bool found = false;
  each_container(pod_template, [&](View container) {
    for (View each : items_at(container, "env")) {
      found = found || (string_at(each, "name") == name && string_at(each, "value") == value);
    }
  });
  return found;
}

bool says(View pod_template, std::string_view text) {
  bool found = false;
  each_container(pod_template, [&](View container) {
    for (std::string_view list : {"command", "args"}) {
      for (View each : items_at(container, list)) {
        found = found || each->text.find(text) != std::string_view::npos;
      }
    }
  });
  return found;
}

/// A volume of the node at one of the paths of `volumes`.
bool mounts_path_of(View pod_template, View volumes) {
  const auto path = [](View volume) { return string_at(get(volume, "hostPath"), "path"); };
  for (View each : items_at(get(pod_template, "spec"), "volumes")) {
    if (path(each).empty()) continue;
    for (View known : Items(volumes)) {
      if (path(known) == path(each)) return true;
    }
  }
  return false;
}

bool has_labels(View pod_template, const TextMap& labels) {
  const View selector = get(get(pod_template, "spec"), "nodeSelector");
  return std::ranges::all_of(
      *labels, [&](const auto& each) { return string_at(selector, each.key) == *each.value; });
}

/// The pods of the one Job that a build made.
View pod_template_of(const ObjectSet& objects) {
  for (const Object& each : objects.objects) {
    if (each.kind != "Job") continue;
    return get(get(View(objects.tree, each.root), "spec"), "template");
  }
  return {};
}

/// From now on the values come from nowhere.
void forget_places(Tree& tree, NodeId id) {
  tree[id].origin = kNoOrigin;
  tree[id].span = {};
  tree[id].key_span = {};
  for (NodeId child : tree.children(id)) forget_places(tree, child);
}

View keep(Tree& tree, View value) {
  if (!value) return {};
  const NodeId copy = tree.copy(value.tree(), value.id());
  forget_places(tree, copy);
  return {tree, copy};
}

/// The spec of a trial, as JSON.
std::string spec_of(const FabricTrial& trial, bool with_fabric) {
  std::string text =
      R"({"apiVersion":"trainyard/v1alpha1","kind":"TrainingJob","metadata":{"name":)";
  text += quoted(trial.job) + R"(},"spec":{"image":"trial","framework":"none","run":)";
  text += R"({"command":["trial"]},"nodes":)" + std::to_string(trial.pods);
  text += R"(,"gpusPerNode":)" + std::to_string(trial.gpus);
  if (with_fabric && !trial.place.machine.empty()) {
    text += R"(,"machine":)" + quoted(trial.place.machine);
  }
  if (with_fabric && !trial.place.pool.empty()) text += R"(,"pool":)" + quoted(trial.place.pool);
  text += R"(,"security":{"level":)" + quoted(trial.level) + "}";
  text += R"(,"network":{"fabric":)" + quoted(with_fabric ? trial.fabric : "none");
  if (trial.host_network) text += R"(,"hostNetwork":true)";
  text += "}";
  const auto map = [&](std::string_view name, const auto& entries) {
    text += "," + quoted(name) + ":{";
    bool first = true;
    for (const auto& [key, value] : entries) {
      text += (first ? "" : ",") + quoted(key) + ":" + quoted(value);
      first = false;
    }
    text += "}";
  };
  if (!trial.env.empty()) map("env", trial.env);
  std::string resources;
  std::vector<std::pair<std::string, std::string>> amounts;
  if (!trial.cpu.empty()) amounts.emplace_back("cpu", trial.cpu);
  if (!trial.memory.empty()) amounts.emplace_back("memory", trial.memory);
  if (!amounts.empty() || !trial.extended.empty()) {
    text += R"(,"resources":{"sharedMemory":"0")";
    for (const auto& [key, value] : amounts) text += "," + quoted(key) + ":" + quoted(value);
    if (!trial.extended.empty()) map("extended", trial.extended);
    text += "}";
  }
  return text + "}}";
}

/// The first error, without what comes before the reason.
std::string first_error(const Sink& sink) {
  for (const Diagnostic& each : sink.sorted()) {
    if (each.severity == Severity::Error) return each.message;
  }
  return "a build refuses it";
}

}  // namespace

const FabricSettings* FabricBuilds::settings(std::string_view fabric) const {
  if (cluster_ == nullptr) return nullptr;
  const auto* found = find(*cluster_->cluster.spec->network->fabrics, fabric);
  return found == nullptr ? nullptr : &**found;
}

std::string FabricBuilds::evidence(std::string_view fabric, const FabricProfile& profile,
                                   View pod_template) const {
  if (profile.sidecar && runs_image(pod_template, *profile.sidecar->image)) {
    return "the image " + code(*profile.sidecar->image);
  }
  if (profile.nccl_profile && says(pod_template, *profile.nccl_profile)) {
    return "the settings " + code(*profile.nccl_profile);
  }
  const FabricSettings* own = settings(fabric);
  if (own != nullptr && own->resource && requests(pod_template, *own->resource)) {
    return "the resource " + code(*own->resource);
  }
  if (profile.resource && profile.resource->name &&
      requests(pod_template, *profile.resource->name)) {
    return "the resource " + code(*profile.resource->name);
  }
  for (const auto& each : *profile.env) {
    if (sets(pod_template, each.key, *each.value)) {
      return "the variable " + code(std::string(each.key) + "=" + std::string(*each.value));
    }
  }
  return {};
}

bool FabricBuilds::has_any(std::string_view, const FabricProfile& profile,
                           View pod_template) const {
  const View annotations = get(get(pod_template, "metadata"), "annotations");
  if (profile.networks && get(annotations, *profile.networks->annotation)) return true;
  const bool claims = !profile.device_claims->empty() || profile.nvlink_domain.value_or(false);
  if (claims && has_items(get(get(pod_template, "spec"), "resourceClaims"))) return true;
  if (profile.volumes) {
    const Tree* tree = session_.fabrics.tree(profile.volumes.span.file);
    if (tree != nullptr && mounts_path_of(pod_template, View(*tree, profile.volumes.node))) {
      return true;
    }
  }
  return std::ranges::any_of(
      *profile.tuning, [&](const auto& each) { return sets(pod_template, each.key, *each.value); });
}

std::vector<FabricMark> FabricBuilds::marks(View pod_template) {
  std::vector<FabricMark> result;
  for (const std::string& name : session_.fabrics.names()) {
    const Fabric* fabric = session_.fabrics.find(name);
    if (fabric == nullptr) continue;
    bool any = false;
    std::string evidence_of;
    for (const auto& profile : *fabric->spec->profiles) {
      if (evidence_of.empty()) evidence_of = evidence(name, *profile, pod_template);
      any = any || has_any(name, *profile, pod_template);
    }
    if (any || !evidence_of.empty()) result.push_back({name, evidence_of});
  }
  return result;
}

bool FabricBuilds::has_fabric(const Machine& machine, std::string_view fabric) const {
  return *machine.fabric == fabric || *machine.underlay == fabric;
}

std::vector<FabricPlace> FabricBuilds::places(View pod_template, std::string_view fabric) {
  std::vector<FabricPlace> result;
  if (cluster_ != nullptr) {
    for (const auto& pool : *cluster_->cluster.spec->pools) {
      const Machine* machine = pool->machine ? session_.machines.find(*pool->machine) : nullptr;
      const Text& own = pool->network->fabric;
      const bool has = (own && *own == fabric) || (machine && has_fabric(*machine, fabric));
      const bool labelled = !pool->labels->empty() && has_labels(pod_template, pool->labels);
      if (has && labelled) result.push_back({{}, std::string(*pool->name)});
    }
  }
  // Machines are known by labels of nodes; a pod that names none needs no look at them.
  if (has_items(get(get(pod_template, "spec"), "nodeSelector"))) {
    const std::size_t pools = result.size();
    for (const auto& catalogue : session_.machines.all()) {
      for (const auto& machine : *catalogue->spec->machines) {
        const bool has = has_fabric(*machine, fabric) && !machine->node_selector->empty();
        if (has && has_labels(pod_template, machine->node_selector)) {
          result.push_back({std::string(*machine->name), {}});
        }
      }
    }
    std::sort(result.begin() + static_cast<std::ptrdiff_t>(pools), result.end(),
              [](const FabricPlace& a, const FabricPlace& b) { return a.machine < b.machine; });
  }
  result.push_back({});
  return result;
}

std::string FabricBuilds::make(const std::string& spec, Made& made) {
  Session& session = session_;
  session.sink.clear();
  const FileId file = session.sources.add("trial.yaml", spec);
  std::vector<Tree> trees = read_yaml(session.sources, file, session.sink, session.limits);
  made.document.path = "trial.yaml";
  made.document.file = file;
  if (!trees.empty()) made.document.tree = std::move(trees.front());
  if (trees.empty() ||
      compile_objects(session, made.document, cluster_, kTarget, made.built) != Reached::Objects) {
    std::string refusal = first_error(session.sink);
    session.sink.clear();
    return refusal;
  }
  return {};
}

std::unique_ptr<FabricBuild> FabricBuilds::build(const FabricTrial& trial) {
  auto result = std::make_unique<FabricBuild>();
  // Trials of one job differ by fabric and place: without those most are the same.
  constexpr std::size_t kMostKept = 8;  // one job makes no more
  if (without_.size() == kMostKept) without_.clear();
  std::string plain = spec_of(trial, false);
  const auto [known, is_new] = without_.try_emplace(std::move(plain));
  Made& without = known->second;
  if (is_new) without.refusal = make(known->first, without);
  result->refusal = without.refusal;
  if (result->refusal.empty()) result->refusal = make(spec_of(trial, true), with_);
  if (!result->refusal.empty()) return result;
  result->without = keep(result->tree, pod_template_of(without.built.objects));
  result->with = keep(result->tree, pod_template_of(with_.built.objects));
  const auto is_plain = [&](const Object& each) {
    return std::ranges::any_of(without.built.objects.objects, [&](const Object& other) {
      return other.kind == each.kind && other.name == each.name;
    });
  };
  const ObjectSet& objects = with_.built.objects;
  for (const Object& each : objects.objects) {
    if (is_plain(each)) continue;
    result->objects.push_back(keep(result->tree, View(objects.tree, each.root)));
  }
  return result;
}

}  // namespace trainyard
