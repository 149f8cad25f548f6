// Host names of pods, by which ranks are found.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/command_line.h"
#include "check/launch.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

/// A host that is written down as where rank 0 is.
struct Host {
  std::string name;    // of the pod: up to the first dot
  std::string domain;  // up to the next one; "" for none
  View at;
};

Host host_of(std::string text, View at) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string::npos) {
    text.erase(0, scheme + 3);
  }
  text.resize(std::min(text.find(':'), text.size()));
  const std::size_t dot = std::min(text.find('.'), text.size());
  Host host{text.substr(0, dot), {}, at};
  if (dot < text.size()) {
    host.domain = text.substr(dot + 1);
    host.domain.resize(std::min(host.domain.find('.'), host.domain.size()));
  }
  return host;
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '-' && c <= ':');  // `-`, `.`, `/`, digits, `:`
  });
}

std::vector<Host> hosts_in(View container) {
  std::vector<Host> hosts;
  for (std::string_view name : {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT",
                                "JAX_COORDINATOR_ADDRESS", "COORDINATOR_ADDRESS"}) {
    const View value = variable_value(container, name);
    if (value && is_plain(value->text)) hosts.push_back(host_of(std::string(value->text), value));
  }
  if (const auto call = torchrun_call(container)) {
    for (std::string_view name : {"master-addr", "rdzv-endpoint"}) {
      const OptionValue& value = call->option(name);
      if (is_plain(value.text)) hosts.push_back(host_of(value.text, value.at));
    }
  }
  return hosts;
}

View service_named(const Workload& workload, std::string_view name, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  return inventory->find("", "Service", string_at(get(workload.object, "metadata"), "namespace"),
                         name);
}

/// The Service whose records the pods are to be found by, when it is among the inputs.
void check_service(const Workload& workload, const WorkloadRole& role, std::string_view name,
                   CheckContext& context) {
  const View service = service_named(workload, name, context);
  if (!service) return;
  const View spec = get(service, "spec");
  const View at = get(role.pod.spec, "subdomain");
  if (string_at(spec, "clusterIP") != "None") {
    context.lint(at,
                 "Service " + shown(name) + " is not headless, so that pods get no names in it");
    return;
  }
  const View labels = get(role.pod.metadata, "labels");
  for (View entry : entries_at(spec, "selector")) {
    // Labels that the Job controller adds.
    const std::string_view job = string_at(get(workload.object, "metadata"), "name");
    const bool by_controller =
        entry->key == "job-name" || entry->key == "batch.kubernetes.io/job-name";
    const std::string_view value = by_controller ? job : string_at(labels, entry->key);
    if (value == string_of(entry)) continue;
    context.lint(at, "Service " + shown(name) + " selects pods with " +
                         shown(std::string(entry->key) + "=" + std::string(string_of(entry))) +
                         ", which these are not");
    return;
  }
}

/// batch/v1 Job: pod `J-0` of an Indexed Job, and a name in DNS with `subdomain` only.
void in_job(const Workload& workload, const WorkloadRole& role, const Host& host,
            CheckContext& context) {
  const std::string_view job = string_at(get(workload.object, "metadata"), "name");
  if (job.empty() || host.name != std::string(job) + "-0") return;
  if (string_at(workload.spec, "completionMode") != "Indexed") {
    context.lint(host.at, "pods of a Job have the name " + shown(host.name) +
                              " only with `completionMode: Indexed`");
    return;
  }
  const std::string_view subdomain = string_at(role.pod.spec, "subdomain");
  if (subdomain.empty()) {
    context.lint(host.at,
                 "no host name leads to " + shown(host.name) + ": the pods have no `subdomain`");
  } else if (host.domain.empty()) {
    context.lint(host.at, shown(host.name) + " is no host name that others can look up: it is " +
                              shown(host.name + "." + std::string(subdomain)));
  } else if (host.domain != subdomain) {
    context
        .lint(host.at, "the pods are in " + shown(subdomain) + ", and " + shown(host.name) +
                           " is looked for in " + shown(host.domain))
        .also(context.place(get(role.pod.spec, "subdomain")), "their subdomain");
  } else {
    check_service(workload, role, subdomain, context);
  }
}

