#include <algorithm>
#include <functional>

#include "driver/fleet/companions.h"
#include "driver/fleet/yaml_maker.h"

namespace trainyard {
namespace {

constexpr std::string_view kApi = "argoproj.io/v1alpha1";
constexpr std::string_view kServer = "https://kubernetes.default.svc";

/// The fields and options: argoproj/argo-cd docs/operator-manual/{project,applicationset}.yaml,
/// docs/user-guide/sync-options.md. No PruneLast and no waves among jobs: with a queue, the new run
/// waits for the quota of the old one (gitops-engine/pkg/sync/sync_context.go).
class ArgoCdMaker {
 public:
  explicit ArgoCdMaker(const CompanionInput& input)
      : input_(input),
        namespace_(input.gitops->ns ? *input.gitops->ns : "argocd"),
        server_(input.gitops->server ? *input.gitops->server : kServer),
        project_(input.gitops->project ? std::string(*input.gitops->project) : input.cluster) {}

  std::vector<Companion> all() const {
    std::vector<Companion> files;
    if (project_ != kNoProject) files.push_back({"project", project()});
    if (input_.has_platform) files.push_back({"platform", application("platform")});
    if (input_.has_claims) files.push_back({"claims", application("claims")});
    const bool has_jobs = std::ranges::any_of(input_.teams, &CompanionTeam::has_jobs);
    if (has_jobs) files.push_back({"jobs", jobs()});
    return files;
  }

 private:
  std::string_view revision() const {
    return input_.gitops->revision ? *input_.gitops->revision : "main";
  }

  NodeId metadata(YamlMaker& yaml, std::string_view name) const {
    return yaml.map({{"name", yaml.text(name)}, {"namespace", yaml.text(namespace_)}});
  }

  std::string project() const {
    YamlMaker yaml;
    const auto kind = [&](const GroupKind& each) {
      return yaml.map({{"group", yaml.text(each.first)}, {"kind", yaml.text(each.second)}});
    };
    const auto kinds = [&](const std::set<GroupKind>& all) {
      return all.empty() ? kNoNode : yaml.each(all, kind);
    };
    return yaml.document(
        {{"apiVersion", yaml.text(kApi)},
         {"kind", yaml.text("AppProject")},
         {"metadata", metadata(yaml, project_)},
         {"spec",
          yaml.map({{"description", yaml.text("Training jobs of the cluster " + input_.cluster)},
                    {"sourceRepos", yaml.texts({*input_.gitops->repository})},
                    {"destinations",
                     yaml.each(input_.namespaces,
                               [&](const std::string& each) { return destination(yaml, each); })},
                    {"clusterResourceWhitelist", kinds(input_.cluster_kinds)},
                    {"namespaceResourceWhitelist", kinds(input_.namespace_kinds)}})}});
  }

  NodeId destination(YamlMaker& yaml, std::string_view ns) const {
    return yaml.map({{"server", yaml.text(server_)}, {"namespace", yaml.text(ns)}});
  }

  NodeId source(YamlMaker& yaml, std::string_view path) const {
    return yaml.map({{"repoURL", yaml.text(*input_.gitops->repository)},
                     {"targetRevision", yaml.text(revision())},
                     {"path", yaml.text(path)},
                     {"directory", yaml.map({{"recurse", yaml.flag(true)}})}});
  }

  NodeId sync_policy(YamlMaker& yaml, bool prunes, NodeId options) const {
    return yaml.map(
        {{"automated", yaml.map({{"prune", yaml.flag(prunes)},
                                 {"selfHeal", yaml.flag(true)},
                                 {"allowEmpty", prunes ? yaml.flag(false) : kNoNode}})},
         {"syncOptions", options},
         {"retry", yaml.map({{"limit", yaml.number(5)},
                             {"backoff", yaml.map({{"duration", yaml.text("10s")},
                                                   {"factor", yaml.number(2)},
                                                   {"maxDuration", yaml.text("3m")}})}})}});
  }

  /// Of a unit whose objects stay in the cluster when they leave the repository.
  std::string application(const std::string& unit) const {
    YamlMaker yaml;
    const NodeId options = yaml.texts(
        {"ApplyOutOfSyncOnly=true", "ServerSideApply=true", "FailOnSharedResource=true"});
    return yaml.document(
        {{"apiVersion", yaml.text(kApi)},
         {"kind", yaml.text("Application")},
         {"metadata", metadata(yaml, input_.cluster + "-" + unit)},
         {"spec", yaml.map({{"project", yaml.text(project_)},
                            {"source", source(yaml, input_.path + "/" + unit)},
                            {"destination", destination(yaml, *input_.namespaces.begin())},
                            {"syncPolicy", sync_policy(yaml, false, options)}})}});
  }

