#include "lints/launch/api_peers.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/launches.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

struct Right {
  std::string_view program;
  std::string_view resource;
  std::string_view verb;
};
// jax-ml/jax jax/_src/clusters/k8s_cluster.py: list_namespaced_pod, read_namespaced_job;
// apache/spark docs/running-on-kubernetes.md; dask/dask-kubernetes, its ClusterRole
constexpr auto kRights = std::to_array<Right>({{"jax", "pods", "list"},
                                               {"jax", "jobs", "get"},
                                               {"spark", "pods", "create"},
                                               {"dask", "daskclusters", "create"}});

bool lists(View rule, std::string_view key, std::string_view wanted) {
  return std::ranges::any_of(items_at(rule, key), [&](View item) {
    return string_of(item) == wanted || string_of(item) == "*";
  });
}

bool binds(View binding, std::string_view account, std::string_view own) {
  return std::ranges::any_of(items_at(binding, "subjects"), [&](View subject) {
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

Lack lack_of(std::string_view program, std::string_view account, const Workload& workload,
             const Inventory& inventory) {
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
    if (right.program != program) continue;
    const bool has = std::ranges::any_of(roles, [&](View role) {
      return std::ranges::any_of(items_at(role, "rules"), [&](View rule) {
        return lists(rule, "resources", right.resource) && lists(rule, "verbs", right.verb);
      });
    });
    if (!has) return {&right, roles.empty() ? View() : roles.front(), true};
  }
  return {};
}

/// What takes the token of a pod's account away; an empty view if it has one.
View token_opt_out(View spec) {
  const bool is_projected = std::ranges::any_of(items_at(spec, "volumes"), [](View volume) {
    return std::ranges::any_of(items_at(get(volume, "projected"), "sources"), [](View source) {
      return static_cast<bool>(get(source, "serviceAccountToken"));
    });
  });
  const View token = get(spec, "automountServiceAccountToken");
  return token && !is_true(token) && !is_projected ? token : View();
}

void check_rights(const Launch& launch, const Workload& workload, const WorkloadRole& role,
                  CheckContext& context) {
  const std::string asks = launch.what + " asks the API server" +
                           (launch.program == "jax" ? " for its peers, " : " for pods, ");
  if (const View token = token_opt_out(role.pod.spec)) {
    context.lint(launch.by, asks + "and these pods have no token")
        .also(context.place(token), "takes the token away");
    return;
  }
  const View account = get(role.pod.spec, "serviceAccountName");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const Lack lack =
      lack_of(launch.program, account ? string_of(account) : "default", workload, *inventory);
  if (!lack.is_known || lack.right == nullptr) return;
  // The role of a named account, or of one for Spark, may be elsewhere.
  if ((account || launch.program != "jax") && !lack.role) return;
  Diagnostic& found = context.lint(launch.by, asks + "and no role lets their account `" +
                                                  std::string(lack.right->verb) + "` " +
                                                  std::string(lack.right->resource));
  if (lack.role) found.also(context.place(get(get(lack.role, "metadata"), "name")), "its role");
}

/// The autoscaler in the head of a Ray cluster. The operator makes its account and its role
/// (ray-project/kuberay ray-operator/controllers/ray/common/rbac.go).
void check_autoscaler(const Workload& workload, CheckContext& context) {
  const View own = get(workload.spec, "rayClusterSpec");
  const View scales = get(own ? own : workload.spec, "enableInTreeAutoscaling");
  if (workload.group != "ray.io" || !is_true(scales)) return;
  for (const WorkloadRole& role : workload.roles) {
    const View token = get(role.holder, "rayStartParams") ? token_opt_out(role.pod.spec) : View();
    if (!token || !role.is_launcher) continue;
    context.lint(scales, "the autoscaler asks the API server for pods, and the head has no token")
        .also(context.place(token), "takes the token away");
    return;
  }
}

}  // namespace

void check_peers_from_api(const Workload& workload, CheckContext& context) {
  check_autoscaler(workload, context);
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec) continue;
    for (View container : role.containers) {
      for (const Launch& launch : launches_in(container, {})) {
        if (launch.channel != Channel::Api || launch.call) continue;
        if (launch.program == "jax" && workload.working_pods() < 2) continue;
        check_rights(launch, workload, role, context);
        return;
      }
    }
  }
}

}  // namespace trainyard
