// Applications against the AppProject that they are in.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "source/base64.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// `*` stands for any text. argoproj/argo-cd util/glob/glob.go
bool fits(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (fits(rest, text.substr(at))) return true;
  }
  return false;
}

/// What is left for others to say: a template, or a pattern with more than `*`.
bool is_open(std::string_view text) {
  return text.empty() || text.find_first_of("{}$?[]!") != text.npos;
}

/// One address in all its ways of writing. argoproj/argo-cd util/git/git.go NormalizeGitURL
std::string_view address(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  return url;
}

/// What a Secret says of a repository or a cluster of Argo CD.
std::string said_in(View secret, std::string_view key) {
  const std::string_view text = string_at(get(secret, "stringData"), key);
  if (!text.empty()) return std::string(text);
  return from_base64(string_at(get(secret, "data"), key)).value_or(std::string());
}

/// A project also takes what belongs to it, without listing it. argoproj/argo-cd util/argo/argo.go
/// GetAppProjectByName
bool has_of_its_own(View project, std::string_view key, std::string_view wanted,
                    CheckContext& context) {
  const std::string_view name = string_at(get(project, "metadata"), "name");
  const std::vector<View> secrets = context.inventory()->all("", "Secret");
  return std::ranges::any_of(secrets, [&](View each) {
    return label(each, "argocd.argoproj.io/secret-type") && said_in(each, "project") == name &&
           address(said_in(each, key)) == address(wanted);
  });
}

View project_of(View object, CheckContext& context) {
  constexpr auto homes = std::to_array<std::string_view>({"", "argocd", "openshift-gitops"});
  const std::string_view space = string_at(get(object, "metadata"), "namespace");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr || std::ranges::find(homes, space) == homes.end()) return {};
  const std::string_view name = string_at(get(object, "spec"), "project");
  const View found = inventory->find("argoproj.io", "AppProject", space, name);
  // Of several, each is of another cluster.
  return inventory->named("argoproj.io", "AppProject", name).size() == 1 ? found : View();
}

/// An Application names its cluster by the server or by a name, and so does the project.
void destination(View object, View project, CheckContext& context) {
  const View own = get(get(object, "spec"), "destination");
  const View list = get(get(project, "spec"), "destinations");
  const View space = get(own, "namespace");
  const std::string_view server = string_at(own, "server");
  if (is_open(string_of(space)) || is_open(server) || !has_items(list)) return;
  bool has_server = false;
  for (View each : Items(list)) {
    const std::string_view its = string_at(each, "server");
    const std::string_view spaces = string_at(each, "namespace");
    if (is_open(spaces) || (its.empty() && !string_at(each, "name").empty()) || is_open(its))
      return;
    if (!fits(its, server)) continue;
    if (fits(spaces, space->text)) return;
    has_server = true;
  }
  if (has_of_its_own(project, "server", server, context)) return;
  const View at = has_server ? space : get(own, "server");
  context
      .refuse(at, "project " + shown(string_at(get(project, "metadata"), "name")) +
                      " allows no Application to go to " + shown(at->text))
      .also(context.place(list), "where it may go");
}

void sources(View object, View project, CheckContext& context) {
  const View list = get(get(project, "spec"), "sourceRepos");
  if (!has_items(list)) return;
  for (View each : Items(list)) {
    if (is_open(string_of(each))) return;
  }
  const auto check = [&](View source) {
    const View url = get(source, "repoURL");
    if (is_open(string_of(url))) return;
    const bool is_allowed = std::ranges::any_of(
        Items(list), [&](View each) { return fits(address(string_of(each)), address(url->text)); });
    if (is_allowed || has_of_its_own(project, "url", url->text, context)) return;
    context
        .refuse(url, "project " + shown(string_at(get(project, "metadata"), "name")) +
                         " takes nothing from " + shown(url->text))
        .also(context.place(list), "what it takes from");
  };
  const View several = get(get(object, "spec"), "sources");
  if (!has_items(several)) check(get(get(object, "spec"), "source"));
  for (View each : Items(several)) check(each);
}

void permitted(View object, CheckContext& context) {
  const View project = project_of(object, context);
  if (!project) return;
  destination(object, project, context);
  sources(object, project, context);
}

constexpr Check kChecks[] = {
    {.name = "argocd-project-permits",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     .on = "argoproj.io Application",
     .sentence = "An Application goes where its project allows it to, and comes from there.",
     .source = "argoproj/argo-cd pkg/apis/application/v1alpha1/types.go IsDestinationPermitted, "
               "IsSourcePermitted; util/argo/argo.go ValidatePermissions",
     .object = permitted,
     .operators = {.name = "argocd"}},
};

}  // namespace

constinit const std::span<const Check> argocd_project_checks = kChecks;

}  // namespace trainyard
