#include "driver/fleet/companions.h"
#include "driver/fleet/yaml_maker.h"

namespace trainyard {
namespace {

constexpr std::string_view kNamespace = "flux-system";
constexpr std::string_view kOwnSource = "flux-system";  // that `flux bootstrap` makes

/// What the Kustomization of a unit says besides its path.
struct FluxUnit {
  std::string name;  // behind that of the cluster
  std::string path;  // below the folder of the cluster
  std::vector<std::string> depends_on;
  std::string service_account;
  bool prune = false;
  bool wait = false;
};

/// The fields: fluxcd/kustomize-controller docs/spec/v1/kustomizations.md. Never `force`, which
/// deletes what runs, and no `wait` over jobs, which are not ready before they end.
class FluxMaker {
 public:
  explicit FluxMaker(const CompanionInput& input)
      : input_(input),
        namespace_(input.gitops->ns ? *input.gitops->ns : kNamespace),
        source_(input.gitops->repository ? std::string_view(input.fleet) : kOwnSource) {}

  std::vector<Companion> all() const {
    std::vector<Companion> files;
    if (input_.gitops->repository) files.push_back({"source", source()});
    const auto add = [&](const FluxUnit& unit) {
      files.push_back({unit.name, kustomization(unit)});
    };
    std::vector<std::string> first;
    if (input_.has_platform) {
      add({"platform", "platform", {}, "", false, true});
      first.push_back("platform");
    }
    if (input_.has_claims) {
      // Claims that bind with the first pod are never ready before it.
      add({"claims", "claims", first, "", false, false});
      first.push_back("claims");
    }
    const bool prune = input_.gitops->prune.value_or(true);
    for (const CompanionTeam& team : input_.teams) {
      std::vector<std::string> before = first;
      if (team.has_runtimes) {
        add({"runtimes-" + team.name, "runtimes/" + team.name, first, team.service_account, prune,
             false});
        before.push_back("runtimes-" + team.name);
      }
      if (!team.has_jobs) continue;
      add({"jobs-" + team.name, "jobs/" + team.name, before, team.service_account, prune, false});
    }
    return files;
  }

 private:
  NodeId metadata(YamlMaker& yaml, std::string_view name) const {
    return yaml.map({{"name", yaml.text(name)}, {"namespace", yaml.text(namespace_)}});
  }

  std::string source() const {
    YamlMaker yaml;
    const std::string_view branch = input_.gitops->revision ? *input_.gitops->revision : "main";
    return yaml.document(
        {{"apiVersion", yaml.text("source.toolkit.fluxcd.io/v1")},
         {"kind", yaml.text("GitRepository")},
         {"metadata", metadata(yaml, source_)},
         {"spec", yaml.map({{"interval", yaml.text("1m")},
                            {"url", yaml.text(*input_.gitops->repository)},
                            {"ref", yaml.map({{"branch", yaml.text(branch)}})}})}});
  }

  std::string kustomization(const FluxUnit& unit) const {
    YamlMaker yaml;
    const auto dependency = [&](const std::string& each) {
      return yaml.map({{"name", yaml.text(input_.cluster + "-" + each)}});
    };
    const auto& before = unit.depends_on;
    return yaml.document(
        {{"apiVersion", yaml.text("kustomize.toolkit.fluxcd.io/v1")},
         {"kind", yaml.text("Kustomization")},
         {"metadata", metadata(yaml, input_.cluster + "-" + unit.name)},
         {"spec",
          yaml.map({{"interval", yaml.text("10m")},
                    {"retryInterval", yaml.text("1m")},
                    {"timeout", yaml.text("5m")},
                    {"path", yaml.text("./" + input_.path + "/" + unit.path)},
                    {"sourceRef", yaml.map({{"kind", yaml.text("GitRepository")},
                                            {"name", yaml.text(source_)}})},
                    {"prune", yaml.flag(unit.prune)},
                    // To delete the Kustomization ends no run.
                    {"deletionPolicy", unit.prune ? yaml.text("Orphan") : kNoNode},
                    {"force", yaml.flag(false)},
                    {"wait", yaml.flag(unit.wait)},
                    {"dependsOn", before.empty() ? kNoNode : yaml.each(before, dependency)},
                    {"serviceAccountName",
                     unit.service_account.empty() ? kNoNode : yaml.text(unit.service_account)}})}});
  }

  const CompanionInput& input_;
  std::string_view namespace_;
  std::string_view source_;
};

}  // namespace

std::vector<Companion> flux_companions(const CompanionInput& input) {
  return FluxMaker(input).all();
}

// Health of the kinds in a tree is made from templates/kinds.yaml. Its place for Argo CD is a file
// `health`, a patch of argocd-cm; for Flux it is `healthCheckExprs` in FluxMaker::kustomization.
std::vector<Companion> companions(const CompanionInput& input) {
  return *input.gitops->tool == GitOpsTool::ArgoCd ? argocd_companions(input)
                                                   : flux_companions(input);
}

}  // namespace trainyard
