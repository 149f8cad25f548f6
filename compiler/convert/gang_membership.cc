#include "convert/gang_membership.h"

#include <algorithm>
#include <string>

#include "convert/job_metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct GroupKind {
  std::string_view system;
  std::string_view group;  // of the PodGroup
  std::string_view kind = "PodGroup";
};
constexpr GroupKind kVolcano{"volcano", "scheduling.volcano.sh"};
constexpr GroupKind kKai{"kai", "scheduling.run.ai"};
constexpr GroupKind kCoscheduling{"coscheduling", "scheduling.x-k8s.io"};
constexpr GroupKind kNative{"native", "scheduling.k8s.io"};
constexpr GroupKind kWorkload{"native", "scheduling.k8s.io", "Workload"};

/// The one group of a Workload of Kubernetes 1.35.
View only_group(View spec) {
  const View groups = get(spec, "podGroups");
  return groups && groups->size == 1 ? *items_at(spec, "podGroups").begin() : View();
}

/// The size of the group, wherever the kind says it.
View size_of(View spec) {
  if (const View group = only_group(spec)) {
    return get(get(get(group, "policy"), "gang"), "minCount");
  }
  const View size = get(spec, "minMember");
  return size ? size : get(get(get(spec, "schedulingPolicy"), "gang"), "minCount");
}

/// Whether each program has a group of its own, as a build names them.
bool is_of_role(const Conversion& job, View name) {
  return job.has_programs && name->text == job.name + "-" + job.roles.back().name;
}

void read_object(Conversion& job, View object, bool of_role) {
  settle_metadata_of_part(job, object);
  const View spec = get(object, "spec");
  const View size = size_of(spec);
  job.ledger.derived(get(only_group(spec), "name"));
  if (of_role) {
    job.share({"scheduling", "gang"}, job.text("role"), {});
    settle_gang_size_of_role(job, size);
  } else if (size) {
    settle_gang_size(job, size);
  }
  if (const auto seconds = integer_at(spec, "scheduleTimeoutSeconds")) {
    job.share({"scheduling", "timeout"}, job.text(duration_text(*seconds)),
              get(spec, "scheduleTimeoutSeconds"));
  }
  job.share_copy({"scheduling", "queue"}, get(spec, "queue"));
  job.share_copy({"scheduling", "priority"}, get(spec, "priorityClassName"));
}

/// The pods name their group in `name`.
void in_group(Conversion& job, View name, const GroupKind& kind) {
  const View object = job.find(kind.group, kind.kind, name->text);
  const bool of_role = is_of_role(job, name);
  if (!object && name->text != job.name && !of_role) {
    job.ledger.lost(name, "its " + std::string(kind.kind) + " is not among the inputs",
                    "convert the job together with its " + std::string(kind.kind));
    return;
  }
  if (!job.share({"scheduling", "system"}, job.text(kind.system), name)) return;
  job.has_gang = true;
  if (object) read_object(job, object, of_role);
}

/// The pods of a role are a part of a group that its own Job does not make.
void in_part_of_kai(PodParts& parts) {
  Conversion& job = parts.job;
  const View annotations = get(parts.metadata, "annotations");
  const View name = get(annotations, "pod-group-name");
  const View skips = get(annotations, "kai.scheduler/skip-podgrouper");
  if (!name || string_of(skips) != "true") return;
  in_group(job, name, kKai);
  job.ledger.derived(skips);
  const View label = get(get(parts.metadata, "labels"), "kai.scheduler/subgroup-name");
  if (string_of(label) != parts.role.name) return;
  job.ledger.derived(label);
  const View group = get(job.find(kKai.group, kKai.kind, name->text), "spec");
  for (View part : items_at(group, "subGroups")) {
    if (string_at(part, "name") != parts.role.name) continue;
    job.ledger.derived(get(part, "name"));
    if (integer_at(part, "minMember") == parts.role.pods) {
      job.ledger.derived(get(part, "minMember"));
    }
  }
}

}  // namespace

void read_pod_group(PodParts& parts) {
  in_part_of_kai(parts);
  Conversion& job = parts.job;
  const View label = get(get(parts.metadata, "labels"), "scheduling.x-k8s.io/pod-group");
  const View annotation = get(get(parts.metadata, "annotations"), "scheduling.k8s.io/group-name");
  const View field = get(get(parts.spec, "schedulingGroup"), "podGroupName");
  if (label) in_group(job, label, kCoscheduling);
  if (annotation) in_group(job, annotation, kVolcano);
  if (field) in_group(job, field, kNative);
  const View workload = get(parts.spec, "workloadRef");
  if (const View name = get(workload, "name")) {
    in_group(job, name, kWorkload);
    job.ledger.derived(get(workload, "podGroup"));
  }
}

void settle_gang(Conversion& job, std::initializer_list<std::string_view> systems) {
  const View system = job.shared_at({"scheduling", "system"});
  const bool able = system && std::ranges::find(systems, system->text) != systems.end();
  if (!able || job.has_gang || !job.several_pods()) return;
  job.share({"scheduling", "gang"}, job.truth(false), {});
}

}  // namespace trainyard
