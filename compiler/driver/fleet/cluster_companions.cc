#include "driver/fleet/cluster_companions.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "diag/words.h"
#include "driver/build/run_sources.h"
#include "driver/fleet/chains.h"
#include "driver/fleet/fleet_units.h"
#include "driver/session/read_root.h"
#include "emit/ownership.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// Takes the first part of an identity off.
std::string first_part(std::string_view& identity) {
  const std::size_t slash = identity.find('/');
  const std::string part(identity.substr(0, slash));
  identity.remove_prefix(std::min(slash + 1, identity.size()));
  return part;
}

/// Where the folder of the generated files is in its repository.
std::string path_in_repository(Session& session, const FleetPlan& plan) {
  const std::string below =
      plan.rendered.substr(plan.rendered.starts_with(plan.folder) ? plan.folder.size() : 0);
  const ReadRoot& root = session.roots.of_folder(plan.folder);
  const auto& folder = session.roots.real_path(plan.folder.empty() ? "." : plan.folder);
  if (root.sort != ReadRoot::Sort::Repository || !folder) return below;
  return (fs::path(*folder) / below).lexically_normal().lexically_relative(root.path).string();
}

void note_objects(const GatheredJobs& gathered, CompanionInput& input) {
  gathered.names.each([&](std::string_view identity) {
    GroupKind kind{first_part(identity), {}};
    kind.second = first_part(identity);
    std::string ns = first_part(identity);
    (ns.empty() ? input.cluster_kinds : input.namespace_kinds).insert(std::move(kind));
    if (!ns.empty()) input.namespaces.insert(std::move(ns));
  });
}

CompanionTeam companion_team(const PlannedTeam& team, const std::vector<SyncedJob>& jobs) {
  CompanionTeam result;
  std::ranges::copy_if(jobs, std::back_inserter(result.jobs),
                       [&](const SyncedJob& each) { return each.team == team.name(); });
  std::ranges::sort(result.jobs, {}, [](const SyncedJob& each) {
    return std::tuple(std::string_view(each.ns), std::string_view(each.name), each.kind->kind);
  });
  for (const Located<Chain>& each : *(*team.entry)->chains) {
    if (!has_steps(*each, team.name(), result.jobs)) continue;
    CompanionChain& chain = result.chains.emplace_back();
    chain.name = *each->name;
    chain.timeout = each->timeout ? each->timeout->count : kEndTime;
    for (const Text& step : *each->steps) chain.steps.emplace_back(*step);
  }
  result.name = team.name();
  result.first_namespace = team.namespaces.front();
  result.service_account = *(*team.entry)->service_account;
  return result;
}

/// In the repository; "" for an artifact, which holds the tree alone.
std::string path_of(Session& session, const FleetPlan& plan, const GitOps& gitops,
                    std::string_view cluster) {
  if (gitops.path) return std::string(*gitops.path);
  if (is_artifact(gitops)) return {};
  return path_in_repository(session, plan) + "/" + std::string(cluster);
}

}  // namespace

void add_companions(Session& session, const FleetPlan& plan, const PlannedCluster& planned,
                    const Cluster& cluster, std::size_t first, GatheredJobs& gathered) {
  const Located<GitOps>& gitops = cluster.spec->gitops;
  if (!gitops) {
    session.sink
        .report(DiagnosticKind::LeftToDo, (*planned.entry)->file.span,
                "no objects that sync the cluster " + shown(*cluster.metadata->name) +
                    " are made: it does not say by which tool")
        .note("say `spec.gitops` in " + code(planned.file));
    return;
  }
  if (*gitops->tool == GitOpsTool::ArgoCd && !gitops->repository) {
    session.sink
        .report(DiagnosticKind::LeftToDo, gitops.span,
                "no Applications are made for this cluster: it does not state the repository")
        .note("say `gitops.repository`, the URL from which Argo CD reads the generated files");
    return;
  }
  if (*gitops->tool == GitOpsTool::ArgoCd && is_artifact(*gitops)) {
    session.sink
        .report(DiagnosticKind::ConflictingValues, gitops->repository.span,
                "an ApplicationSet finds the folders of teams in a Git repository alone, and " +
                    shown(*gitops->repository) + " is an artifact")
        .also(gitops->tool.span, "the tool");
    return;
  }
  CompanionInput input;
  input.kinds = &session.job_kinds();
  input.gitops = &*gitops;
  input.cluster = *cluster.metadata->name;
  input.fleet = *plan.fleet.metadata->name;
  input.path = path_of(session, plan, *gitops, input.cluster);
  note_objects(gathered, input);
  const auto has = [&](const std::string& folder) {
    return std::any_of(gathered.outputs.begin() + static_cast<std::ptrdiff_t>(first),
                       gathered.outputs.end(),
                       [&](const KeptOutput& each) { return each.name.starts_with(folder); });
  };
  input.has_platform = has(input.cluster + "/platform/");
  input.has_claims = has(FleetUnits::claims_folder(input.cluster));
  for (const PlannedTeam& team : plan.teams) {
    CompanionTeam& added = input.teams.emplace_back(companion_team(team, gathered.synced));
    added.has_jobs = has(FleetUnits::jobs_folder(input.cluster) + added.name + "/");
    added.has_runtimes = has(FleetUnits::runtimes_folder(input.cluster) + added.name + "/");
    input.namespaces.insert(team.namespaces.begin(), team.namespaces.end());
  }
  const std::string source = SourceNames(session.env.files, plan.rendered).name(planned.file);
  for (const Companion& each : companions(input)) {
    std::string text = owned_beginning(source, input.fleet) + each.text;
    seal(text);
    gathered.outputs.push_back({input.cluster + "/gitops/" + each.name,
                                "",
                                gathered.spool.add(text),
                                {},
                                {gitops.span, {}}});
  }
}

}  // namespace trainyard