/// JobSet: `S-role-0-0.subdomain`, the subdomain being the JobSet's name where none is given.
void in_job_set(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string_view name = string_at(get(workload.object, "metadata"), "name");
  if (name.empty() || !host.name.starts_with(std::string(name) + "-")) return;
  const View network = get(workload.spec, "network");
  if (const View names = get(network, "enableDNSHostnames"); is_false(names)) {
    context
        .lint(host.at,
              "no host name leads to " + shown(host.name) + ": `enableDNSHostnames` is off")
        .also(context.place(names), "no host names");
    return;
  }
  std::string_view subdomain = string_at(network, "subdomain");
  if (subdomain.empty()) subdomain = name;
  std::string rest = host.name.substr(name.size() + 1);
  const bool known = std::ranges::any_of(workload.roles, [&](const WorkloadRole& role) {
    return rest.starts_with(std::string(role.name) + "-");
  });
  if (!known) {
    context.lint(host.at, "no pod is called " + shown(host.name) +
                              ": no replicated Job of this JobSet has such a name");
    return;
  }
  for (const WorkloadRole& role : workload.roles) {
    const std::string prefix = std::string(role.name) + "-";
    if (!rest.starts_with(prefix)) continue;
    const std::string indices = rest.substr(prefix.size());
    if (std::ranges::count(indices, '-') == 1) continue;
    if (indices.find_first_not_of("0123456789") != std::string::npos) continue;
    context.lint(host.at, "no pod is called " + shown(host.name) + ": the first one of " +
                              shown(role.name) + " is " +
                              shown(std::string(name) + "-" + std::string(role.name) + "-0-0"));
    return;
  }
  if (host.domain.empty()) {
    context.lint(host.at, shown(host.name) + " is no host name that others can look up: it is " +
                              shown(host.name + "." + std::string(subdomain)));
  } else if (host.domain != subdomain) {
    context.lint(host.at, "the pods are in " + shown(subdomain) + ", and " + shown(host.name) +
                              " is looked for in " + shown(host.domain));
  }
}

/// A Volcano Job has names for its pods by the plugin `svc` only.
void in_volcano_job(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string_view name = string_at(get(workload.object, "metadata"), "name");
  if (name.empty() || !host.name.starts_with(std::string(name) + "-")) return;
  if (volcano_plugin(workload, "svc") || is_training_kind(workload) ||
      volcano_plugin(workload, "ray")) {
    return;
  }
  for (const WorkloadRole& role : workload.roles) {
    if (!string_at(role.pod.spec, "subdomain").empty()) return;
  }
  context.lint(host.at, "no host name leads to " + shown(host.name) +
                            ": the plugin `svc` makes them, and the job has it not");
}

void rank_host(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      for (const Host& host : hosts_in(container)) {
        if (workload.is("batch", "Job") && role.pods > 1) in_job(workload, role, host, context);
        if (workload.kind == "JobSet") in_job_set(workload, host, context);
        if (workload.is("batch.volcano.sh", "Job")) in_volcano_job(workload, host, context);
      }
    }
  }
}

/// Where rank 0 is said to listen.
struct Address {
  std::string host;
  OptionValue port;
};

