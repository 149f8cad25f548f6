#include <algorithm>
#include <iterator>
#include <optional>

#include "driver/fleet/chains.h"
#include "driver/fleet/companions.h"
#include "driver/fleet/yaml_maker.h"
#include "kind/health.h"

namespace trainyard {
namespace {

constexpr std::string_view kNamespace = "flux-system";
constexpr std::string_view kOwnSource = "flux-system";  // that `flux bootstrap` makes

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kApplyTime = 5 * kMinute;
/// Nodes of an autoscaler and large images take their time; a queue takes none, because a job that
/// waits there counts as started.
constexpr std::int64_t kStartTime = 30 * kMinute;

/// As Flux reads a time: its largest unit is an hour.
std::string time_text(std::int64_t seconds) {
  if (seconds % kHour == 0) return std::to_string(seconds / kHour) + "h";
  if (seconds % kMinute == 0) return std::to_string(seconds / kMinute) + "m";
  return std::to_string(seconds) + "s";
}

/// What the Kustomization of a unit says besides its path.
struct FluxUnit {
  std::string name;  // behind that of the cluster
  std::string path;  // below the folder of the cluster
  std::vector<std::string> depends_on = {};
  std::string service_account = {};
  bool prune = false;
  bool wait = false;
  std::vector<const SyncedJob*> jobs = {};
  std::optional<FluxGate> gate = {};  // what it waits for in its jobs
  std::int64_t timeout = kApplyTime;
};

/// A Job is ready for Flux when it has ended, so it cannot have `started`.
bool can_wait(const JobKind& kind, FluxGate gate) {
  return !kind.signs.empty() && (!is_native(kind, "flux") || gate == FluxGate::Finished);
}

/// The fields: fluxcd/kustomize-controller docs/spec/v1/kustomizations.md. Never `force`, which
/// deletes what runs, and no `wait` over jobs: it has no health of single objects.
class FluxMaker {
 public:
  explicit FluxMaker(const CompanionInput& input)
      : input_(input),
        gitops_(*input.gitops),
        namespace_(gitops_.ns ? *gitops_.ns : kNamespace),
        source_(gitops_.repository ? std::string_view(input.fleet) : kOwnSource) {}

  std::vector<Companion> all() {
    if (gitops_.repository) files_.push_back({"source", source()});
    std::vector<std::string> first;
    if (input_.has_platform) {
      add({.name = "platform", .path = "platform", .wait = true});
      first.emplace_back("platform");
    }
    if (input_.has_claims) {
      // Claims that bind with the first pod are never ready before it.
      add({.name = "claims", .path = "claims", .depends_on = first});
      first.emplace_back("claims");
    }
    for (const CompanionTeam& each : input_.teams) team(each, first);
    return std::move(files_);
  }

 private:
  void add(const FluxUnit& unit) {
    YamlMaker yaml;
    files_.push_back({unit.name, yaml.document(kustomization(yaml, unit))});
  }

  void team(const CompanionTeam& team, std::vector<std::string> before) {
    FluxUnit unit;
    unit.service_account = team.service_account;
    unit.prune = gitops_.prune.value_or(true);
    if (team.has_runtimes) {
      unit.name = "runtimes-" + team.name;
      unit.path = "runtimes/" + team.name;
      unit.depends_on = before;
      add(unit);
      before.push_back(unit.name);
    }
    unit.depends_on = before;
    if (team.has_jobs) {
      FluxUnit jobs = unit;
      jobs.name = "jobs-" + team.name;
      jobs.path = "jobs/" + team.name;
      for (const SyncedJob& each : team.jobs) {
        if (!is_chained(team, each.job)) jobs.jobs.push_back(&each);
      }
      set_gate(jobs);
      add(jobs);
    }
    for (const CompanionChain& each : team.chains) chain(team, each, unit);
  }

  static bool is_chained(const CompanionTeam& team, const std::string& job) {
    return std::ranges::any_of(team.chains, [&](const CompanionChain& chain) {
      return std::ranges::find(chain.steps, job) != chain.steps.end();
    });
  }

