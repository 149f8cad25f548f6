#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "admission/tables.h"
#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kVerbs = std::to_array<std::string_view>(
    {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use",
     "bind", "escalate", "impersonate", "approve", "sign", "proxy"});

struct OwnResource {
  std::string_view group;
  std::string_view name;
};
constexpr auto kResources = std::to_array<OwnResource>({
    {"", "configmaps"},
    {"", "endpoints"},
    {"", "limitranges"},
    {"", "namespaces"},
    {"", "nodes"},
    {"", "persistentvolumeclaims"},
    {"", "persistentvolumes"},
    {"", "pods"},
    {"", "replicationcontrollers"},
    {"", "resourcequotas"},
    {"", "secrets"},
    {"", "serviceaccounts"},
    {"", "services"},
    {"apps", "daemonsets"},
    {"apps", "deployments"},
    {"apps", "replicasets"},
    {"apps", "statefulsets"},
    {"batch", "cronjobs"},
    {"batch", "jobs"},
    // Of CustomResourceDefinitions, by those that are packed in.
    {"jobset.x-k8s.io", "jobsets"},
    {"kubeflow.org", "jaxjobs"},
    {"kubeflow.org", "mpijobs"},
    {"kubeflow.org", "paddlejobs"},
    {"kubeflow.org", "pytorchjobs"},
    {"kubeflow.org", "tfjobs"},
    {"kubeflow.org", "xgboostjobs"},
    {"kueue.x-k8s.io", "clusterqueues"},
    {"kueue.x-k8s.io", "localqueues"},
    {"kueue.x-k8s.io", "resourceflavors"},
    {"leaderworkerset.x-k8s.io", "leaderworkersets"},
    {"ray.io", "rayclusters"},
    {"ray.io", "rayjobs"},
    {"ray.io", "rayservices"},
    {"trainer.kubeflow.org", "clustertrainingruntimes"},
    {"trainer.kubeflow.org", "trainingruntimes"},
    {"trainer.kubeflow.org", "trainjobs"},
    // Of the Trainer before its first release, where the group is meant for the kinds above as
    // well.
    {"kubeflow.org", "clustertrainingruntimes"},
    {"kubeflow.org", "trainingruntimes"},
    {"kubeflow.org", "trainjobs"},
});

/// Groups that have no other resource by one of the names above.
bool are_known(View groups) {
  constexpr auto known = std::to_array<std::string_view>(
      {"", "apps", "batch", "jobset.x-k8s.io", "kubeflow.org", "kueue.x-k8s.io",
       "leaderworkerset.x-k8s.io", "ray.io", "trainer.kubeflow.org"});
  return std::ranges::all_of(Items(groups), [&](View each) {
    return std::ranges::find(known, string_of(each)) != known.end();
  });
}

bool holds(View groups, std::string_view group) {
  return std::ranges::any_of(Items(groups), [&](View each) { return string_of(each) == group; });
}

/// kubernetes/kubernetes pkg/registry/core/rest/storage_core.go
constexpr auto kPartsOfPods =
    std::to_array<std::string_view>({"attach", "binding", "ephemeralcontainers", "eviction", "exec",
                                     "log", "portforward", "proxy", "resize", "status"});

void part_of_pods(View resource, CheckContext& context) {
  const std::string_view text = string_of(resource);
  const std::string_view part = text.substr(text.find('/') + 1);
  if (std::ranges::find(kPartsOfPods, part) != kPartsOfPods.end()) return;
  const auto meant = std::ranges::find_if(
      kPartsOfPods, [&](std::string_view known) { return is_typo_of(part, known); });
  if (meant == kPartsOfPods.end()) return;
  context.lint(resource, "pods have no part " + shown(part) + "; did you mean " +
                             shown("pods/" + std::string(*meant)) + "?");
}

/// The resources that some rule has in their group: for these no permission is missing.
std::set<std::string_view> allowed_somewhere(View object) {
  std::set<std::string_view> allowed;
  for (View rule : items_at(object, "rules")) {
    for (View each : items_at(rule, "resources")) {
      const std::string_view text = string_of(each);
      const std::string_view base = text.substr(0, text.find('/'));
      const View groups = get(rule, "apiGroups");
      const bool is_own = std::ranges::any_of(kResources, [&](const OwnResource& own) {
        return own.name == base && holds(groups, own.group);
      });
      if (is_own) allowed.insert(base);
    }
  }
  return allowed;
}

void resource_word(View resource, View groups, const std::set<std::string_view>& allowed,
                   CheckContext& context) {
  const std::string_view text = string_of(resource);
  const std::string_view base = text.substr(0, text.find('/'));
  if (base == "pods" && base != text) part_of_pods(resource, context);
  if (allowed.contains(base)) return;
  for (const OwnResource& each : kResources) {
    if (each.name == base) {
      context
          .lint(resource, shown(text) + " are of the group " +
                              (each.group.empty() ? "`\"\"`, the core group" : shown(each.group)) +
                              ", which this rule does not name")
          .also(context.place(groups), "its groups");
      return;
    }
  }
  for (const OwnResource& each : kResources) {
    const bool singular = each.name.size() == base.size() + 1 && each.name.starts_with(base);
    const bool typo = base.size() > 3 && is_typo_of(base, each.name);
    if ((!singular && !typo) || !holds(groups, each.group)) continue;
    context.lint(resource, "there is no resource " + shown(base) + "; did you mean " +
                               shown(each.name) + "?");
    return;
  }
}

