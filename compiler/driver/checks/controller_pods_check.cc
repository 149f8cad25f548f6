#include "driver/checks/controller_pods_check.h"

#include <algorithm>
#include <string>

#include "check/check.h"
#include "driver/checks/run_ai_job_check.h"
#include "driver/session/surroundings.h"
#include "effective/pods.h"
#include "manifest/workload.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Beyond this the lists of hosts in pods take long, and no container is added for them.
constexpr std::int64_t kMostPods = 10'000;

/// Where the user's text names a role.
Span place_of(View job, const Workload& workload, std::string_view role) {
  const WorkloadRole* found = workload.role(role);
  const View holder = found == nullptr ? View() : found->holder;
  if (holder) return holder->key_span.known() ? holder->key_span : holder->span;
  return job->span;
}

/// Whether levels may be stated anywhere.
bool has_levels(const CheckInputs& surroundings) {
  const Inventory* inventory = surroundings.inventory;
  if (inventory != nullptr && inventory->has_any("", "Namespace")) return true;
  return surroundings.cluster != nullptr && !surroundings.cluster->spec->namespaces->empty();
}

void check_job(Session& session, View job, const PodKind& kind, const Check& check,
               const CheckInputs& surroundings) {
  const std::vector<PodRole> roles = kind.roles(job);
  const bool small =
      std::ranges::all_of(roles, [](const PodRole& each) { return each.count <= kMostPods; });
  if (!small) return;
  const Workload workload =
      read_workload(job, group_of(string_at(job, "apiVersion")), string_at(job, "kind"));
  for (const PodRole& role : roles) {
    if (role.count < 1) continue;
    Tree tree;
    Origins origins;
    PodBuilder maker(tree, origins);
    const EffectivePod made = kind.pod(maker, job, role.name, 0, surroundings.versions.kubernetes);
    if (made.root == kNoNode || !made.failure.empty()) continue;
    const View root(tree, made.root);
    const Tree* const documents[] = {&job.tree()};
    Sink found;
    CheckContext context(surroundings, origins, documents, found);
    context.start(root, "Pod/" + made.name, {});
    if (context.use(check)) check.pod(read_pod(root, root, {"", "Pod", "", kIsPod}), context);
    for (Diagnostic each : found.all()) {
      if (each.span.known()) continue;  // what the user wrote
      each.span = place_of(job, workload, role.name);
      each.severity = std::min(each.severity, Severity::Warning);
      each.note("`" + std::string(kind.controller) +
                "` adds it to the pods, unless it is set up otherwise");
      session.sink.report(std::move(each));
    }
  }
}

}  // namespace

void check_made_pods(Session& session, View job, const CheckInputs& surroundings) {
  check_run_ai_job(session, job, surroundings);
  if (!has_levels(surroundings)) return;
  const PodKind* kind = find_pod_kind(job);
  const Check* check = wanted_check("pod-security", surroundings);
  if (kind == nullptr || check == nullptr) return;
  // Others add no container.
  if (kind->group != "kubeflow.org" && kind->group != "batch.volcano.sh") return;
  check_job(session, job, *kind, *check, surroundings);
}

}  // namespace trainyard
