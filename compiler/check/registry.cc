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
      pod_label_checks,      pod_reference_checks, pod_container_checks,
      pod_volume_checks,     pod_mount_checks,     pod_port_checks,
      pod_env_checks,        pod_resource_checks,  pod_probe_checks,
      pod_scheduling_checks, pod_security_checks,  pod_dns_checks,
      pod_lifetime_checks,   job_checks,           workload_checks,
      service_checks,        config_checks,        claim_checks,
      storage_checks,        network_checks,       availability_checks,
      quota_checks,          rbac_checks,          derived_name_checks,
      version_checks,
  });
  return all;
}

/// Whether `on`, a group and kinds, names this kind. The core group is written `core`.
bool names(std::string_view on, std::string_view group, std::string_view kind) {
  const std::size_t space = on.find(' ');
  if (on.substr(0, space) != (group.empty() ? "core" : group)) return false;
  while (on.find(' ') != std::string_view::npos) {
    on.remove_prefix(on.find(' ') + 1);
    if (on.substr(0, on.find(' ')) == kind) return true;
  }
  return false;
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

void check_pods(View root, const KindChecks& checks, CheckContext& context) {
  for (const PodPlace* place : checks.pods) {
    bool any = false;
    each_at(root, place->path, [&](View holder) {
      any = any || holder->kind != Kind::Null;
      if (!holder->is_map()) return;
      const Pod pod = read_pod(root, holder, *place);
      for (const Check* check : checks.on_pods) {
        context.use(*check);
        check->pod(pod, context);
      }
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
        context.use(*check);
        check->job(job, context);
      }
    });
  }
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
  const KindChecks& checks =
      context.selection().of(group_of(string_at(root, "apiVersion")), string_at(root, "kind"));
  check_pods(root, checks, context);
  check_jobs(root, checks, context);
  for (const Check* check : checks.on_object) {
    context.use(*check);
    check->object(root, context);
  }
}

}  // namespace trainyard
