#include <map>
#include <optional>
#include <string>

#include "platform/platform.h"
#include "platform/pools.h"
#include "source/sha256.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

constexpr std::string_view kMigLabel = "nvidia.com/mig.config";
constexpr std::string_view kPluginLabel = "nvidia.com/device-plugin.config";
constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kAllNodes = "all-nodes";

/// The name under which nodes of a pool pick a configuration: by a label that the platform
/// team puts on them.
std::string_view picked_by(PlatformContext& context, const Pool& pool, std::string_view label) {
  if (const Text* said = find(*pool.labels, label)) return **said;
  context.report(DiagnosticKind::LeftToDo, pool.name.span,
                 "the nodes of the pool " + code(*pool.name) + " need the label " +
                     code(std::string(label) + "=" + std::string(*pool.name)));
  return *pool.name;
}

/// A document for a program, which is a text to Kubernetes.
class Document {
 public:
  Document() : root_(tree_.add_map(kNoOrigin)) { text(root_, "version", "v1"); }

  NodeId map(NodeId parent, std::string_view key) {
    return put(parent, key, tree_.add_map(kNoOrigin));
  }
  NodeId list(NodeId parent, std::string_view key) {
    return put(parent, key, tree_.add_seq(kNoOrigin));
  }
  NodeId item(NodeId list) {
    const NodeId made = tree_.add_map(kNoOrigin);
    tree_.append(list, made);
    return made;
  }
  void text(NodeId map, std::string_view key, std::string_view value) {
    put(map, key, tree_.add_string(value, kNoOrigin));
  }
  void number(NodeId map, std::string_view key, std::int64_t value) {
    put(map, key, tree_.add_int(value, kNoOrigin));
  }
  void flag(NodeId map, std::string_view key, bool value) {
    put(map, key, tree_.add_bool(value, kNoOrigin));
  }
  NodeId root() const { return root_; }
  std::string written() const {
    std::string result;
    write_yaml(tree_, root_, result);
    return result;
  }

 private:
  NodeId put(NodeId map, std::string_view key, NodeId value) {
    tree_.append(map, key, value);
    return value;
  }

  Tree tree_;
  NodeId root_;
};

/// A ConfigMap whose name changes with its content: the operator does not watch it.
Field<std::string_view> add_config(PlatformContext& context, std::string_view prefix,
                                   const std::map<std::string, std::string>& files,
                                   std::initializer_list<Span> because) {
  std::string content;
  for (const auto& [name, text] : files) content += name + '\n' + text + '\n';
  OperatorConfigPlan made;
  made.name = context.computed(
      context.text(std::string(prefix) + "-" + sha256_hex(content).substr(0, 8)), because);
  const Text& ns = context.cluster.gpu->ns;
  made.ns =
      ns ? context.given(ns)
         : Field<std::string_view>{
               "gpu-operator",
               context.because({context.origins.add(OriginKind::Default, {}, "gpu.namespace")}),
               true};
  for (const auto& [name, text] : files) {
    made.data.push_back({context.text(name), context.text(text), made.name.origin});
  }
  context.plan.operator_configs.push_back(made);
  return context.plan.operator_configs.back().name;
}

/// GPUs of one node, where that is known.
std::optional<std::int64_t> gpus_of(PlatformContext& context, const Pool& pool) {
  if (pool.gpu->count) return *pool.gpu->count;
  const Machine* machine = context.in.machines->find(*pool.machine);
  if (machine == nullptr || !machine->gpu->count) return std::nullopt;
  return *machine->gpu->count;
}

/// The same slices on every GPU, as NVIDIA/mig-parted's configurations are for `devices: all`.
bool add_mig(PlatformContext& context, const Pool& pool, Document& document, NodeId configs) {
  const auto gpus = gpus_of(context, pool);
  for (const auto& slices : *pool.gpu->mig) {
    if (gpus && *gpus > 0 && *slices.value % *gpus == 0) continue;
    context
        .report(DiagnosticKind::NotExpressible, slices.value.span,
                code(slices.key) + " " + code(std::to_string(*slices.value)) +
                    " times on a node is not the same on each of its " +
                    (gpus ? std::to_string(*gpus) + " GPUs"
                          : std::string("GPUs, whose number is unknown")))
        .note("a configuration of the MIG manager is written for all GPUs of a node alike");
    return false;
  }
  const NodeId config = document.list(configs, picked_by(context, pool, kMigLabel));
  const NodeId row = document.item(config);
  document.text(row, "devices", "all");
  document.flag(row, "mig-enabled", true);
  const NodeId devices = document.map(row, "mig-devices");
  for (const auto& slices : *pool.gpu->mig) {
    if (*slices.value > 0) document.number(devices, slices.key, *slices.value / *gpus);
  }
  return true;
}

