#include "driver/session/cluster_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "schema/names.h"

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
  check_target(session, spec.defaults->target);
  check_namespace(session, spec.defaults->ns);
  for (const auto& known : *spec.namespaces) check_namespace(session, known->name);
  for (const auto& claim : *spec.claims) check_namespace(session, claim->ns);
  for (const auto& queue : *spec.queues) {
    for (const Text& name : *queue->namespaces) check_namespace(session, name);
  }
}

}  // namespace trainyard
