// What bindings bind, where a typo leads past it.

#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kRoles = "rbac.authorization.k8s.io";

/// An account in `default`, where one of this name is in the namespace of the binding.
bool is_left_in_default(View name, View name_space, std::string_view own, CheckContext& context) {
  const std::string_view its = string_of(name);
  if (string_of(name_space) != "default" || own.empty() || own == "default" || its == "default") {
    return false;
  }
  const Inventory* inventory = its.empty() ? nullptr : context.inventory();
  if (inventory == nullptr || inventory->has("", "ServiceAccount", "default", its)) return false;
  const View account = inventory->find("", "ServiceAccount", own, its);
  if (!account) return false;
  context
      .lint(name_space, "service account " + shown(its) + " is in namespace " + shown(own) +
                            ", as is the binding, and not in " + shown("default"))
      .also(context.place(get(get(account, "metadata"), "name")), "this one");
  return true;
}

void role(View object, CheckContext& context) {
  static constexpr std::string_view kIdle[] = {"role"};
  const View ref = get(object, "roleRef");
  const std::string_view own = string_at(get(object, "metadata"), "namespace");
  const bool of_cluster = string_at(ref, "kind") == "ClusterRole";
  report_similar_name({.group = kRoles,
                       .kind = of_cluster ? "ClusterRole" : "Role",
                       .what = "role",
                       .name_space = of_cluster ? std::string_view() : own,
                       .name = get(ref, "name"),
                       .idle = kIdle},
                      context);
  for (View subject : items_at(object, "subjects")) {
    if (string_at(subject, "kind") != "ServiceAccount") continue;
    const std::string_view its = string_at(subject, "namespace");
    if (is_left_in_default(get(subject, "name"), get(subject, "namespace"), own, context)) continue;
    report_similar_name({.group = {},
                         .kind = "ServiceAccount",
                         .what = "service account",
                         .name_space = its.empty() ? own : its,
                         .name = get(subject, "name")},
                        context);
  }
}

constexpr Check kChecks[] = {
    {.name = "role-of-binding",
     .group = CheckGroup::Platform,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .opt_in = true,
     .on = "rbac.authorization.k8s.io RoleBinding ClusterRoleBinding",
     .sentence = "The role and the service accounts of a binding are called so.",
     .source = "kubernetes/kubernetes pkg/registry/rbac/validation/rule.go: a role that is not "
               "there grants nothing",
     .object = role,
     .severity = Severity::Warning,
     .because = "The pods are refused what they ask the API server for.",
     .fix = "write the names of the Role and of the ServiceAccount"},
};

}  // namespace

const std::span<const Check> binding_lints = kChecks;

}  // namespace trainyard
