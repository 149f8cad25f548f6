#include <array>
#include <string>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/words.h"
#include "operators/jobset_parts.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

// What the webhooks of JobSet refuse, and what its controller can make no pods of. Read with what
// its defaulting webhook and the schema fill in: Indexed Jobs, one replica, group `default`. A
// training runtime holds the spec of the JobSet that is made for each TrainJob, and is checked too.
// Lengths of names are in operators/derived_names.cc.

namespace trainyard {
namespace {

using namespace jobset;

constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";

constexpr std::string_view kNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector";

/// The value at `key`, or what it stands in.
View near(View map, std::string_view key) {
  const View value = get(map, key);
  return value ? value : map;
}

/// The annotation's value becomes the topology key of affinity terms; pods behind the first wait
/// until the pod of completion index 0 is scheduled.
void exclusive(View annotations, View object, View only, CheckContext& context) {
  const View key = get(annotations, kExclusive);
  if (!key || key.kind() != Kind::String) return;
  if (const Fault fault = why_not_label_key(key->text)) {
    context.refuse(
        key, "topology key " + shown(key->text) + " " + *fault + ": no pod can be made with it");
    return;
  }
  if (get(annotations, kNodeSelector)) return;
  for (View role : roles_of(object)) {
    if ((only && role.id() != only.id()) || is_indexed(role)) continue;
    context
        .refuse(near(job_spec(role), "completionMode"),
                "with exclusive placement the pods of " + shown(string_at(role, "name")) +
                    " wait for that of completion index 0, and without `Indexed` there is none")
        .also(context.place(key), "exclusive placement");
  }
}

void exclusive_placement(View object, CheckContext& context) {
  const View holder = is_jobset(object) ? object : get(get(object, "spec"), "template");
  exclusive(get(get(holder, "metadata"), "annotations"), object, {}, context);
  for (View role : roles_of(object)) {
    exclusive(get(get(get(role, "template"), "metadata"), "annotations"), object, role, context);
  }
}

/// A field that one of two maps leaves to its default, while the other sets another value.
struct LeftOut {
  View at;  // the value, or the map without it
  std::string_view key;
  std::string_view by_default;
};

LeftOut left_out(View before, View now, LeftOut field) {
  const View was = get(before, field.key);
  const View is = get(now, field.key);
  if (!before || !now || static_cast<bool>(was) == static_cast<bool>(is)) return {};
  const View stated = was ? was : is;
  if (!stated->is_scalar() || stated.kind() == Kind::Null) return {};
  if (stated->text == field.by_default) return {};
  field.at = is ? is : now;
  return field;
}

/// The first one in two lists of replicated jobs.
LeftOut left_out_of_roles(View before, View now) {
  const Items roles = items_at(now, "replicatedJobs");
  auto each = roles.begin();
  for (View was : items_at(before, "replicatedJobs")) {
    if (each == roles.end()) return {};
    const View is = *each;
    ++each;
    for (const LeftOut& field :
         {left_out(was, is, {{}, "replicas", "1"}), left_out(was, is, {{}, "groupName", "default"}),
          left_out(job_spec(was), job_spec(is), {{}, "completionMode", "Indexed"}),
          left_out(pod_spec(was), pod_spec(is), {{}, "restartPolicy", "OnFailure"})}) {
      if (field.at) return field;
    }
  }
  return {};
}

void changes(View object, CheckContext& context) {
  const View old = context.old();
  if (!old) return;
  const View before = spec_of(old);
  const View now = spec_of(object);
  constexpr auto filled = std::to_array<std::string_view>(
      {"completionMode", "restartPolicy", "groupName", "replicas", "protocol"});
  // What Kueue sets when it admits: of the pods, and only around a suspension.
  constexpr auto placing = std::to_array<std::string_view>(
      {"labels", "annotations", "nodeSelector", "tolerations", "schedulingGates"});
  ImmutabilityRules rules{{}, filled};
  if (is_true(get(before, "suspend")) || is_true(get(now, "suspend"))) rules.free = placing;
  for (std::string_view key : {"replicatedJobs", "managedBy"}) {
    View at = changed(get(before, key), get(now, key), rules);
    LeftOut field;
    if (!at && key == "replicatedJobs") field = left_out_of_roles(before, now);
    if (field.at) at = field.at;
    const bool gone = get(before, key) && !get(now, key);
    if (!at && !gone) continue;
    Diagnostic& report =
        context.refuse(at ? at : now, shown(key) + " of a JobSet cannot change after it is made");
    if (field.at) {
      report.note(shown(field.key) + " is " + shown(field.by_default) + " where it is left out");
      continue;
    }
    report.note(key == "managedBy" ? "make a new JobSet"
                                   : "while it is suspended, labels, annotations, node selectors, "
                                     "tolerations and scheduling gates of its pods can");
  }
}

constexpr Check kChecks[] = {
    {.name = "jobset-exclusive-placement",
     .group = CheckGroup::Training,
     .on = kWithRuntimes,
     .sentence = "Exclusive placement names a topology key, and its Jobs are Indexed.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go",
     .object = exclusive_placement,
     .operators = kOperator},
    {.name = "jobset-stays",
     .group = CheckGroup::Training,
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "Replicated jobs and the manager of a JobSet do not change.",
     .source = "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateUpdate",
     .object = changes,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> jobset_checks = kChecks;

}  // namespace trainyard