  /// The namespace of an Application for the folder of a team, which must be one of the project.
  std::string namespace_of_folder() const {
    std::string others;
    for (const CompanionTeam& each : input_.teams) {
      if (each.name == each.first_namespace) continue;
      others += " \"" + each.name + "\" \"" + each.first_namespace + "\"";
    }
    if (others.empty()) return "{{.path.basename}}";
    return "{{get (dict" + others + ") .path.basename | default .path.basename}}";
  }

  /// Fields of jobs that a controller writes, too.
  void add_shared(YamlMaker& yaml, std::vector<NodeId>& out) const {
    for (const CompanionTeam& team : input_.teams) {
      for (const SyncedJob& each : team.jobs) {
        if (each.shared.empty()) continue;
        const auto pointer = [&](std::string_view path) { return yaml.text(path); };
        out.push_back(yaml.map({{"group", yaml.text(each.kind->group)},
                                {"kind", yaml.text(each.kind->kind)},
                                {"namespace", yaml.text(each.ns)},
                                {"name", yaml.text(each.name)},
                                {"jsonPointers", yaml.each(each.shared, pointer)}}));
      }
    }
  }

  /// Fields that the definitions of kinds fill in. Argo CD takes an atomic list from the manifest
  /// as it stands there (docs/user-guide/diff-strategies.md "Structured-Merge Diff"). Server-side
  /// diff would see them, but one refused object ends it for all: controller/state.go.
  void add_defaulted(YamlMaker& yaml, std::vector<NodeId>& out) const {
    for (const JobKind& kind : input_.kinds->all()) {
      if (kind.defaulted.empty() || !input_.namespace_kinds.contains(group_kind(kind))) continue;
      const auto path = [&](std::string_view each) { return yaml.text("." + std::string(each)); };
      out.push_back(yaml.map({{"group", yaml.text(kind.group)},
                              {"kind", yaml.text(kind.kind)},
                              {"jqPathExpressions", yaml.each(kind.defaulted, path)}}));
    }
  }

  static GroupKind group_kind(const JobKind& kind) {
    return {std::string(kind.group), std::string(kind.kind)};
  }

  NodeId team_template(YamlMaker& yaml) const {
    std::vector<NodeId> ignored;
    add_shared(yaml, ignored);
    const bool has_shared = !ignored.empty();
    add_defaulted(yaml, ignored);
    const NodeId ignored_fields = ignored.empty() ? kNoNode : yaml.each(ignored, std::identity());
    const NodeId options = yaml.list(
        {yaml.text("ApplyOutOfSyncOnly=true"), yaml.text("ServerSideApply=true"),
         yaml.text("PrunePropagationPolicy=foreground"), yaml.text("FailOnSharedResource=true"),
         has_shared ? yaml.text("RespectIgnoreDifferences=true") : kNoNode});
    const NodeId annotations =
        yaml.map({{"argocd.argoproj.io/manifest-generate-paths", yaml.text(".")}});
    return yaml.map(
        {{"metadata", yaml.map({{"name", yaml.text(input_.cluster + "-jobs-{{.path.basename}}")},
                                {"annotations", annotations}})},
         {"spec", yaml.map({{"project", yaml.text(project_)},
                            {"source", source(yaml, "{{.path.path}}")},
                            {"destination", destination(yaml, namespace_of_folder())},
                            {"ignoreDifferences", ignored_fields},
                            {"syncPolicy",
                             sync_policy(yaml, input_.gitops->prune.value_or(true), options)}})}});
  }

  std::string jobs() const {
    YamlMaker yaml;
    const NodeId folders = yaml.list({yaml.map({{"path", yaml.text(input_.path + "/jobs/*")}})});
    const NodeId generator =
        yaml.map({{"git", yaml.map({{"repoURL", yaml.text(*input_.gitops->repository)},
                                    {"revision", yaml.text(revision())},
                                    {"directories", folders}})}});
    return yaml.document(
        {{"apiVersion", yaml.text(kApi)},
         {"kind", yaml.text("ApplicationSet")},
         {"metadata", metadata(yaml, input_.cluster + "-jobs")},
         {"spec",
          yaml.map({{"goTemplate", yaml.flag(true)},
                    {"goTemplateOptions", yaml.texts({"missingkey=error"})},
                    {"generators", yaml.list({generator})},
                    // A folder that is lost ends no run.
                    {"syncPolicy", yaml.map({{"preserveResourcesOnDeletion", yaml.flag(true)}})},
                    {"template", team_template(yaml)}})}});
  }

  const CompanionInput& input_;
  std::string_view namespace_;
  std::string_view server_;
  std::string project_;
};

}  // namespace

std::vector<Companion> argocd_companions(const CompanionInput& input) {
  return ArgoCdMaker(input).all();
}

}  // namespace trainyard