struct GroupWord {
  std::string_view word;
  std::string_view group;
};
/// What groups are called in clients, in folders of sources and in speech. No
/// CustomResourceDefinition has a group without a dot.
constexpr auto kGroupWords = std::to_array<GroupWord>({
    {"core", ""},
    {"v1", ""},
    {"coordination", "coordination.k8s.io"},
    {"jobset", "jobset.x-k8s.io"},
    {"kubeflow", "kubeflow.org"},
    {"kueue", "kueue.x-k8s.io"},
    {"networking", "networking.k8s.io"},
    {"ray", "ray.io"},
    {"rbac", "rbac.authorization.k8s.io"},
    {"scheduling", "scheduling.k8s.io"},
    {"storage", "storage.k8s.io"},
});

/// What is asked has a group without a version.
/// kubernetes/kubernetes pkg/apis/rbac/v1/evaluation_helpers.go APIGroupMatches
void group_words(View groups, CheckContext& context) {
  for (View group : Items(groups)) {
    const std::string_view text = string_of(group);
    const std::string_view name = text.substr(0, text.find('/'));
    const auto word = std::ranges::find(kGroupWords, name, &GroupWord::word);
    if (name == text && word == kGroupWords.end()) continue;
    const bool has_version = name != text || name == "v1";
    context
        .lint(group, "no request is about the group " + shown(text) +
                         (has_version ? ": groups have no version" : std::string()))
        .note("did you mean `\"" + std::string(word != kGroupWords.end() ? word->group : name) +
              "\"`?");
  }
}

/// Words of other systems for what several verbs allow here.
constexpr auto kForeignVerbs = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"read", "`get`, `list` and `watch`"},
    {"view", "`get`, `list` and `watch`"},
    {"write", "`create`, `update` and `patch`"},
    {"edit", "`update` and `patch`"},
    {"modify", "`update` and `patch`"},
    {"remove", "`delete`"},
    {"all", "`*`"},
    {"any", "`*`"},
});

/// `pods/exec`: what is created there is created in an object with a name.
bool has_parts(View rule) {
  return std::ranges::any_of(items_at(rule, "resources"), [](View each) {
    return string_of(each).find('/') != std::string_view::npos || string_of(each) == "*";
  });
}

/// One typo away, or in the third person: `watches`.
bool is_slip_of_verb(std::string_view word, std::string_view verb) {
  const bool third_person = word.starts_with(verb) && word.substr(verb.size()) == "es";
  return third_person || is_typo_of(word, verb);
}

void rule_words(View object, CheckContext& context) {
  const std::set<std::string_view> allowed = allowed_somewhere(object);
  for (View rule : items_at(object, "rules")) {
    const View groups = get(rule, "apiGroups");
    const bool has_known_groups = has_items(groups) && are_known(groups);
    for (View verb : items_at(rule, "verbs")) {
      const std::string_view text = string_of(verb);
      if (std::ranges::find(kVerbs, text) != kVerbs.end()) continue;
      const auto foreign = std::ranges::find(kForeignVerbs, text,
                                             &std::pair<std::string_view, std::string_view>::first);
      if (foreign != kForeignVerbs.end() && has_known_groups) {
        context.lint(verb, "no request has the verb " + shown(text) + "; expected " +
                               std::string(foreign->second));
        continue;
      }
      const auto near = std::ranges::find_if(
          kVerbs, [&](std::string_view known) { return is_slip_of_verb(text, known); });
      if (near == kVerbs.end()) continue;
      context.lint(
          verb, "no request has the verb " + shown(text) + "; did you mean " + shown(*near) + "?");
    }
    const View verbs = get(rule, "verbs");
    // Proxies ask for words of their own, with a name: the gateway of Loki whether a tenant's
    // lines may be written.
    if (has_known_groups && has_items(get(rule, "resourceNames")) && has_items(verbs) &&
        verbs->size == 1 && string_of(*Items(verbs).begin()) == "create" && !has_parts(rule)) {
      context.lint(get(rule, "resourceNames"),
                   "this allows nothing: what is to be created has no name yet when it is asked "
                   "whether it may be");
    }
    if (has_items(groups)) group_words(groups, context);
    if (!has_known_groups) continue;
    for (View resource : items_at(rule, "resources")) {
      if (!string_of(resource).empty()) resource_word(resource, groups, allowed, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "role-words",
     .group = CheckGroup::Platform,
     .effect = Effect::RunsWrong,
     .on = "rbac.authorization.k8s.io Role ClusterRole",
     .sentence = "Verbs, groups and resources of a rule are those of requests.",
     .source = "kubernetes/website content/en/docs/reference/access-authn-authz/authorization.md; "
               "kubernetes/kubernetes api/openapi-spec; CustomResourceDefinitions of the operators",
     .object = rule_words,
     .severity = Severity::Warning,
     .because = "A rule may hold any words, and allows nothing by those that no request has.",
     .fix = "write the verb in lower case, the resource in the plural, and its group without a "
            "version"},
};

}  // namespace

constinit const std::span<const Check> rbac_checks = kChecks;

}  // namespace trainyard