/// NVIDIA/mig-parted api/spec/v1. `all-disabled` is what nodes without a label get.
void mig_manager(PlatformContext& context) {
  Document document;
  const NodeId configs = document.map(document.root(), "mig-configs");
  const NodeId disabled = document.item(document.list(configs, "all-disabled"));
  document.text(disabled, "devices", "all");
  document.flag(disabled, "mig-enabled", false);
  Span first;
  for (const auto& pool : *context.cluster.pools) {
    if (!pool->gpu->mig) continue;
    if (!add_mig(context, *pool, document, configs)) continue;
    if (!first.known()) first = pool->gpu->mig.span;
  }
  if (!first.known()) return;
  context.plan.gpu_policy.mig_config =
      add_config(context, "trainyard-mig", {{"config.yaml", document.written()}}, {first});
}

/// NVIDIA/k8s-device-plugin api/config/v1.
void add_sharing(const PlatformContext& context, const Sharing& sharing, Document& document) {
  const bool mps = *sharing.mode == SharingMode::Mps;
  const NodeId how =
      document.map(document.map(document.root(), "sharing"), mps ? "mps" : "timeSlicing");
  if (sharing.rename_by_default) document.flag(how, "renameByDefault", *sharing.rename_by_default);
  // Under MPS such requests always fail.
  if (sharing.fail_requests_greater_than_one && !mps) {
    document.flag(how, "failRequestsGreaterThanOne", *sharing.fail_requests_greater_than_one);
  }
  const NodeId resource = document.item(document.list(how, "resources"));
  document.text(resource, "name", context.cluster.gpu->resource.value_or(kGpu));
  document.number(resource, "replicas", *sharing.replicas);
}

void device_plugin(PlatformContext& context) {
  const ClusterGpu& gpu = *context.cluster.gpu;
  std::map<std::string, std::string> files;
  Span first;
  const auto note = [&](Span place) {
    if (!first.known()) first = place;
  };
  if (gpu.sharing) {
    Document document;
    add_sharing(context, *gpu.sharing, document);
    files.emplace(kAllNodes, document.written());
    note(gpu.sharing.span);
  }
  for (const auto& pool : *context.cluster.pools) {
    const auto& strategy = pool->gpu->mig_strategy;
    const bool other = strategy && *strategy != gpu.mig_strategy.value_or(MigStrategy::Single);
    if (!other && !pool->gpu->sharing) continue;
    Document document;
    if (other) {
      document.text(document.map(document.root(), "flags"), "migStrategy",
                    words(*strategy)[static_cast<std::size_t>(*strategy)]);
      note(strategy.span);
    }
    if (const Located<Sharing>* sharing = sharing_of(context.cluster, *pool)) {
      add_sharing(context, **sharing, document);
      note(sharing->span);
    }
    files.emplace(picked_by(context, *pool, kPluginLabel), document.written());
  }
  Tree& tree = context.plan.tree;
  Fragment& told = context.plan.gpu_policy.device_plugin;
  const OriginId nothing = context.plan.gpu_policy.wanted.origin;
  told = {tree.add_map(nothing), nothing, true};
  if (files.empty()) return;
  const auto name = add_config(context, "trainyard-device-plugin", files, {first});
  const NodeId config = tree.add_map(name.origin);
  tree.append(*told, "config", config);
  tree.append(config, "name", tree.add_string(*name, name.origin));
  if (gpu.sharing) {
    tree.append(config, "default", tree.add_string(kAllNodes, context.from(gpu.sharing.span)));
  }
}

/// Whether the Cluster says anything that the operator has to be told.
Span reason(const ClusterSpec& cluster) {
  const ClusterGpu& gpu = *cluster.gpu;
  if (gpu.mig_strategy) return gpu.mig_strategy.span;
  if (gpu.sharing) return gpu.sharing.span;
  if (gpu.cdi) return gpu.cdi.span;
  for (const auto& pool : *cluster.pools) {
    if (pool->gpu->mig) return pool->gpu->mig.span;
    if (pool->gpu->sharing) return pool->gpu->sharing.span;
    if (pool->gpu->mig_strategy) return pool->gpu->mig_strategy.span;
  }
  return {};
}

void run(PlatformContext& context) {
  // Only where it is named: GPUs can be offered without the operator.
  if (!operator_version(*context.in.cluster, Operator::GpuOperator)) return;
  const Span why = reason(context.cluster);
  if (!why.known()) return;
  GpuPolicyPlan& policy = context.plan.gpu_policy;
  const ClusterGpu& gpu = *context.cluster.gpu;
  policy.wanted = context.computed(true, {why});
  if (const auto& strategy = gpu.mig_strategy) {
    policy.mig_strategy = {words(*strategy)[static_cast<std::size_t>(*strategy)],
                           context.from(strategy.span), true};
  }
  policy.cdi = context.given(gpu.cdi);
  mig_manager(context);
  device_plugin(context);
}

}  // namespace

extern const PlatformStep gpu_operator_step{
    "platform-gpu-operator",
    "The GPU Operator cuts and shares GPUs as the Cluster says that they are cut and shared.", run};

}  // namespace trainyard
