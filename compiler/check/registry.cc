#include <array>
#include <string_view>

#include "check/check.h"
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
      pod_dns_checks,
      pod_lifetime_checks,
      job_checks,
      workload_checks,
      service_checks,
      config_checks,
      claim_checks,
      rbac_checks,
      derived_name_checks,
      version_checks,
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
  });
  return all;
}

/// Whether `on`, a group and kinds, names this kind. The core group is written `core`.
bool names(std::string_view on, std::string_view group, std::string_view kind) {
  if (on == "any") return true;
  const std::size_t space = on.find(' ');
  if (on.substr(0, space) != (group.empty() ? "core" : group)) return false;
  while (on.find(' ') != std::string_view::npos) {
    on.remove_prefix(on.find(' ') + 1);
    if (on.substr(0, on.find(' ')) == kind) return true;
  }
  return false;
}

bool holds_here(const Check& check, const CheckContext& context) {
  const auto since = kubernetes_version(check.since);
  if (since && context.version() < *since) return false;
  return context.versions().within(check.operators);
}

template <class Run>
void each_check(CheckContext& context, Run run) {
  for (const std::span<const Check>& table : tables()) {
    for (const Check& check : table) {
      if (!holds_here(check, context) || !context.wants(check)) continue;
      context.use(check);
      run(check);
    }
  }
}

/// Operators say for themselves what they want; the kinds of Kubernetes want a pod.
bool needs_template(const PodPlace& place) {
  return place.group.empty() || place.group == "apps" || place.group == "batch";
}

void check_pods(View root, std::string_view group, std::string_view kind, CheckContext& context) {
  for (const PodPlace& place : pod_places()) {
    if (place.group != group || place.kind != kind) continue;
    bool any = false;
    each_at(root, place.path, [&](View holder) {
      any = any || holder->kind != Kind::Null;
      if (!holder->is_map()) return;
      const Pod pod = read_pod(root, holder, place);
      each_check(context, [&](const Check& check) {
        if (check.pod != nullptr) check.pod(pod, context);
      });
    });
    if (!any && needs_template(place) && !context.has_flags()) {
      context.use(*find_check("some-container"));
      context.refuse(root, "there is no pod in this: `" + std::string(place.path) + "` is missing");
    }
  }
}

void check_jobs(View root, std::string_view group, std::string_view kind, CheckContext& context) {
  for (const JobPlace& place : job_places()) {
    if (place.group != group || place.kind != kind) continue;
    each_at(root, place.path, [&](View spec) {
      if (!spec->is_map()) return;
      const Job job{place.is_job ? root : View(), spec, &place};
      each_check(context, [&](const Check& check) {
        if (check.job != nullptr) check.job(job, context);
      });
    });
  }
}

void check_workload(View root, std::string_view group, std::string_view kind,
                    CheckContext& context) {
  const Workload workload = read_workload(root, group, kind);
  if (workload.roles.empty()) return;
  each_check(context, [&](const Check& check) {
    if (check.workload != nullptr) check.workload(workload, context);
  });
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
  if (check.on == "any") return "every object";
  if (check.on == "job") return "every spec of a Job";
  if (check.on == "workload") return "pods that work together, of every kind";
  std::string phrase(check.on);
  const std::size_t space = phrase.find(' ');
  const std::string kinds = phrase.substr(space + 1);
  phrase = phrase.substr(0, space) + ": ";
  for (char c : kinds) {
    if (c == ' ') phrase += ',';
    phrase += c;
  }
  return phrase;
}

void run_checks(View root, std::string name, std::vector<NodeId> flagged, CheckContext& context) {
  context.start(root, std::move(name), std::move(flagged));
  const std::string_view group = group_of(string_at(root, "apiVersion"));
  const std::string_view kind = string_at(root, "kind");
  check_pods(root, group, kind, context);
  check_jobs(root, group, kind, context);
  check_workload(root, group, kind, context);
  each_check(context, [&](const Check& check) {
    if (check.object != nullptr && names(check.on, group, kind)) check.object(root, context);
  });
}

}  // namespace trainyard
