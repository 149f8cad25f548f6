#include "driver/session/cluster_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

using Names = std::vector<std::string_view>;

void unknown(Session& session, DiagnosticKind kind, const Text& name, std::string_view what,
             const Names& known) {
  const std::string quoted = "`" + std::string(*name) + "`";
  Diagnostic& report =
      session.sink.report(kind, name.span, "there is no " + std::string(what) + " " + quoted);
  const std::string likely = guess(*name, known);
  const auto typo = suggest(*name, known);
  if (const auto near = typo ? typo : suggest_whole(*name, known)) {
    report.fix(name.span, std::string(*near), "did you mean `" + std::string(*near) + "`?");
  } else if (!likely.empty()) {
    report.note(likely);
  }
}

void check_machines(Session& session, const ClusterSpec& cluster) {
  for (const auto& pool : *cluster.pools) {
    if (session.machines.find(*pool->machine) != nullptr) continue;
    const std::vector<std::string> names = session.machines.names();
    unknown(session, DiagnosticKind::UnknownMachine, pool->machine, "machine",
            Names(names.begin(), names.end()));
  }
}

void check_fabric(Session& session, const Text& name) {
  const std::vector<std::string> names = session.fabrics.names();
  if (std::find(names.begin(), names.end(), *name) != names.end()) return;
  unknown(session, DiagnosticKind::UnknownReference, name, "fabric",
          Names(names.begin(), names.end()));
}

void check_fabrics(Session& session, const ClusterSpec& cluster) {
  for (const auto& pool : *cluster.pools) {
    const Text& fabric = pool->network->fabric;
    // `none` is TCP, and `auto` that of the machine.
    if (fabric && *fabric != "none" && *fabric != "auto") check_fabric(session, fabric);
  }
  for (const auto& entry : *cluster.network->fabrics) {
    Text name;
    name.value = entry.key;
    name.span = entry.key_span;
    check_fabric(session, name);
  }
}

void check_schemes(Session& session, const ClusterSpec& cluster) {
  for (const auto& entry : *cluster.data->images) {
    const std::vector<std::string> names = session.transfers.names();
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
    Text name;
    name.value = entry.key;
    name.span = entry.key_span;
    unknown(session, DiagnosticKind::UnknownReference, name, "scheme of data",
            Names(names.begin(), names.end()));
  }
}

void check_queues(Session& session, const ClusterSpec& cluster) {
  Names pools;
  for (const auto& pool : *cluster.pools) pools.push_back(*pool->name);
  for (const auto& queue : *cluster.queues) {
    for (const Text& pool : *queue->pools) {
      if (std::find(pools.begin(), pools.end(), *pool) != pools.end()) continue;
      unknown(session, DiagnosticKind::UnknownPool, pool, "pool", pools);
    }
  }
}

/// Kubernetes has a few resources of its own; all others have the name of who hands them out.
void check_resources(Session& session, const TextMap& amounts) {
  constexpr auto kOwn =
      std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage", "pods", "storage"});
  for (const auto& entry : *amounts) {
    const std::string_view name = entry.key;
    const bool is_own =
        std::ranges::find(kOwn, name) != kOwn.end() || name.starts_with("hugepages-");
    if (is_own || name.find('/') != name.npos) continue;
    Diagnostic& report = session.sink.report(DiagnosticKind::BadName, entry.key_span,
                                             code(name) + " is no resource of a node");
    if (name == "gpu" || name == "gpus") {
      report.fix(entry.key_span, "nvidia.com/gpu", "did you mean `nvidia.com/gpu`?");
    } else {
      report.note("expected `cpu`, `memory`, or a name such as `vendor.example/device`");
    }
  }
}

/// What pods can have of a node is not far more than its machine has: a wrong unit, or all nodes.
void check_allocatable(Session& session, const ClusterSpec& cluster) {
  for (const auto& pool : *cluster.pools) {
    check_resources(session, pool->allocatable);
    const Machine* machine = session.machines.find(*pool->machine);
    if (machine == nullptr) continue;
    for (const auto& [name, has] : {std::pair{std::string_view("cpu"), &machine->cpu},
                                    std::pair{std::string_view("memory"), &machine->memory}}) {
      const auto* own = find(*pool->allocatable, name);
      if (own == nullptr || !*has) continue;
      const auto wanted = Quantity::parse(**own);
      const auto most = Quantity::parse(**has);
      // A node may have more memory than its type is sold with, and not twice as much.
      if (!wanted || !most || wanted->approximate() < 2 * most->approximate()) continue;
      session.sink
          .report(DiagnosticKind::ExceedsMachine, own->span,
                  code(**own) + " is more than the machine " + code(*machine->name) + " has, " +
                      code(**has))
          .note("`allocatable` counts one node: `kubectl get node NAME -o yaml` shows it");
    }
  }
}

void check_target(Session& session, const Text& target) {
  if (!target || session.templates.find(std::string(*target) + "/target.yaml")) return;
  const std::vector<std::string> names = session.templates.targets();
  unknown(session, DiagnosticKind::UnknownTarget, target, "target",
          Names(names.begin(), names.end()));
}

void check_namespace(Session& session, const Text& name) {
  if (!name) return;
  const Fault fault = why_not_dns_label(*name);
  if (!fault) return;
  session.sink.report(DiagnosticKind::BadName, name.span,
                      "the namespace `" + std::string(*name) + "` " + *fault);
}

}  // namespace

void check_cluster(Session& session, const Cluster& cluster) {
  const ClusterSpec& spec = *cluster.spec;
  check_machines(session, spec);
  check_fabrics(session, spec);
  check_schemes(session, spec);
  check_queues(session, spec);
  check_allocatable(session, spec);
  for (const auto& queue : *spec.queues) {
    check_resources(session, queue->quota);
    check_resources(session, queue->limit);
  }
  check_target(session, spec.defaults->target);
  check_namespace(session, spec.defaults->ns);
  for (const auto& known : *spec.namespaces) check_namespace(session, known->name);
  for (const auto& claim : *spec.claims) check_namespace(session, claim->ns);
  for (const auto& queue : *spec.queues) {
    for (const Text& name : *queue->namespaces) check_namespace(session, name);
  }
}

}  // namespace trainyard
