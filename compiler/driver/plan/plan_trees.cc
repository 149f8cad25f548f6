#include "driver/plan/plan_trees.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "diag/words.h"
#include "driver/session/user_schemas.h"
#include "driver/validate/directory_parts.h"

namespace trainyard {
namespace {

std::vector<InputPart> files_of(Session& session, const std::vector<std::string>& paths) {
  std::vector<InputPart> inputs =
      open_inputs(paths, session.env, session.sources, session.sink, session.limits);
  leave_out_parts(inputs, false, session);
  return inputs;
}

/// Reads the tree as it is to be, and as it was in Git.
void read_git(Session& session, const PlanTreesRequest& request, const RunGit& git,
              SyncStates& states) {
  const GitRange range = git_range(request.git);
  std::vector<InputPart> before;
  std::vector<InputPart> after;
  for (const std::string& path : request.inputs) {
    if (path == "-" || !session.env.files.exists(path)) {
      session.sink.report(DiagnosticKind::FileNotFound, {},
                          shown(path) + " is no file or directory of a repository");
      return;
    }
    const auto commits = git_commits(session, git, path, range);
    if (!commits) return;
    std::ranges::move(git_inputs(session, git, path, commits->before, range.before),
                      std::back_inserter(before));
    if (range.after.empty()) continue;
    std::ranges::move(git_inputs(session, git, path, commits->after, range.after),
                      std::back_inserter(after));
  }
  if (range.after.empty()) after = files_of(session, request.inputs);
  if (!range.after.empty()) leave_out_parts(after, false, session);
  load_input_schemas(session, after);
  leave_out_parts(before, false, session);
  const auto prefix = [](const std::string& word) { return UnitNames{word + ":", ""}; };
  states.after.read(session, after, ObjectSource::Tree, prefix(range.after));
  states.before.read(session, before, ObjectSource::Tree, prefix(range.before));
}

std::ptrdiff_t times_stdin(const PlanTreesRequest& request) {
  std::ptrdiff_t times = 0;
  for (const auto* paths : {&request.inputs, &request.old, &request.live}) {
    times += std::ranges::count(*paths, "-");
  }
  return times;
}

/// One directory stands for another.
UnitNames names_of(const Session& session, const std::vector<std::string>& from,
                   const std::vector<std::string>& to) {
  const auto folder = [&session](const std::vector<std::string>& paths) -> std::string {
    if (paths.size() != 1 || !session.env.files.is_directory(paths.front())) return {};
    return paths.front() + (paths.front().ends_with('/') ? "" : "/");
  };
  UnitNames names{folder(from), folder(to)};
  if (names.from.empty() || names.to.empty()) return {};
  return names;
}

/// By the option, else by the Cluster, else by the marks of the objects, where these agree.
SyncTool find_tool(const PlanTreesRequest& request, const ClusterDocument* cluster,
                   const ObjectTree& tree) {
  if (request.tool == "none") return SyncTool::None;
  if (const auto asked = sync_tool(request.tool)) return *asked;
  if (cluster != nullptr && cluster->cluster.spec->gitops) {
    const Located<GitOpsTool>& tool = cluster->cluster.spec->gitops->tool;
    if (tool) return *tool == GitOpsTool::Flux ? SyncTool::Flux : SyncTool::ArgoCd;
  }
  SpokenTo all;
  for (const TreeObject& each : tree.objects()) {
    const SpokenTo one = tools_of(each.object);
    all.argocd = all.argocd || one.argocd;
    all.flux = all.flux || one.flux;
  }
  if (all.argocd == all.flux) return SyncTool::None;
  return all.flux ? SyncTool::Flux : SyncTool::ArgoCd;
}

}  // namespace

std::unique_ptr<SyncStates> read_sync_states(Session& session, const PlanTreesRequest& request,
                                             const ClusterDocument* cluster, const RunGit& git) {
  auto states = std::make_unique<SyncStates>();
  if (times_stdin(request) > 1) {
    session.sink.report(DiagnosticKind::NoInput, {},
                        "standard input is named more than once, and can be read only once");
    return states;
  }
  states->has_before = !request.git.empty() || !request.old.empty();
  states->has_live = !request.live.empty();
  states->name_space = request.name_space.empty() ? "default" : request.name_space;
  if (request.git.empty()) {
    const std::vector<InputPart> after = files_of(session, request.inputs);
    load_input_schemas(session, after);
    states->after.read(session, after, ObjectSource::Tree);
    states->before.read(session, files_of(session, request.old), ObjectSource::Tree,
                        names_of(session, request.old, request.inputs));
  } else {
    read_git(session, request, git, *states);
  }
  states->live.read(session, files_of(session, request.live), ObjectSource::Dump);
  states->tool = find_tool(request, cluster, states->after);
  return states;
}

PlannedTrees plan_trees(Session& session, const PlanTreesRequest& request, const RunGit& git) {
  PlannedTrees planned;
  if (!request.cluster.empty()) {
    planned.cluster = read_cluster(session, request.cluster);
    if (planned.cluster == nullptr) return planned;
  }
  planned.states = read_sync_states(session, request, planned.cluster.get(), git);
  if (session.sink.has_errors()) return planned;
  planned.plan = make_sync_plan(session, planned.cluster.get(), *planned.states);
  return planned;
}

}  // namespace trainyard
