#include "driver/fleet/render_fleet.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "diag/words.h"
#include "driver/build/gathered_jobs.h"
#include "driver/build/output_directory.h"
#include "driver/build/run_sources.h"
#include "driver/fleet/chains.h"
#include "driver/fleet/companions.h"
#include "driver/fleet/fleet_plan.h"
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

/// Adds the companions of a cluster to its outputs, if the Cluster names a tool: of all that was
/// gathered for it, from the output with the index `first` on. A Cluster that leaves out what the
/// tool needs gets a note in the session's sink.
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

/// The part of a fleet that a run renders.
struct Part {
  std::string cluster;  // "" for all
  std::string team;     // "" for all, and the platform

  bool has_cluster(std::string_view name) const { return cluster.empty() || cluster == name; }
  bool has_team(std::string_view name) const { return team.empty() || team == name; }
};

/// A cluster with its Cluster document.
struct ReadCluster {
  const PlannedCluster* planned = nullptr;
  std::string name;
  std::unique_ptr<ClusterDocument> document;
  Policies policies;  // of the run and of the Cluster
};

class Renderer {
 public:
  Renderer(Session& session, const RenderRequest& request, const FleetPlan& plan)
      : session_(session), request_(request), plan_(plan), gathered_(session, build_) {
    build_.output_directory = plan.rendered;
    build_.target = request.target;
    build_.findings = request.findings;
    build_.fleet = *plan.fleet.metadata->name;
    build_.workers = request.workers;
    const std::size_t slash = request.only.find('/');
    part_.cluster = request.only.substr(0, slash);
    if (slash != std::string::npos) part_.team = request.only.substr(slash + 1);
  }

  BuildResult render() {
    read_clusters();
    if (session_.sink.has_errors() || !knows_part()) return {};
    for (ReadCluster& each : clusters_) {
      if (part_.has_cluster(each.name)) cluster(each);
    }
    if (!session_.sink.has_errors()) refuse_empty_chains();
    const std::size_t specs = gathered_.documents;
    BuildResult result;
    if (!session_.sink.has_errors()) result = into_tree();
    result.specs = specs;
    return result;
  }

 private:
  void read_clusters() {
    const Policies of_run = session_.policies.copy();
    std::map<std::string, Span> names;
    for (const PlannedCluster& planned : plan_.clusters) {
      session_.use(of_run.copy());
      ReadCluster cluster{&planned, {}, read_cluster(session_, planned.file), {}};
      if (cluster.document == nullptr) continue;
      const Text& name = cluster.document->cluster.metadata->name;
      cluster.name = *name;
      cluster.policies = session_.policies.copy();
      if (!is_plain_file_name(cluster.name)) {
        session_.sink.report(DiagnosticKind::BadName, name.span,
                             shown(cluster.name) +
                                 " cannot name the folder of this Cluster; expected a name without "
                                 "`/` that does not begin with a dot, such as `lab`");
      }
      const auto [first, is_new] = names.try_emplace(cluster.name, name.span);
      if (!is_new) {
        session_.sink
            .report(DiagnosticKind::DuplicateItem, (*planned.entry)->file.span,
                    "a second cluster of the fleet has the name " + shown(cluster.name))
            .also(name.span, "its name")
            .also(first->second, "the first one");
      }
      clusters_.push_back(std::move(cluster));
    }
    session_.use(of_run.copy());
    refuse_shared_projects();
  }

  /// Each cluster makes its project, so one Argo CD for several must not get two of one name.
  void refuse_shared_projects() {
    std::map<std::pair<std::string_view, std::string_view>, const GitOps*> projects;
    for (const ReadCluster& each : clusters_) {
      const Located<GitOps>& gitops = each.document->cluster.spec->gitops;
      if (!gitops || !gitops->project || *gitops->project == kNoProject) continue;
      const auto [first, is_new] = projects.try_emplace({*gitops->ns, *gitops->project}, &*gitops);
      const bool share_argocd = gitops->server || first->second->server;
      if (is_new || !share_argocd) continue;
      session_.sink
          .report(DiagnosticKind::DuplicateItem, gitops->project.span,
                  "the project " + shown(*gitops->project) +
                      " is made for another cluster of the fleet already")
          .also(first->second->project.span, "the first one")
          .note("leave `project` out: each cluster then has a project of its own name");
    }
  }

  /// Whether `--only` names what is there.
  bool knows_part() {
    std::vector<std::string> clusters;
    for (const ReadCluster& each : clusters_) clusters.push_back(each.name);
    std::vector<std::string> teams;
    for (const PlannedTeam& each : plan_.teams) teams.emplace_back(each.name());
    const bool has_slash = request_.only.find('/') != std::string::npos;
    return is_among("cluster", part_.cluster, !request_.only.empty(), clusters) &&
           is_among("team", part_.team, has_slash, teams);
  }

  bool is_among(std::string_view what, const std::string& name, bool is_asked,
                const std::vector<std::string>& names) {
    if (!is_asked || std::ranges::find(names, name) != names.end()) return true;
    session_.sink.report(DiagnosticKind::UnknownReference, {},
                         "`--only`: the fleet has no " + std::string(what) + " " + shown(name) +
                             "; expected " + listed(names, "or"));
    return false;
  }

