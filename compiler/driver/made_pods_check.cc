#include "driver/made_pods_check.h"

#include <algorithm>
#include <string>

#include "check/check.h"
#include "check/read.h"
#include "check/workload.h"
#include "effective/pods.h"

namespace trainyard {
namespace {

/// Beyond this the lists of hosts in pods take long, and no container is added for them.
constexpr std::int64_t kMostPods = 10'000;

/// Where the user speaks of a role.
Span place_of(View job, const Workload& workload, std::string_view role) {
  const WorkloadRole* found = workload.role(role);
  const View holder = found == nullptr ? View() : found->holder;
  if (holder) return holder->key_span.known() ? holder->key_span : holder->span;
  return job->span;
}

void check_job(Session& session, View job, const Check& check, const Surroundings& surroundings) {
  const PodKind& kind = *find_pod_kind(job);
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
    Maker maker(tree, origins);
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

bool adds_containers(View object) {
  const PodKind* kind = find_pod_kind(object);
  return kind != nullptr && (kind->group == "kubeflow.org" || kind->group == "batch.volcano.sh");
}

void check_made_pods(Session& session, const std::vector<View>& jobs,
                     const Surroundings& surroundings) {
  const Check* check = find_check("pod-security");
  if (check == nullptr || surroundings.inventory == nullptr || !surroundings.levels) return;
  for (View job : jobs) check_job(session, job, *check, surroundings);
}

}  // namespace trainyard
