// Services at which rank 0 is looked for, and whose address is not that of one pod.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/launch/api_peers.h"
#include "lints/launch/rank_hosts.h"
#include "lints/scripts/exported_value.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/pod_labels.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Those of variables and options of torchrun, and of what others get.
std::vector<Host> all_hosts_in(View container) {
  std::vector<Host> hosts = hosts_in(container);
  const auto add = [&](const OptionValue& value, std::string_view from) {
    if (!is_plain_host(value.text)) return;
    hosts.push_back(host_of(value.text, value.at));
    hosts.back().from = from;
  };
  for (std::string_view name : {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT"}) {
    if (contains_text(container, name)) add(exported_value(container, name), name);
  }
  return hosts;
}

/// Whether torchrun compares the host with the addresses of its own machine, to see who keeps the
/// store.
bool is_compared(View container, const Host& host) {
  if (host.from != "rdzv-endpoint" && host.from != "PET_RDZV_ENDPOINT") return false;
  const auto call = torchrun_call(container);
  if (!call) return false;
  const OptionValue& backend = call->option("rdzv-backend");
  return backend.text == "c10d" ||
         (!backend && string_of(variable_value(container, "PET_RDZV_BACKEND")) == "c10d");
}

/// Whether a pod of a role has the name of the Service itself.
bool is_name_of_pod(const Workload& workload, const WorkloadRole& role, std::string_view host) {
  return string_at(role.pod.spec, "hostname") == host || is_called_as_pod(workload, host) ||
         (workload.kind == "Pod" && string_at(get(workload.object, "metadata"), "name") == host);
}

/// Whether a Service selects all pods of a role.
bool selects_all(View service_spec, const Workload& workload, const WorkloadRole& role) {
  const Items terms = entries_at(service_spec, "selector");
  return terms.begin() != terms.end() && std::all_of(terms.begin(), terms.end(), [&](View term) {
           return label_of(workload, role, term.key()) == string_of(term);
         });
}

struct Meeting {
  const Workload& workload;
  const WorkloadRole& role;
  View container;
  const Host& host;
  View service;  // of the host's name
};

void tell(const Meeting& at, const std::string& why, View because, Severity severity,
          CheckContext& context) {
  context
      .lint(at.host.at,
            "Service " + shown(at.host.name) + " " + why +
                ": expected the name of rank 0's pod in a headless Service",
            severity)
      .also(context.place(because), "the Service");
}

void look_at(const Meeting& at, CheckContext& context) {
  const View spec = get(at.service, "spec");
  const bool compared = is_compared(at.container, at.host);
  const View name = get(get(at.service, "metadata"), "name");
  if (string_at(spec, "type") == "ExternalName") {
    const std::string_view target = string_at(spec, "externalName");
    if (target.find(".svc") != target.npos) return;
    tell(at, "leads out of the cluster, where no pod is", get(spec, "externalName"),
         Severity::Warning, context);
    return;
  }
  if (string_at(spec, "clusterIP") == "None") {
    // Of Jobs another lint speaks.
    if (!compared || at.workload.is("batch", "Job") || at.role.pods < 2) return;
    if (!selects_all(spec, at.workload, at.role)) return;
    tell(at, "leads to all pods, so that each pod keeps a store of its own", get(spec, "selector"),
         Severity::Error, context);
    return;
  }
  if (compared) {
    tell(at, "has an address of its own, which is that of no pod, so that none keeps the store",
         name, Severity::Error, context);
  } else if (at.role.pods > 1 && selects_all(spec, at.workload, at.role)) {
    tell(at, "spreads connections over all pods, and only one is rank 0", get(spec, "selector"),
         Severity::Warning, context);
  }
}

/// `--rdzv-conf=is_host=1` in one pod: then it keeps the store, whatever the address is.
bool says_who_keeps_store(View container) {
  const auto call = torchrun_call(container);
  return call && call->option("rdzv-conf").text.find("is_host") != std::string::npos;
}

bool is_here(const Workload& workload, const Host& host) {
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  return host.domain.empty() || host.domain == own;
}

void rank_address(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || !role.pod.spec) continue;
    for (View container : role.containers) {
      if (says_who_keeps_store(container)) continue;
      for (const Host& host : all_hosts_in(container)) {
        if (host.name.empty() || !is_here(workload, host)) continue;
        if (is_name_of_pod(workload, role, host.name)) continue;
        if (is_injected(workload, role, container, host.from)) continue;
        const View service = service_named(workload, host.name, context);
        if (!service) continue;
        look_at({workload, role, container, host, service}, context);
        break;
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "rank-address",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The address of rank 0 is that of exactly one pod.",
     .source = "pytorch/pytorch torch/distributed/elastic/rendezvous/utils.py "
               "_matches_machine_hostname; issues 79388 and 69197",
     .workload = rank_address,
     .because = "Ranks find no store, or different ones, and wait until their time-out.",
     .fix = "name rank 0, such as `J-0.SERVICE`, with a headless Service and `subdomain`",
     .rule = "rendezvous"},
    {.name = "peers-from-api",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods whose program asks the API server for its peers, or for pods, may ask it.",
     .source = "jax-ml/jax jax/_src/clusters/k8s_cluster.py, issue 28178; "
               "AI-Hypercomputer/xpk issue 488; apache/spark docs/running-on-kubernetes.md; "
               "ray-project/kuberay ray-operator/controllers/ray/common/rbac.go",
     .workload = check_peers_from_api,
     .severity = Severity::Warning,
     .because = "The API server refuses the question, and each pod ends with an error, or trains "
                "alone.",
     .fix = "tell JAX `coordinator_address`, `num_processes` and `process_id`; or name a service "
            "account with that right, and leave its token in the pod",
     .rule = "rendezvous-variables"},
};

}  // namespace

const std::span<const Check> rank_address_lints = kChecks;

}  // namespace trainyard