  void set_gate(FluxUnit& unit) const {
    if (!gitops_.gate) return;
    const bool finished = *gitops_.gate == GitOpsGate::Finished;
    unit.gate = finished ? FluxGate::Finished : FluxGate::Started;
    unit.timeout = finished ? kEndTime : kStartTime;
    if (gitops_.gate_timeout) unit.timeout = gitops_.gate_timeout->count;
  }

  /// The Flux Operator applies the Kustomization of a step when that of the one before is ready:
  /// controlplaneio-fluxcd/flux-operator docs/api/v1/resourceset.md. Later commits reach all of
  /// them at once; there `dependsOn` keeps the order, which waits for the same revision
  /// (fluxcd/kustomize-controller internal/controller/kustomization_controller.go).
  void chain(const CompanionTeam& team, const CompanionChain& chain, const FluxUnit& base) {
    YamlMaker yaml;
    FluxUnit unit = base;
    unit.gate = FluxGate::Finished;
    unit.timeout = chain.timeout;
    const auto step = [&](const std::string& job) {
      unit.name = "chains-" + team.name + "." + job;
      unit.path = "chains/" + team.name + "/" + job;
      unit.jobs.clear();
      for (const SyncedJob& each : team.jobs) {
        if (each.job == job) unit.jobs.push_back(&each);
      }
      const NodeId resources = yaml.list({kustomization(yaml, unit)});
      unit.depends_on = base.depends_on;
      unit.depends_on.push_back(unit.name);
      return yaml.map({{"name", yaml.text(job)},
                       {"timeout", yaml.text(time_text(chain.timeout))},
                       {"resources", resources}});
    };
    const std::string name = chain_object_name(input_.cluster, team.name, chain.name);
    files_.push_back(
        {"chains-" + team.name + "." + chain.name,
         yaml.document({{"apiVersion", yaml.text("fluxcd.controlplane.io/v1")},
                        {"kind", yaml.text("ResourceSet")},
                        {"metadata", metadata(yaml, name)},
                        {"spec", yaml.map({{"wait", yaml.flag(true)},
                                           {"steps", yaml.each(chain.steps, step)}})}})});
  }

  NodeId metadata(YamlMaker& yaml, std::string_view name) const {
    return yaml.map({{"name", yaml.text(name)}, {"namespace", yaml.text(namespace_)}});
  }

  std::string_view source_kind() const {
    return is_artifact(gitops_) ? "OCIRepository" : "GitRepository";
  }

  std::string source() const {
    YamlMaker yaml;
    const std::string_view revision = gitops_.revision ? *gitops_.revision : "main";
    const std::string_view sort = is_artifact(gitops_) ? "tag" : "branch";
    return yaml.document({{"apiVersion", yaml.text("source.toolkit.fluxcd.io/v1")},
                          {"kind", yaml.text(source_kind())},
                          {"metadata", metadata(yaml, source_)},
                          {"spec", yaml.map({{"interval", yaml.text("1m")},
                                             {"url", yaml.text(*gitops_.repository)},
                                             {"ref", yaml.map({{sort, yaml.text(revision)}})}})}});
  }

