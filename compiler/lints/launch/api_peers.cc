#include "lints/launch/api_peers.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

/// The argument in which JAX is started without being told of its peers; an empty view for none.
/// By another launcher, or on TPUs, JAX finds them elsewhere (jax/_src/clusters).
View bare_start_of_jax(View container) {
  View found;
  any_argument(container, [&](View argument) {
    if (argument->text.find("jax.distributed.initialize()") == argument->text.npos) return false;
    found = argument;
    return true;
  });
  const bool is_told = mpirun_call(container) || contains_text(container, "srun") ||
                       variable(container, "TPU_WORKER_ID") ||
                       get(get(get(container, "resources"), "limits"), "google.com/tpu");
  return is_told ? View() : found;
}

struct Right {
  std::string_view resource;
  std::string_view verb;
};
// jax-ml/jax jax/_src/clusters/k8s_cluster.py: list_namespaced_pod, read_namespaced_job
constexpr auto kRights = std::to_array<Right>({{"pods", "list"}, {"jobs", "get"}});

bool lists(View rule, std::string_view key, std::string_view wanted) {
  const Items items = items_at(rule, key);
  return std::any_of(items.begin(), items.end(), [&](View item) {
    return string_of(item) == wanted || string_of(item) == "*";
  });
}

bool binds(View binding, std::string_view account, std::string_view own) {
  const Items subjects = items_at(binding, "subjects");
  return std::any_of(subjects.begin(), subjects.end(), [&](View subject) {
    if (string_at(subject, "kind") == "Group") {
      return string_at(subject, "name").starts_with("system:");
    }
    const std::string_view its = string_at(subject, "namespace");
    return string_at(subject, "name") == account && (its.empty() || own.empty() || its == own);
  });
}

/// What the roles among the inputs leave an account without; `is_known` is false where a role is
/// elsewhere.
struct Lack {
  const Right* right = nullptr;
  View role;
  bool is_known = true;
};

Lack lack_of(std::string_view account, const Workload& workload, const Inventory& inventory) {
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  std::vector<View> roles;
  for (std::string_view kind : {"RoleBinding", "ClusterRoleBinding"}) {
    for (View binding : inventory.all(kRbac, kind)) {
      if (!binds(binding, account, own)) continue;
      const View ref = get(binding, "roleRef");
      const bool of_cluster = string_at(ref, "kind") == "ClusterRole";
      const View role = inventory.find(
          kRbac, of_cluster ? "ClusterRole" : "Role",
          of_cluster ? std::string_view() : string_at(get(binding, "metadata"), "namespace"),
          string_at(ref, "name"));
      if (!role) return {nullptr, {}, false};
      roles.push_back(role);
    }
  }
  for (const Right& right : kRights) {
    const bool has = std::ranges::any_of(roles, [&](View role) {
      const Items rules = items_at(role, "rules");
      return std::any_of(rules.begin(), rules.end(), [&](View rule) {
        return lists(rule, "resources", right.resource) && lists(rule, "verbs", right.verb);
      });
    });
    if (!has) return {&right, roles.empty() ? View() : roles.front(), true};
  }
  return {};
}

}  // namespace

void check_peers_from_api(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec) continue;
    for (View container : role.containers) {
      const View start = bare_start_of_jax(container);
      if (!start) continue;
      const std::string what = "`jax.distributed.initialize()` asks the API server for its peers, ";
      const View token = get(role.pod.spec, "automountServiceAccountToken");
      if (token && !is_true(token)) {
        context.lint(start, what + "and these pods have no token")
            .also(context.place(token), "takes the token away");
        return;
      }
      const View account = get(role.pod.spec, "serviceAccountName");
      const Inventory* inventory = context.inventory();
      if (inventory == nullptr) return;
      const Lack lack = lack_of(account ? string_of(account) : "default", workload, *inventory);
      if (!lack.is_known || lack.right == nullptr || (account && !lack.role)) return;
      Diagnostic& found = context.lint(start, what + "and no role lets their account `" +
                                                  std::string(lack.right->verb) + "` " +
                                                  std::string(lack.right->resource));
      if (lack.role) found.also(context.place(get(get(lack.role, "metadata"), "name")), "its role");
      return;
    }
  }
}

}  // namespace trainyard
