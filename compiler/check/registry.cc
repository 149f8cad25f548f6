#include <algorithm>
#include <array>
#include <string_view>

#include "check/check.h"
#include "check/command_line.h"
#include "check/read.h"
#include "check/tables.h"

namespace trainyard {
namespace {

/// By subject, in the order in which people read a manifest.
std::span<const std::span<const Check>> tables() {
  static const auto all = std::to_array<std::span<const Check>>({
      pod_label_checks,
      pod_reference_checks,
      pod_container_checks,
      pod_volume_checks,
      pod_mount_checks,
      pod_port_checks,
      pod_env_checks,
      pod_resource_checks,
      pod_probe_checks,
      pod_scheduling_checks,
      pod_security_checks,
      security_level_checks,
      pod_dns_checks,
      pod_lifetime_checks,
      job_checks,
      workload_checks,
      service_checks,
      config_checks,
      claim_checks,
      storage_checks,
      network_checks,
      node_checks,
      device_claim_checks,
      device_selector_checks,
      availability_checks,
      quota_checks,
      rbac_checks,
      crd_checks,
      crd_rule_checks,
      webhook_checks,
      admission_policy_checks,
      endpoint_checks,
      derived_name_checks,
      version_checks,
      training_operator_checks,
      mpi_operator_checks,
      training_runtime_checks,
      train_job_checks,
      torchtune_checks,
      jobset_checks,
      leader_worker_set_checks,
      volcano_job_checks,
      volcano_queue_checks,
      volcano_checks,
      kueue_quota_checks,
      kueue_job_checks,
      kueue_topology_checks,
      kai_checks,
      ray_cluster_checks,
      ray_checks,
      run_ai_checks,
      nim_checks,
      argocd_checks,
      flux_checks,
      annotation_lints,
      process_lints,
      rank_lints,
      gang_lints,
      memory_lints,
      claim_lints,
      image_lints,
      fabric_lints,
      pool_lints,
      credential_lints,
      argument_lints,
      lifetime_lints,
      mig_lints,
      mpi_lints,
      host_name_lints,
      ray_lints,
      admission_lints,
      sidecar_lints,
      rank_variable_lints,
      affinity_lints,
      mesh_lints,
      secret_lints,
      command_lints,
      field_reference_lints,
      identity_lints,
      kubeflow_lints,
      limit_lints,
      traffic_lints,
      visible_device_lints,
  });
  return all;
}

/// Calls `found` with each group and kind of `on`: `core Pod; apps Deployment StatefulSet`. The
/// core group is written `core`.
template <class Found>
void each_kind(std::string_view on, Found found) {
  while (!on.empty()) {
    const std::size_t end = std::min(on.find("; "), on.size());
    std::string_view part = on.substr(0, end);
    on.remove_prefix(std::min(end + 2, on.size()));
    const std::size_t space = std::min(part.find(' '), part.size());
    const std::string_view group = part.substr(0, space);
    for (part.remove_prefix(space); !part.empty();) {
      part.remove_prefix(1);
      const std::size_t next = std::min(part.find(' '), part.size());
      found(group, part.substr(0, next));
      part.remove_prefix(next);
    }
  }
}

/// Whether `on` names this kind.
bool names(std::string_view on, std::string_view group, std::string_view kind) {
  if (on == "any") return true;
  if (group.empty()) group = "core";
  bool found = false;
  each_kind(on, [&](std::string_view each_group, std::string_view each) {
    found = found || (each == kind && each_group == group);
  });
  return found;
}

bool holds_for(const Check& check, const Versions& versions) {
  const auto since = kubernetes_version(check.since);
  if (since && versions.kubernetes < *since) return false;
  return versions.within(check.operators);
}

/// Operators say for themselves what they want; the kinds of Kubernetes want a pod.
bool needs_template(const PodPlace& place) {
  return place.group.empty() || place.group == "apps" || place.group == "batch";
}

void check_pod(View root, View holder, const PodPlace& place, const KindChecks& checks,
               CheckContext& context) {
  const Pod pod = read_pod(root, holder, place);
  for (const Check* check : checks.on_pods) {
    if (context.use(*check)) check->pod(pod, context);
  }
}

/// The roles of a job often have the same template. What a check says of a pod depends on that and
/// on the object, so where it says nothing of one it says nothing of those that are equal to it.
void check_pods(View root, const KindChecks& checks, CheckContext& context) {
  for (const PodPlace* place : checks.pods) {
    bool any = false;
    View good;
    each_at(root, place->path, [&](View holder) {
      any = any || holder->kind != Kind::Null;
      if (!holder->is_map()) return;
      if (good && equal(good.tree(), good.id(), holder.tree(), holder.id())) return;
      const std::size_t before = context.findings();
      check_pod(root, holder, *place, checks, context);
      if (context.findings() == before) good = holder;
    });
    if (!any && needs_template(*place) && !context.has_flags()) {
      context.use(*find_check("some-container"));
      context.refuse(root,
                     "there is no pod in this: `" + std::string(place->path) + "` is missing");
    }
  }
}

void check_jobs(View root, const KindChecks& checks, CheckContext& context) {
  for (const JobPlace* place : checks.jobs) {
    each_at(root, place->path, [&](View spec) {
      if (!spec->is_map()) return;
      const Job job{place->is_job ? root : View(), spec, place};
      for (const Check* check : checks.on_jobs) {
        if (context.use(*check)) check->job(job, context);
      }
    });
  }
}

void check_workload(View root, const KindChecks& checks, CheckContext& context) {
  if (checks.on_workload.empty()) return;
  const Workload workload = read_workload(root, checks.group, checks.kind);
  if (workload.roles.empty()) return;
  for (const Check* check : checks.on_workload) {
    if (context.use(*check)) check->workload(workload, context);
  }
}

bool is_workload(const KindChecks& of) {
  return std::ranges::any_of(workload_places(), [&](const WorkloadPlace& place) {
    return place.group == of.group && place.kind == of.kind;
  });
}

template <class Place>
void pick_places(std::span<const Place> all, const KindChecks& of,
                 std::vector<const Place*>& into) {
  for (const Place& place : all) {
    if (place.group == of.group && place.kind == of.kind) into.push_back(&place);
  }
}

void pick_checks(const Versions& versions, KindChecks& into) {
  for (const std::span<const Check>& table : tables()) {
    for (const Check& check : table) {
      if (!holds_for(check, versions)) continue;
      if (check.pod != nullptr) into.on_pods.push_back(&check);
      if (check.job != nullptr) into.on_jobs.push_back(&check);
      if (check.workload != nullptr && is_workload(into)) into.on_workload.push_back(&check);
      if (check.object != nullptr && names(check.on, into.group, into.kind)) {
        into.on_object.push_back(&check);
      }
    }
  }
}

}  // namespace

std::span<const std::span<const Check>> all_checks() {
  return tables();
}

const Check* find_check(std::string_view name) {
  for (const std::span<const Check>& table : tables()) {
    for (const Check& check : table) {
      if (check.name == name) return &check;
    }
  }
  return nullptr;
}

std::string subject_phrase(const Check& check) {
  if (check.on == "pod") return "every pod template";
  if (check.on == "job") return "every spec of a Job";
  if (check.on == "workload") return "pods that work together, of every kind";
  if (check.on == "any") return "every object";
  std::string phrase;
  std::string_view last;
  each_kind(check.on, [&](std::string_view group, std::string_view kind) {
    if (group != last) {
      phrase.append(phrase.empty() ? "" : "; ").append(group).append(": ");
    } else {
      phrase += ", ";
    }
    phrase += kind;
    last = group;
  });
  return phrase;
}

const KindChecks& CheckSelection::of(std::string_view group, std::string_view kind) {
  for (const KindChecks& each : kinds_) {
    if (each.kind == kind && each.group == group) return each;
  }
  KindChecks& picked = kinds_.emplace_back();
  picked.group = group;
  picked.kind = kind;
  pick_places(pod_places(), picked, picked.pods);
  pick_places(job_places(), picked, picked.jobs);
  pick_checks(versions_, picked);
  return picked;
}

void run_checks(View root, std::string name, std::vector<NodeId> flagged, CheckContext& context) {
  context.start(root, std::move(name), std::move(flagged));
  const CallsStay calls_stay;
  const KindChecks& checks =
      context.selection().of(group_of(string_at(root, "apiVersion")), string_at(root, "kind"));
  check_pods(root, checks, context);
  check_jobs(root, checks, context);
  check_workload(root, checks, context);
  for (const Check* check : checks.on_object) {
    if (context.use(*check)) check->object(root, context);
  }
}

}  // namespace trainyard
