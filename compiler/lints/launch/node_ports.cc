// Ports that programs on the host network take from their node.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct NodePort {
  std::int64_t port;
  std::string_view owner;
};
// kubernetes/kubernetes pkg/cluster/ports/ports.go; prometheus/node_exporter README.md
constexpr auto kNodePorts = std::to_array<NodePort>({
    {22, "sshd of the node"},
    {9100, "the node exporter"},
    {10248, "the kubelet"},
    {10249, "kube-proxy"},
    {10250, "the kubelet"},
    {10255, "the kubelet"},
    {10256, "kube-proxy"},
});

std::string_view owner_of(std::int64_t port) {
  const auto found = std::ranges::find(kNodePorts, port, &NodePort::port);
  return found == kNodePorts.end() ? std::string_view() : found->owner;
}

/// kubeflow/mpi-operator build/base/Dockerfile: sshd and ssh at port 2222.
bool has_own_port(View container) {
  return string_at(container, "image").find("mpioperator/") != std::string_view::npos;
}

/// What a worker of an MPIJob runs without a command.
bool runs_sshd_of_operator(const Workload& workload, const WorkloadRole& role, View container) {
  return workload.is("kubeflow.org", "MPIJob") && role.name == "Worker" &&
         !has_items(get(container, "command")) && !has_items(get(container, "args"));
}

bool sshd_on_node(const Workload& workload, const WorkloadRole& role, View container,
                  CheckContext& context) {
  if (has_own_port(container)) return false;
  const std::vector<Sshd> sshds = sshds_in(container);
  const auto taken = std::ranges::find(sshds, 22, &Sshd::port);
  WordView at = taken == sshds.end() ? WordView() : taken->at;
  if (!at && !runs_sshd_of_operator(workload, role, container)) return false;
  // The author of a spec wrote no command of sshd.
  if (!at || context.is_ours()) at = get(role.pod.spec, "hostNetwork");
  const View host = get(role.pod.spec, "hostNetwork");
  Diagnostic& told =
      context.lint(at, "on the host network sshd finds port 22 taken by that of the node");
  if (!at.is_at(host)) told.also(context.place(host), "shares the ports of the node");
  told.note("give sshd and ssh another port, such as `sshd -p 2222` and `-o Port=2222`");
  return true;
}

OptionValue port_of(const OptionValue& address) {
  const std::size_t colon = address.text.rfind(':');
  if (colon == std::string::npos) return {};
  return {address.text.substr(colon + 1), address.at};
}

/// The ports at which rank 0 listens, as a container says it.
std::vector<OptionValue> rank_ports(View container) {
  std::vector<OptionValue> ports;
  const auto value = [&](std::string_view name) {
    const View found = variable_value(container, name);
    return found ? OptionValue{std::string(found->text), found} : OptionValue();
  };
  for (std::string_view name : {"MASTER_PORT", "PET_MASTER_PORT", "JAX_COORDINATOR_PORT"}) {
    ports.push_back(value(name));
  }
  for (std::string_view name : {"PET_RDZV_ENDPOINT", "JAX_COORDINATOR_ADDRESS"}) {
    ports.push_back(port_of(value(name)));
  }
  if (const auto call = torchrun_call(container)) {
    ports.push_back(call->option("master-port"));
    ports.push_back(port_of(call->option("rdzv-endpoint")));
  }
  return ports;
}

/// Those of the head of a Ray cluster, as `rayStartParams` says them.
std::vector<OptionValue> head_ports(const Workload& workload, const WorkloadRole& role) {
  std::vector<OptionValue> ports;
  if (workload.group != "ray.io" || !role.is_launcher) return ports;
  for (std::string_view name : {"port", "dashboard-port", "ray-client-server-port",
                                "dashboard-agent-listen-port", "metrics-export-port"}) {
    const View port = get(get(role.holder, "rayStartParams"), name);
    if (port) ports.push_back({std::string(string_of(port)), port});
  }
  return ports;
}

bool tell_of_port(const std::vector<OptionValue>& ports, std::string_view who, View host,
                  CheckContext& context) {
  for (const OptionValue& port : ports) {
    const std::string_view owner = owner_of(port.number().value_or(0));
    if (owner.empty()) continue;
    context
        .lint(port.at, "on the host network " + std::string(who) + " finds port " + port.text +
                           " taken by " + std::string(owner))
        .also(context.place(host), "shares the ports of the node");
    return true;
  }
  return false;
}

void port_of_node(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    const View host = get(role.pod.spec, "hostNetwork");
    if (!is_true(host)) continue;
    if (tell_of_port(head_ports(workload, role), "the head", host, context)) continue;
    for (View container : role.containers) {
      if (sshd_on_node(workload, role, container, context)) continue;
      tell_of_port(rank_ports(container), "rank 0", host, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "port-of-node",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "On the host network sshd and rank 0 listen at ports that the node has free.",
     .source = "kubernetes/kubernetes pkg/cluster/ports/ports.go; kubeflow/mpi-operator issues 593 "
               "and 219",
     .workload = port_of_node,
     .severity = Severity::Warning,
     .because = "The program cannot listen there and ends, or others reach the node's own instead: "
                "ssh asks a sshd that does not know the keys.",
     .fix = "take another port on both sides, or leave `hostNetwork` out"},
};

}  // namespace

const std::span<const Check> node_port_lints = kChecks;

}  // namespace trainyard