  void cluster(ReadCluster& cluster) {
    // A Session serves one Cluster at a time.
    session_.use(cluster.policies.copy());
    const FleetUnits units(session_, plan_, *cluster.planned, *cluster.document);
    const std::size_t first = gathered_.outputs.size();
    gathered_.begin(cluster.document.get(), &units);
    if (part_.team.empty()) platform(cluster);
    const std::size_t errors = session_.sink.error_count();
    gathered_.compile_files(specs_of(*cluster.planned));
    if (session_.sink.error_count() == errors) check_chains(cluster.document->cluster);
    if (part_.team.empty() && !session_.sink.has_errors()) {
      add_companions(session_, plan_, *cluster.planned, cluster.document->cluster, first,
                     gathered_);
    }
    session_.layers.overlays.clear();
    session_.use({});
  }

  void check_chains(const Cluster& cluster) {
    const Located<GitOps>& gitops = cluster.spec->gitops;
    Span names_runs;  // what has the objects of Flux name the workloads
    if (gitops && *gitops->tool == GitOpsTool::Flux) names_runs = gitops->gate.span;
    for (const PlannedTeam& team : plan_.teams) {
      if (!part_.has_team(team.name())) continue;
      for (const Located<Chain>& chain : *(*team.entry)->chains) {
        if (!has_steps(*chain, team.name(), gathered_.synced)) continue;
        check_chain(session_, team, chain, cluster, gathered_.synced);
        chains_.insert(&chain);
        names_runs = chain->name.span;
      }
    }
    if (part_.team.empty() || !names_runs.known()) return;
    session_.sink
        .report(DiagnosticKind::LeftToDo, names_runs,
                "Flux waits for jobs by their names, which stand in a folder that a run of one "
                "team leaves as it is")
        .note("run `trainyard render --only " + part_.cluster + "` before you commit");
  }

  /// Whether each chain has jobs, which only a run over all clusters knows.
  void refuse_empty_chains() {
    for (const PlannedTeam& team : plan_.teams) {
      for (const Located<Chain>& chain : *(*team.entry)->chains) {
        if (!request_.only.empty() || chains_.contains(&chain)) continue;
        session_.sink.report(DiagnosticKind::UnknownReference, chain->name.span,
                             "no cluster of the fleet has a job of the team " + shown(team.name()) +
                                 " for the chain " + shown(*chain->name));
      }
    }
  }

  void platform(const ReadCluster& cluster) {
    for_each_document({cluster.planned->file}, session_.env, session_.sources, session_.sink,
                      session_.limits, Ambiguity::Refuse, [&](Document& document) {
                        if (document.kind != "Cluster") return;
                        gathered_.compile_cluster(document,
                                                  cluster.name + "/platform/" + cluster.name);
                      });
  }

  /// Those of the part, by team, so that a thread changes seldom from one to another.
  std::vector<InputPart> specs_of(const PlannedCluster& cluster) const {
    std::vector<InputPart> specs;
    const auto team_of = [this](const InputPart& spec) -> std::optional<std::size_t> {
      const std::vector<TeamClaim>& claims = plan_.claims.at(spec.path);
      if (claims.size() != 1) return std::nullopt;
      return claims.front().team;
    };
    for (const InputPart& spec : cluster.specs) {
      const auto team = team_of(spec);
      if (!team || part_.has_team(plan_.teams[*team].name())) specs.push_back(spec);
    }
    std::ranges::sort(specs, {}, [&team_of](const InputPart& spec) {
      return std::pair(team_of(spec), std::string_view(spec.path));
    });
    return specs;
  }

  BuildResult into_tree() {
    gathered_.jobs.clear();  // there may be very many, and nothing else to report of them
    OutputRequest output;
    output.path = plan_.rendered;
    output.prune = request_.prune;
    output.yes = request_.yes;
    output.findings = request_.findings;
    output.tree = FleetTree{build_.fleet, folders()};
    OutputDirectory tree(session_, std::move(output),
                         RunSources(session_.env.files, plan_.rendered, {}),
                         lay_out(std::move(gathered_.outputs)), std::move(gathered_.spool));
    return update(tree, request_.check);
  }

  std::vector<std::string> folders() const {
    if (part_.team.empty()) return {part_.cluster};
    return {FleetUnits::claims_folder(part_.cluster) + part_.team,
            FleetUnits::jobs_folder(part_.cluster) + part_.team,
            FleetUnits::runtimes_folder(part_.cluster) + part_.team,
            FleetUnits::chains_folder(part_.cluster) + part_.team};
  }

  Session& session_;
  const RenderRequest& request_;
  const FleetPlan& plan_;
  Part part_;
  BuildRequest build_;
  GatheredJobs gathered_;
  std::vector<ReadCluster> clusters_;
  std::set<const Located<Chain>*> chains_;  // that a cluster has jobs of
};

}  // namespace

BuildResult render_fleet(Session& session, const RenderRequest& request) {
  const auto plan = read_fleet(session, request.fleet);
  if (plan == nullptr) return {};
  return Renderer(session, request, *plan).render();
}

}  // namespace trainyard
