// Probes of a port at which one pod alone listens.

#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The port of the rendezvous, which rank 0 opens: torchrun's default is 29500.
std::optional<std::int64_t> rendezvous_port(View container) {
  const auto call = torchrun_call(container);
  if (!call) return std::nullopt;
  if (const OptionValue& port = call->option("master-port")) return port.number();
  if (const OptionValue& endpoint = call->option("rdzv-endpoint")) {
    const std::size_t colon = endpoint.text.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    return plain_number(std::string_view(endpoint.text).substr(colon + 1));
  }
  return std::nullopt;
}

void probes_of_rank_zero(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.pods < 2) continue;
    for (View container : role.containers) {
      for (std::string_view name : {"livenessProbe", "startupProbe"}) {
        const View port = get(get(get(container, name), "tcpSocket"), "port");
        const auto asked = asked_port(port, container);
        if (!asked || asked != rendezvous_port(container)) continue;
        context
            .lint(port, "only the pod of rank 0 listens at port " + std::to_string(*asked) +
                            ", and the kubelet restarts the others")
            .also(context.place(role.count), "how many pods");
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "probe-of-rank-zero",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A probe that restarts pods asks for a port at which each of them listens.",
     .source = "pytorch/pytorch torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py; "
               "kubernetes/kubernetes pkg/kubelet/prober/prober_manager.go",
     .workload = probes_of_rank_zero,
     .severity = Severity::Warning,
     .because = "The store of the rendezvous is on one node: the kubelet kills the ranks of all "
                "others, again and again.",
     .fix = "leave the probe out: a rank that dies ends its pod"},
};

}  // namespace

const std::span<const Check> rank_probe_lints = kChecks;

}  // namespace trainyard