std::vector<Address> addresses_in(const Workload& workload, const WorkloadRole& role,
                                  View container) {
  constexpr std::pair<std::string_view, std::string_view> variables[] = {
      {"MASTER_ADDR", "MASTER_PORT"}, {"PET_MASTER_ADDR", "PET_MASTER_PORT"}};
  std::vector<Address> found;
  const auto whole = [&](const std::string& text, View at) {  // `host:port`
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return;
    found.push_back({text.substr(0, colon), {text.substr(colon + 1), at}});
  };
  for (const auto& [host, port] : variables) {
    const View name = variable_value(container, host);
    const View number = variable_value(container, port);
    if (!name || !number || is_injected(workload, role, container, host)) continue;
    found.push_back({std::string(name->text), {std::string(number->text), number}});
  }
  for (std::string_view name : {"PET_RDZV_ENDPOINT", "JAX_COORDINATOR_ADDRESS"}) {
    if (const View value = variable_value(container, name)) whole(std::string(value->text), value);
  }
  if (const auto call = torchrun_call(container)) {
    const OptionValue endpoint = call->option("rdzv-endpoint");
    whole(endpoint.text, endpoint.at);
    found.push_back({call->option("master-addr").text, call->option("master-port")});
  }
  return found;
}

/// A Service with an address of its own passes on its ports only; names of a headless one lead to
/// the pods themselves.
void rank_port(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      for (const Address& address : addresses_in(workload, role, container)) {
        const auto number = address.port.number();
        if (!number || !is_plain(address.host)) continue;
        const std::string name = host_of(address.host, address.port.at).name;
        const View service = service_named(workload, name, context);
        const View spec = get(service, "spec");
        const View ports = get(spec, "ports");
        if (!has_items(ports) || string_at(spec, "clusterIP") == "None") continue;
        const bool there = std::ranges::any_of(
            Items(ports), [&](View each) { return integer_at(each, "port") == number; });
        if (there) continue;
        context
            .lint(address.port.at,
                  "Service " + shown(name) + " has no port " + std::to_string(*number))
            .also(context.place(ports), "its ports");
      }
    }
  }
}

void host_network_names(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2 || workload.kind == "MPIJob") return;  // sets it itself
  for (const WorkloadRole& role : workload.roles) {
    const View host = get(role.pod.spec, "hostNetwork");
    if (!is_true(host)) continue;
    const std::string_view policy = string_at(role.pod.spec, "dnsPolicy");
    if (policy == "ClusterFirstWithHostNet" || policy == "None") continue;
    bool by_name = is_training_kind(workload);
    for (View container : role.containers) by_name = by_name || !hosts_in(container).empty();
    if (!by_name) continue;
    context.lint(host,
                 "pods on the host network ask the node's name servers, which do not know "
                 "the names of pods");
  }
}

constexpr Check kChecks[] = {
    {.name = "rank-host",
     .on = "workload",
     .sentence = "The host name at which rank 0 is looked for is one that its pod has.",
     .source = "kubernetes/enhancements keps/sig-apps/2214-indexed-job; kubernetes-sigs/jobset "
               "pkg/controllers/jobset_controller.go; volcano-sh/volcano "
               "pkg/controllers/job/plugins/svc",
     .workload = rank_host,
     .because = "All ranks then wait at a name that does not resolve.",
     .fix = "let the pods' `subdomain`, the headless Service and the address agree",
     .rule = "rendezvous"},
    {.name = "rank-port",
     .on = "workload",
     .sentence = "The Service behind which rank 0 is looked for has the port at which it listens.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/service.md",
     .workload = rank_port,
     .severity = Severity::Error,
     .because = "A Service passes on connections to its own ports only: all ranks wait until their "
                "time-out.",
     .fix = "give the Service that port, or make it headless (`clusterIP: None`)"},
    {.name = "host-network-names",
     .on = "workload",
     .sentence = "Pods on the host network that look for each other by name ask the cluster's DNS.",
     .source = "kubernetes/kubernetes pkg/kubelet/network/dns/dns.go: ClusterFirst with the host "
               "network is Default",
     .workload = host_network_names,
     .severity = Severity::Warning,
     .because = "The DNS policy `ClusterFirst` counts for nothing on the host network, so that "
                "the name of rank 0 does not resolve.",
     .fix = "set `dnsPolicy: ClusterFirstWithHostNet`",
     .rule = "host-network"},
};

}  // namespace

const std::span<const Check> host_name_lints = kChecks;

}  // namespace trainyard