  NodeId kustomization(YamlMaker& yaml, const FluxUnit& unit) const {
    const auto dependency = [&](const std::string& each) {
      return yaml.map({{"name", yaml.text(input_.cluster + "-" + each)}});
    };
    const auto& before = unit.depends_on;
    const std::string folder = input_.path.empty() ? "" : input_.path + "/";
    const std::string_view account = unit.service_account;
    const auto [checks, expressions] = health(yaml, unit);
    const NodeId spec =
        yaml.map({{"interval", yaml.text("10m")},
                  {"retryInterval", yaml.text("1m")},
                  {"timeout", yaml.text(time_text(unit.timeout))},
                  {"path", yaml.text("./" + folder + unit.path)},
                  {"sourceRef",
                   yaml.map({{"kind", yaml.text(source_kind())}, {"name", yaml.text(source_)}})},
                  {"prune", yaml.flag(unit.prune)},
                  // To delete the Kustomization ends no run.
                  {"deletionPolicy", unit.prune ? yaml.text("Orphan") : kNoNode},
                  {"force", yaml.flag(false)},
                  {"wait", yaml.flag(unit.wait)},
                  {"dependsOn", before.empty() ? kNoNode : yaml.each(before, dependency)},
                  {"serviceAccountName", account.empty() ? kNoNode : yaml.text(account)},
                  {"healthChecks", checks},
                  {"healthCheckExprs", expressions},
                  {"ignore", ignored(yaml, unit)}});
    return yaml.map({{"apiVersion", yaml.text("kustomize.toolkit.fluxcd.io/v1")},
                     {"kind", yaml.text("Kustomization")},
                     {"metadata", metadata(yaml, input_.cluster + "-" + unit.name)},
                     {"spec", spec}});
  }

  /// The jobs that a unit waits for, and the expressions of their kinds.
  std::pair<NodeId, NodeId> health(YamlMaker& yaml, const FluxUnit& unit) const {
    if (!unit.gate) return {kNoNode, kNoNode};
    std::vector<const SyncedJob*> jobs;
    std::ranges::copy_if(unit.jobs, std::back_inserter(jobs),
                         [&](const SyncedJob* each) { return can_wait(*each->kind, *unit.gate); });
    if (jobs.empty()) return {kNoNode, kNoNode};
    std::vector<const JobKind*> kinds = flux_kinds(*input_.kinds);
    std::erase_if(kinds, [&](const JobKind* kind) {
      return std::ranges::none_of(jobs, [&](const SyncedJob* job) { return job->kind == kind; });
    });
    const NodeId checks = yaml.each(jobs, [&](const SyncedJob* each) {
      const JobKind& kind = *each->kind;
      return yaml.map(
          {{"apiVersion", yaml.text(std::string(kind.group) + "/" + std::string(kind.version))},
           {"kind", yaml.text(kind.kind)},
           {"name", yaml.text(each->name)},
           {"namespace", yaml.text(each->ns)}});
    });
    if (kinds.empty()) return {checks, kNoNode};
    return {checks, add_flux_health(yaml.tree(), kinds, *unit.gate)};
  }

  /// Fields that a controller writes, too. Before kustomize-controller 1.9 there is no `ignore`, so
  /// only a unit that needs it has it.
  static NodeId ignored(YamlMaker& yaml, const FluxUnit& unit) {
    std::vector<const SyncedJob*> jobs;
    std::ranges::copy_if(unit.jobs, std::back_inserter(jobs),
                         [](const SyncedJob* each) { return !each->shared.empty(); });
    if (jobs.empty()) return kNoNode;
    return yaml.each(jobs, [&](const SyncedJob* each) {
      const auto pointer = [&](std::string_view path) { return yaml.text(path); };
      return yaml.map({{"paths", yaml.each(each->shared, pointer)},
                       {"target", yaml.map({{"group", yaml.text(each->kind->group)},
                                            {"kind", yaml.text(each->kind->kind)},
                                            {"name", yaml.text(each->name)},
                                            {"namespace", yaml.text(each->ns)}})}});
    });
  }

  const CompanionInput& input_;
  const GitOps& gitops_;
  std::string_view namespace_;
  std::string_view source_;
  std::vector<Companion> files_;
};

}  // namespace

bool is_artifact(const GitOps& gitops) {
  return gitops.repository && gitops.repository->starts_with("oci://");
}

std::vector<Companion> flux_companions(const CompanionInput& input) {
  return FluxMaker(input).all();
}

std::vector<Companion> companions(const CompanionInput& input) {
  return *input.gitops->tool == GitOpsTool::ArgoCd ? argocd_companions(input)
                                                   : flux_companions(input);
}

}  // namespace trainyard
