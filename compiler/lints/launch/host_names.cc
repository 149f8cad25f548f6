// Host names of pods, by which ranks are found.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/launch/contacted_hosts.h"
#include "lints/launch/rank_hosts.h"
#include "lints/launch/rank_ports.h"
#include "lints/scripts/python_calls.h"
#include "lints/tables.h"
#include "manifest/go_text.h"
#include "manifest/launch.h"
#include "manifest/metadata.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether anything but `--master-addr` is given a variable: it may want a port as well.
bool has_other_uses(View container, std::string_view variable) {
  for (View each : items_at(container, "env")) {
    if (string_at(each, "value").find(variable) != std::string_view::npos) return true;
  }
  bool is_address = false;
  for (const ShellWord& word : command_words(container)) {
    std::string_view text = word.text;
    for (std::string_view option : {"--master_addr=", "--master-addr="}) {
      if (!text.starts_with(option)) continue;
      text.remove_prefix(option.size());
      is_address = true;
    }
    if (text.find(variable) != text.npos && !(is_address && referred_variable(text) == variable)) {
      return true;
    }
    is_address = text == "--master_addr" || text == "--master-addr";
  }
  return false;
}

/// A port or a scheme, where the name alone is looked up.
/// pytorch/pytorch torch/csrc/distributed/c10d/socket.cpp: getaddrinfo is given the whole text
void check_form(const Workload& workload, const WorkloadRole& role, View container,
                const Host& host, CheckContext& context) {
  if (host.more.empty() || workload.working_pods() < 2) return;
  const auto call = torchrun_call(container);
  const bool has_endpoint = (call && call->option("rdzv-endpoint")) || joins_by_order(container) ||
                            variable(container, "PET_RDZV_ENDPOINT");
  const bool is_option = host.from == "master-addr";
  if (is_option || host.from == "PET_MASTER_ADDR") {
    if (has_endpoint || !call) return;  // torchrun looks at the endpoint instead
  }
  if (!is_option) {
    if (is_injected(workload, role, container, host.from)) return;
    if (has_other_uses(container, host.from) || script_sets(container, host.from)) return;
  }
  const bool is_for_script = host.from == "MASTER_ADDR";
  const bool is_given = call && !has_endpoint && is_for_script &&
                        referred_variable(call->option("master-addr").text) == host.from;
  // Programs may take it apart, but not where the port stands in another variable.
  if (is_for_script && !is_given && (call || !variable_value(container, "MASTER_PORT"))) {
    return;
  }
  context.lint(host.at,
               "the address of rank 0 has " + std::string(host.more) + " here, and is looked up " +
                   "as a name: expected the host alone",
               is_for_script && !is_given ? Severity::Warning : Severity::Error);
}

/// The number behind the last dash; nothing when there is none.
std::optional<std::int64_t> last_number(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  return dash == name.npos ? std::nullopt
                           : OptionValue{std::string(name.substr(dash + 1)), {}}.number();
}

/// A pod is looked for in another namespace than that in which its job is.
bool is_elsewhere(const Workload& workload, const Host& host, CheckContext& context) {
  constexpr std::string_view kDomain = "cluster.local";  // clusters may have another one
  if (is_typo_of(host.domain_of_cluster, kDomain)) {
    context.lint(host.at,
                 "the cluster's domain is " + shown(host.domain_of_cluster) +
                     " here, which looks like a typo of " + shown(kDomain),
                 Severity::Warning);
    return true;
  }
  const View own = get(get(workload.object, "metadata"), "namespace");
  if (host.name_space.empty() || string_of(own).empty() || host.name_space == own->text) {
    return false;
  }
  context
      .lint(host.at, "the pods are in namespace " + shown(own->text) + ", and " + shown(host.name) +
                         " is looked for in " + shown(host.name_space))
      .also(context.place(own), "their namespace");
  return true;
}

/// Names that pods have only once they are ready, looked for by programs that make them ready.
void check_readiness(const WorkloadRole& role, View publishes, std::string_view who,
                     CheckContext& context) {
  for (View container : role.containers) {
    const View probe = get(container, "readinessProbe");
    if (!probe) continue;
    context
        .lint(probe,
              "pods have names in " + std::string(who) +
                  " only when they are ready, and look for each other by name before that",
              Severity::Warning)
        .also(context.place(publishes), "`publishNotReadyAddresses` is not set here");
    return;
  }
}

/// A Service of this name is among the inputs, in another namespace alone.
void is_service_elsewhere(const Workload& workload, const WordView& at, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  if (inventory == nullptr) return;
  const View other = find_in_other_namespace(*inventory, "", "Service", own, string_of(at));
  if (!other) return;
  const View space = get(get(other, "metadata"), "namespace");
  context
      .lint(at,
            "Service " + shown(string_of(at)) + " is in namespace " + shown(space->text) +
                ", and gives the pods in " + shown(own) + " no names",
            Severity::Warning)
      .also(context.place(space), "where it is");
}

constexpr auto kJobLabels =
    std::to_array<std::string_view>({"job-name", "batch.kubernetes.io/job-name"});

/// What a Service selects by and these pods are not, labels of controllers aside.
View unmatched(const Workload& workload, const WorkloadRole& role, View service_spec) {
  const View labels = get(role.pod.metadata, "labels");
  const std::string_view job = string_at(get(workload.object, "metadata"), "name");
  for (View entry : entries_at(service_spec, "selector")) {
    if (entry.key().starts_with("statefulset.kubernetes.io/") ||
        entry.key().starts_with("apps.kubernetes.io/")) {
      continue;
    }
    const bool by_controller =
        workload.group == "batch" && std::ranges::find(kJobLabels, entry.key()) != kJobLabels.end();
    const std::string_view value = by_controller ? job : string_at(labels, entry.key());
    if (value != string_of(entry)) return entry;
  }
  return {};
}

/// No Service has the name that the pods ask for, and a headless one for these pods has another.
bool is_called_otherwise(const Workload& workload, const WorkloadRole& role, View at,
                         CheckContext& context) {
  const Inventory* inventory = context.inventory();
  // That of a StatefulSet has a lint of its own.
  if (inventory == nullptr || workload.kind == "StatefulSet") return false;
  std::vector<Inventory::Label> labels;
  for (View each : entries_at(role.pod.metadata, "labels")) {
    labels.emplace_back(each.key(), string_of(each));
  }
  const std::string_view job = string_of(metadata_name(workload.object));
  for (std::string_view key : kJobLabels) labels.emplace_back(key, job);
  for (View service : inventory->services_by_label(metadata_namespace(workload.object), labels)) {
    const View spec = get(service, "spec");
    if (string_at(spec, "clusterIP") != "None" || unmatched(workload, role, spec)) continue;
    const View its = metadata_name(service);
    context
        .lint(at,
              "there is no Service " + shown(string_of(at)) +
                  " among the inputs, and the headless one for these pods is called " +
                  shown(string_of(its)),
              Severity::Warning)
        .also(context.place(its), "that one");
    return true;
  }
  return false;
}

/// No Service has the name that the pods ask for. It may be there already; but who writes other
/// Services of this namespace very likely writes all.
void is_nowhere(const Workload& workload, const WordView& at, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr || workload.group != "batch") return;
  const std::string_view own = string_at(get(workload.object, "metadata"), "namespace");
  for (View service : inventory->all("", "Service")) {
    if (string_at(get(service, "metadata"), "namespace") != own) continue;
    context.lint(at,
                 "there is no Service " + shown(string_of(at)) +
                     " among the inputs, in which these pods would have names",
                 Severity::Warning);
    return;
  }
}

/// The Service whose records the pods are to be found by, when it is among the inputs; `at` says
/// its name.
void check_service(const Workload& workload, const WorkloadRole& role, View at,
                   CheckContext& context) {
  const std::string_view name = string_of(at);
  const View service = service_named(workload, name, context);
  if (!service) {
    if (is_called_otherwise(workload, role, at, context)) return;
    const std::size_t before = context.findings();
    is_service_elsewhere(workload, at, context);
    if (context.findings() == before) is_nowhere(workload, at, context);
    return;
  }
  const View spec = get(service, "spec");
  if (string_at(spec, "clusterIP") != "None") {
    context.lint(at,
                 "Service " + shown(name) + " is not headless, so that pods get no names in it");
    return;
  }
  if (const View other = unmatched(workload, role, spec)) {
    context.lint(at, "Service " + shown(name) + " selects pods with " +
                         shown(std::string(other.key()) + "=" + std::string(string_of(other))) +
                         ", which these are not");
    return;
  }
  if (!is_true(get(spec, "publishNotReadyAddresses"))) {
    check_readiness(role, spec, "Service " + shown(name), context);
  }
}

/// Whether the pods of a Service are those of this Job and of no other.
bool is_of_job_alone(View service, std::string_view job) {
  const View selector = get(get(service, "spec"), "selector");
  return string_at(selector, "job-name") == job ||
         string_at(selector, "batch.kubernetes.io/job-name") == job;
}

std::int64_t pods_of_job(const Workload& workload, const WorkloadRole& role) {
  return integer_at(workload.spec, "completions").value_or(role.pods);
}

/// Whether the ranks are as many as a Job has pods, so that rank 0 is one of them. Nothing where
/// that is not said.
std::optional<bool> has_all_ranks(const Workload& workload, const WorkloadRole& role,
                                  View container) {
  const std::int64_t pods = pods_of_job(workload, role);
  if (!container || joins_by_order(container) || pods < 1) return std::nullopt;
  if (const ExplicitNumber nodes = explicit_node_count(container)) return nodes.number == pods;
  const View world = variable_value(container, "WORLD_SIZE");
  const auto size = world ? plain_number(world->text) : std::nullopt;
  if (!size) return std::nullopt;
  if (*size % pods != 0) return false;  // whether it means pods or processes
  return *size == pods ? std::optional(true) : std::nullopt;
}

/// A name that no pod of this Job has, in a Service that does not select them: none of them can be
/// found there. True where there is nothing more to say.
bool is_of_other_job(const Workload& workload, const WorkloadRole& role, const Host& host,
                     View container, View service, CheckContext& context) {
  const View spec = get(service, "spec");
  if (string_at(spec, "clusterIP") != "None") return false;
  const View other = unmatched(workload, role, spec);
  if (!other) return false;
  // Rank 0 may be a pod of another Job.
  const std::optional<bool> all = has_all_ranks(workload, role, container);
  if (all == false) return true;
  const std::string job(string_at(get(workload.object, "metadata"), "name"));
  context
      .lint(host.at,
            "no pod of this Job is called " + shown(host.name) + ", and Service " +
                shown(host.domain) + " does not select them: the first one is " + shown(job + "-0"),
            all == true ? Severity::Error : Severity::Warning)
      .also(context.place(other), "what it selects by");
  return true;
}

/// The name of the Job is made up when it is created, and so are those of its pods.
void in_unnamed_job(const Workload& workload, const WorkloadRole& role, const Host& host,
                    View container, CheckContext& context) {
  const View start = get(get(workload.object, "metadata"), "generateName");
  const bool is_here = !host.domain.empty() && host.domain == string_at(role.pod.spec, "subdomain");
  if (string_of(start).empty() || !is_here || !last_number(host.name)) return;
  const std::optional<bool> all = has_all_ranks(workload, role, container);
  if (all == false || (!all && !host.name.starts_with(start->text))) return;
  context
      .lint(host.at,
            "no pod will be called " + shown(host.name) +
                ": the names of these begin with what is made of " + shown(start->text) +
                " when the Job is created",
            all == true ? Severity::Error : Severity::Warning)
      .also(context.place(start), "give it a `name` instead");
}

/// A pod of the Job that is not the first one, or none at all.
void other_pod(const Workload& workload, const WorkloadRole& role, const Host& host, View container,
               CheckContext& context) {
  const std::string job(string_at(get(workload.object, "metadata"), "name"));
  const auto index = last_number(host.name);
  if (!index || host.domain.empty() || host.domain != string_at(role.pod.spec, "subdomain")) return;
  const std::string first = shown(job + "-0." + host.domain);
  if (host.name == job + "-" + std::to_string(*index)) {
    const std::int64_t pods = pods_of_job(workload, role);
    const bool by_order = !container || joins_by_order(container);
    if (*index >= pods) {
      context.lint(host.at, "there is no pod " + shown(host.name) + " among " +
                                std::to_string(pods) + ": the first one is " + first);
    } else if (*index != 0 && !by_order) {
      context.lint(host.at, "rank 0 is the pod of index 0, " + first + ", not " + shown(host.name),
                   Severity::Warning);
    }
    return;
  }
  // Pods of another Job may have names in the same Service.
  const View service = service_named(workload, host.domain, context);
  if (is_of_other_job(workload, role, host, container, service, context)) return;
  if (host.domain != job && !is_of_job_alone(service, job)) return;
  if (service && !is_of_job_alone(service, job)) return;
  context.lint(host.at, "no pod is called " + shown(host.name) + ": the first one is " + first,
               service ? Severity::Error : Severity::Warning);
}

/// `--rdzv-backend=c10d` at a headless Service of all pods, as which each pod then takes itself.
/// pytorch/pytorch torch/distributed/elastic/rendezvous/utils.py _matches_machine_hostname. A
/// static address may well be one: torch/csrc/distributed/c10d/socket.cpp tries all that it gives.
bool meets_at_all_pods(const Workload& workload, const WorkloadRole& role, const Host& host,
                       View container, CheckContext& context) {
  const auto call = host.from == "rdzv-endpoint" ? torchrun_call(container) : nullptr;
  if (!call || host.name.empty() || call->option("rdzv-backend").text != "c10d" ||
      call->option("rdzv-conf").text.find("is_host") != std::string::npos) {
    return false;
  }
  const View metadata = get(workload.object, "metadata");
  const bool is_here = host.domain.empty() || host.domain == string_at(metadata, "namespace");
  const View spec = get(service_named(workload, host.name, context), "spec");
  if (!is_here || string_at(spec, "clusterIP") != "None" || !has_items(get(spec, "selector")) ||
      unmatched(workload, role, spec)) {
    return false;
  }
  context
      .lint(host.at, "Service " + shown(host.name) +
                         " leads to all pods, so that each pod keeps a store of its own: expected "
                         "the name of one, " +
                         shown(std::string(string_at(metadata, "name")) + "-0." + host.name))
      .also(context.place(get(spec, "selector")), "what it selects");
  return true;
}

/// batch/v1 Job: pod `J-0` of an Indexed Job, and a name in DNS with `subdomain` only.
/// `container` asks for the host as that of rank 0; an empty view for one that waits for it.
void in_job(const Workload& workload, const WorkloadRole& role, const Host& host, View container,
            CheckContext& context) {
  const std::string_view job = string_at(get(workload.object, "metadata"), "name");
  if (job.empty()) return in_unnamed_job(workload, role, host, container, context);
  if (meets_at_all_pods(workload, role, host, container, context)) return;
  if (host.name != std::string(job) + "-0") {
    return other_pod(workload, role, host, container, context);
  }
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
  } else if (!is_elsewhere(workload, host, context)) {
    check_service(workload, role, get(role.pod.spec, "subdomain"), context);
  }
}

/// apps/v1 StatefulSet: pod `S-0`, and a name in DNS in the Service of `serviceName` only.
void in_stateful_set(const Workload& workload, const WorkloadRole& role, const Host& host,
                     bool by_order, CheckContext& context) {
  const std::string set(string_at(get(workload.object, "metadata"), "name"));
  const auto index = last_number(host.name);
  if (set.empty() || !index) return;
  const View service = get(workload.spec, "serviceName");
  const std::string domain(string_of(service));
  const std::int64_t start = integer_at(get(workload.spec, "ordinals"), "start").value_or(0);
  const std::string first = shown(set + "-" + std::to_string(start) + "." + domain);
  if (host.name != set + "-" + std::to_string(*index)) {
    // Another set may share the Service.
    if (domain.empty() || host.domain != domain) return;
    context.lint(host.at, "no pod is called " + shown(host.name) + ": the first one is " + first,
                 Severity::Warning);
  } else if (*index < start || *index >= start + role.pods) {
    context.lint(host.at, "there is no pod " + shown(host.name) + " among " +
                              std::to_string(role.pods) + ": the first one is " + first);
  } else if (domain.empty()) {
    context.lint(host.at, "no host name leads to " + shown(host.name) +
                              ": the StatefulSet has no `serviceName`");
  } else if (host.domain.empty()) {
    context.lint(host.at, shown(host.name) + " is no host name that others can look up: it is " +
                              shown(host.name + "." + domain));
  } else if (host.domain != domain) {
    context
        .lint(host.at, "the pods are in " + shown(domain) + ", and " + shown(host.name) +
                           " is looked for in " + shown(host.domain))
        .also(context.place(service), "their Service");
  } else if (*index != start && !by_order) {
    context.lint(host.at, "rank 0 is the pod of index 0, " + first + ", not " + shown(host.name),
                 Severity::Warning);
  } else if (!is_elsewhere(workload, host, context)) {
    check_service(workload, role, service, context);
  }
}

/// `1-3` of a role, of whose Jobs and pods there are fewer.
bool beyond_last(const WorkloadRole& role, std::string_view indices) {
  const std::size_t dash = indices.find('-');
  const auto job = OptionValue{std::string(indices.substr(0, dash)), {}}.number();
  const auto pod = OptionValue{std::string(indices.substr(dash + 1)), {}}.number();
  const std::int64_t jobs = integer_at(role.holder, "replicas").value_or(1);
  if (!job || !pod || jobs <= 0) return false;
  const View spec = get(get(role.holder, "template"), "spec");
  const std::int64_t each = integer_at(spec, "completions").value_or(role.pods / jobs);
  return *job >= jobs || *pod >= each;
}

/// JobSet: `S-role-0-0.subdomain`, the subdomain being the JobSet's name where none is given.
void in_job_set(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string_view name = string_at(get(workload.object, "metadata"), "name");
  const View network = get(workload.spec, "network");
  if (name.empty()) return;
  if (!host.name.starts_with(std::string(name) + "-")) {
    // The Service that the controller makes has the pods of this JobSet alone.
    const std::string_view own = string_at(network, "subdomain");
    if (!last_number(host.name) || host.domain != (own.empty() ? name : own)) return;
    context.lint(host.at, "no pod is called " + shown(host.name) +
                              ": those of this JobSet begin with " +
                              shown(std::string(name) + "-"));
    return;
  }
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
    if (indices.find_first_not_of("0123456789-") != std::string::npos) continue;
    if (std::ranges::count(indices, '-') == 1) {
      if (beyond_last(role, indices)) {
        context.lint(host.at, "there is no pod " + shown(host.name) + ": " + shown(role.name) +
                                  " has " + std::to_string(role.pods) +
                                  (role.pods == 1 ? " pod" : " pods"));
        return;
      }
      continue;
    }
    if (indices.find('-') != std::string::npos) continue;
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
  } else if (!is_elsewhere(workload, host, context)) {
    const View publishes = get(network, "publishNotReadyAddresses");
    if (!is_false(publishes)) return;
    for (const WorkloadRole& role : workload.roles) {
      check_readiness(role, publishes, "the JobSet's Service", context);
    }
  }
}

/// A flag alone is one that is set.
bool publishes_not_ready(View plugin) {
  constexpr std::string_view flag = "publish-not-ready-addresses";
  for (View argument : Items(plugin)) {
    if (argument->text.ends_with(flag)) return true;
  }
  return go_bool(plugin_flag(plugin, flag)).value_or(false);
}

/// `J-task-0.J`, where the plugin `svc` has made the Service.
void in_volcano_service(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string name(string_at(get(workload.object, "metadata"), "name"));
  const auto index = last_number(host.name);
  if (!index || !volcano_plugin(workload, "svc")) return;
  const std::string task = host.name.substr(name.size() + 1);
  const WorkloadRole* found = nullptr;
  for (const WorkloadRole& role : workload.roles) {
    if (!string_at(role.pod.spec, "subdomain").empty() ||
        !string_at(role.pod.spec, "hostname").empty()) {
      return;
    }
    if (task == std::string(role.name) + "-" + std::to_string(*index)) found = &role;
  }
  if (found == nullptr) {
    context.lint(host.at,
                 "no pod is called " + shown(host.name) + ": no task of this Job has such a name");
  } else if (*index >= found->pods) {
    context.lint(host.at, "there is no pod " + shown(host.name) + ": task " + shown(found->name) +
                              " has " + std::to_string(found->pods) +
                              (found->pods == 1 ? " pod" : " pods"));
  } else if (host.domain.empty()) {
    context.lint(host.at, shown(host.name) + " is no host name that others can look up: it is " +
                              shown(host.name + "." + name));
  } else if (host.domain != name) {
    context.lint(host.at, "the pods are in " + shown(name) + ", and " + shown(host.name) +
                              " is looked for in " + shown(host.domain));
  } else if (!is_elsewhere(workload, host, context)) {
    const View plugin = volcano_plugin(workload, "svc");
    if (publishes_not_ready(plugin)) return;
    for (const WorkloadRole& role : workload.roles) {
      check_readiness(role, plugin, "the Service of plugin `svc`", context);
    }
  }
}

/// The plugin `pytorch` tells all pods the name of the master, in the Service of `svc`, which the
/// webhook adds where it is not there.
void volcano_master(const Workload& workload, CheckContext& context) {
  const View plugin = volcano_plugin(workload, "pytorch");
  if (!plugin || workload.pods() < 2) return;
  const View service = volcano_plugin(workload, "svc");
  if (service && publishes_not_ready(service)) return;
  const std::string_view named = plugin_flag(plugin, "master");
  const WorkloadRole* master = workload.role(named.empty() ? "master" : named);
  if (master == nullptr) return;
  check_readiness(*master, service ? service : plugin, "the Service of plugin `svc`", context);
}

/// A Volcano Job has names for its pods by the plugin `svc` only.
void in_volcano_job(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string_view name = string_at(get(workload.object, "metadata"), "name");
  if (name.empty() || !host.name.starts_with(std::string(name) + "-")) return;
  if (volcano_plugin(workload, "svc") || is_training_kind(workload) ||
      volcano_plugin(workload, "ray")) {
    return in_volcano_service(workload, host, context);
  }
  for (const WorkloadRole& role : workload.roles) {
    if (!string_at(role.pod.spec, "subdomain").empty()) return;
  }
  context.lint(host.at, "no host name leads to " + shown(host.name) +
                            ": the plugin `svc` makes them, and the job has it not");
}

/// The operator makes a Service for each pod: `J-worker-0`, `J-master-0`.
void in_pytorch_job(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string name(string_at(get(workload.object, "metadata"), "name"));
  const auto index = last_number(host.name);
  if (name.empty() || !index) return;
  const std::string number = "-" + std::to_string(*index);
  const std::string all = host.name.substr(0, host.name.size() - number.size());
  const bool is_master = all.ends_with("-master");
  if (!is_master && !all.ends_with("-worker")) return;
  const WorkloadRole* role = workload.role(is_master ? "Master" : "Worker");
  const std::string_view of = is_master ? "-master" : "-worker";
  const std::string job = all.substr(0, all.size() - of.size());
  if (job != name) {
    // Of another job, perhaps, that is there for it; not where a kind's own suffix is written.
    context.lint(host.at,
                 "no pod of this job is called " + shown(host.name) + ": they begin with " +
                     shown(name + "-"),
                 Severity::Warning);
  } else if (role == nullptr || *index >= role->pods) {
    context.lint(host.at,
                 "there is no pod " + shown(host.name) + ": the job has " +
                     (role == nullptr ? std::string("no ") + (is_master ? "`Master`" : "`Worker`")
                                      : pods_of(*role)));
  } else if (host.domain != string_at(role->pod.spec, "subdomain")) {
    // The name of the pod is that of its Service, and what is behind it the namespace.
    Host service = host;
    service.name_space = host.domain;
    is_elsewhere(workload, service, context);
  }
}

/// The operator makes a Service for each pod: `J-worker-0`, in which process 0 listens for all.
/// Another Service may lead there.
void in_jax_job(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string workers =
      std::string(string_at(get(workload.object, "metadata"), "name")) + "-worker-";
  const std::string first = workers + "0";
  if (host.name == first || host.name.empty() || workers.starts_with('-')) return;
  const auto index = last_number(host.name);
  if (index && host.name == workers + std::to_string(*index)) {
    context.lint(host.at, "process 0 is the pod " + shown(first) + ", not " + shown(host.name));
    return;
  }
  const bool is_of_job = index && host.name.ends_with("-worker-" + std::to_string(*index));
  const bool is_bare = host.domain.empty() && host.name.front() >= 'a' &&
                       !is_local_address(host.name) && context.inventory() != nullptr &&
                       !service_named(workload, host.name, context);
  if (!is_of_job && !is_bare) return;
  context.lint(
      host.at,
      "no pod of this job is called " + shown(host.name) + ": process 0 is " + shown(first),
      Severity::Warning);
}

/// `J-mster-0`: the name of a pod but for a typo in that of its role.
void tell_of_near_role(const Workload& workload, const Host& host, CheckContext& context) {
  const std::string name(string_at(get(workload.object, "metadata"), "name"));
  const auto index = last_number(host.name);
  if (name.empty() || !index || !host.name.starts_with(name + "-")) return;
  const std::string rest = host.name.substr(name.size() + 1);
  const std::string role_name = rest.substr(0, rest.rfind('-') + 1);
  for (const WorkloadRole& role : workload.roles) {
    const std::string start = start_of(role);
    if (start.empty() || !is_typo_of_name(role_name, start)) continue;
    context.lint(host.at, "no pod is called " + shown(host.name) + ": those of " +
                              shown(role.name) + " begin with " + shown(name + "-" + start));
    return;
  }
}

/// Whether the script of a container does something again and again, in each pod alike, and without
/// an end.
bool loops_for_ever(View container) {
  if (string_at(container, "restartPolicy") == "Always") return false;
  bool loops = false;
  for (const ShellWord& word : command_words(container)) {
    loops = loops || word.text == "until" || word.text == "while";
    for (std::string_view part : {"INDEX", "RANK", "HOSTNAME", "hostname", "timeout", "break",
                                  "exit", "-lt", "-le", "-gt", "-ge"}) {
      if (word.text.find(part) != word.text.npos) return false;
    }
  }
  return loops;
}

/// An init container that may wait for hosts, very many of them: it is looked at once.
class WaitingContainer {
 public:
  explicit WaitingContainer(View container) : container_(container) {}

  bool waits_for_ever(const AskedHost& asked) {
    if (!loops_) {
      loops_ = loops_for_ever(container_);
      for (View argument : arguments_of(container_)) arguments_.insert(argument.id());
    }
    return *loops_ && arguments_.contains(asked.at.id());
  }

 private:
  View container_;
  std::optional<bool> loops_;
  std::set<NodeId> arguments_;
};

/// Pods get no names in a Service while their init containers run, which wait for such a name: the
/// first pod too.
void waits_before_ready(const Workload& workload, const WorkloadRole& role, const Host& host,
                        CheckContext& context) {
  const View subdomain = workload.kind == "StatefulSet" ? get(workload.spec, "serviceName")
                                                        : get(role.pod.spec, "subdomain");
  const std::string owner(string_at(get(workload.object, "metadata"), "name"));
  if (host.name != owner + "-0" || host.domain != string_of(subdomain)) return;
  const View spec = get(service_named(workload, host.domain, context), "spec");
  if (string_at(spec, "clusterIP") != "None" || unmatched(workload, role, spec)) return;
  if (is_true(get(spec, "publishNotReadyAddresses"))) return;
  context
      .lint(host.at,
            "init containers of all pods wait for " + shown(host.name) +
                ", which has a name in Service " + shown(host.domain) +
                " only when it is ready, and so after its own init containers",
            Severity::Warning)
      .also(context.place(spec), "`publishNotReadyAddresses` is not set here");
}

/// kubernetes-sigs/jobset pkg/controllers/startup_policy.go: with `InOrder` a Job is made when the
/// pods of those before it are ready.
void waits_for_later_job(const Workload& workload, const WorkloadRole& role, const Host& host,
                         CheckContext& context) {
  const View order = get(get(workload.spec, "startupPolicy"), "startupPolicyOrder");
  if (string_of(order) != "InOrder") return;
  const std::string owner(string_at(get(workload.object, "metadata"), "name"));
  bool is_later = false;
  for (const WorkloadRole& each : workload.roles) {
    if (is_later && host.name.starts_with(owner + "-" + std::string(each.name) + "-")) {
      context
          .lint(host.at,
                "init containers of " + shown(role.name) + " wait for a pod of " +
                    shown(each.name) + ", whose Job is made when they have ended",
                Severity::Warning)
          .also(context.place(order), "the order");
    }
    is_later = is_later || &each == &role;
  }
}

/// Workers of an MPIJob that its containers wait for: `J-worker-0` and on.
/// kubeflow/mpi-operator pkg/controller/mpi_job_controller.go workerName
void in_mpi_job(const Workload& workload, const WorkloadRole& role, CheckContext& context) {
  const WorkloadRole* worker = workload.role("Worker");
  const std::string name(string_at(get(workload.object, "metadata"), "name"));
  if (worker == nullptr || name.empty()) return;
  for (std::string_view list : {"initContainers", "containers"}) {
    for (View container : items_at(role.pod.spec, list)) {
      for (const AskedHost& asked : asked_hosts(container)) {
        const Host host = host_of(asked.name, asked.at);
        const auto index = last_number(host.name);
        const bool is_worker = index && host.name == name + "-worker-" + std::to_string(*index);
        if (!is_worker || *index < worker->pods) continue;
        context.lint(host.at, "there is no pod " + shown(host.name) + ": the job has " +
                                  std::to_string(worker->pods) +
                                  (worker->pods == 1 ? " worker" : " workers"));
        return;
      }
    }
  }
}

/// What init containers wait for, before any rank starts.
void check_waits(const Workload& workload, const WorkloadRole& role, CheckContext& context) {
  for (View container : items_at(role.pod.spec, "initContainers")) {
    WaitingContainer waiting(container);
    for (const AskedHost& asked : asked_hosts(container)) {
      const Host host = host_of(asked.name, asked.at);
      if (workload.kind == "PyTorchJob") tell_of_near_role(workload, host, context);
      if (!is_called_as_pod(workload, host.name)) continue;
      if (workload.is("batch", "Job") && role.pods > 1) {
        in_job(workload, role, host, {}, context);
        if (waiting.waits_for_ever(asked)) waits_before_ready(workload, role, host, context);
      }
      if (workload.kind == "StatefulSet" && role.pods > 1) {
        in_stateful_set(workload, role, host, true, context);
        if (waiting.waits_for_ever(asked)) waits_before_ready(workload, role, host, context);
      }
      if (workload.kind == "PyTorchJob") in_pytorch_job(workload, host, context);
      if (workload.kind == "JobSet") {
        in_job_set(workload, host, context);
        waits_for_later_job(workload, role, host, context);
      }
      if (workload.is("batch.volcano.sh", "Job")) in_volcano_job(workload, host, context);
    }
  }
}

/// Where the elastic policy of a PyTorchJob sends all its pods.
/// kubeflow/training-operator pkg/controller.v1/pytorch/elastic.go generateEnvRDZVEndpoint
void elastic_host(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob") return;
  const View host = get(get(workload.spec, "elasticPolicy"), "rdzvHost");
  if (host && is_plain_host(host->text)) {
    in_pytorch_job(workload, host_of(std::string(host->text), host), context);
  }
}

/// Those of its command and variables, and of its program in Python.
std::vector<Host> all_hosts_of(const WorkloadRole& role, View container, CheckContext& context) {
  std::vector<Host> hosts = hosts_in(container);
  const auto program = python_program(role, container, context);
  if (!program) return hosts;
  for (std::string_view name : {"coordinator_address", "init_method"}) {
    const PythonValue value = argument_of(*program, container, name);
    const bool is_of_program = value.at && value.at.is_at(program->text);
    const std::size_t scheme = value.text.starts_with("tcp://") ? 6 : 0;
    if (!is_of_program || !is_plain_host(value.text.substr(scheme))) continue;
    hosts.push_back(host_of(std::string(value.text), value.at));
    hosts.back().from = name;
  }
  return hosts;
}

void rank_host(const Workload& workload, CheckContext& context) {
  const std::size_t before = context.findings();
  elastic_host(workload, context);
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      for (const Host& host : all_hosts_of(role, container, context)) {
        check_form(workload, role, container, host, context);
        if (workload.is("batch", "Job") && role.pods > 1) {
          in_job(workload, role, host, container, context);
        }
        if (workload.kind == "StatefulSet" && role.pods > 1) {
          in_stateful_set(workload, role, host, joins_by_order(container), context);
        }
        if (workload.kind == "PyTorchJob") in_pytorch_job(workload, host, context);
        if (workload.kind == "JAXJob") in_jax_job(workload, host, context);
        if (workload.kind == "JobSet") in_job_set(workload, host, context);
        if (workload.is("batch.volcano.sh", "Job")) in_volcano_job(workload, host, context);
      }
    }
    check_waits(workload, role, context);
    if (workload.is("kubeflow.org", "MPIJob")) in_mpi_job(workload, role, context);
  }
  if (context.findings() == before) volcano_master(workload, context);
}

/// `dnsPolicy: Default` without name servers of its own.
bool asks_node_alone(const WorkloadRole& role) {
  const View spec = role.pod.spec;
  return string_at(spec, "dnsPolicy") == "Default" && !is_true(get(spec, "hostNetwork")) &&
         !has_items(get(get(spec, "dnsConfig"), "nameservers")) &&
         !has_items(get(spec, "hostAliases"));
}

/// Whether pods look for one of their own by its name, also if the controller tells them.
bool by_name_of_pod(const Workload& workload, const WorkloadRole& role) {
  if (is_training_kind(workload)) return true;
  return std::ranges::any_of(role.containers, [&](View container) {
    return std::ranges::any_of(hosts_in(container), [&](const Host& host) {
      return !host.domain.empty() && is_called_as_pod(workload, host.name);
    });
  });
}

void host_network_names(const Workload& workload, CheckContext& context) {
  if (workload.working_pods() < 2 || workload.kind == "MPIJob") return;  // sets it itself
  for (const WorkloadRole& role : workload.roles) {
    if (asks_node_alone(role)) {
      if (by_name_of_pod(workload, role)) {
        context.lint(get(role.pod.spec, "dnsPolicy"),
                     "pods with `dnsPolicy: Default` ask the node's name servers, which do not "
                     "know the names of pods");
      }
      continue;
    }
    const View host = get(role.pod.spec, "hostNetwork");
    if (!is_true(host)) continue;
    const std::string_view policy = string_at(role.pod.spec, "dnsPolicy");
    if (policy == "ClusterFirstWithHostNet" || policy == "None") continue;
    bool by_name = is_training_kind(workload);
    static constexpr std::string_view kLeader = "LWS_LEADER_ADDRESS";
    for (View container : role.containers) {
      by_name = by_name || !hosts_in(container).empty() || contains_text(container, kLeader);
    }
    if (!by_name) continue;
    context.lint(host,
                 "pods on the host network ask the node's name servers, which do not know "
                 "the names of pods");
  }
}

constexpr Check kChecks[] = {
    {.name = "rank-host",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "The host names at which rank 0 is looked for, and for which init containers "
                 "wait, are those of pods.",
     .source = "kubernetes/enhancements keps/sig-apps/2214-indexed-job; kubernetes-sigs/jobset "
               "pkg/controllers/jobset_controller.go; volcano-sh/volcano "
               "pkg/controllers/job/plugins/svc; kubernetes/kubernetes "
               "pkg/controller/statefulset/stateful_set_utils.go: updateIdentity",
     .workload = rank_host,
     .because = "They then wait at a name that does not resolve.",
     .fix = "let the pods' `subdomain`, the headless Service and the address agree",
     .rule = "rendezvous"},
    {.name = "rank-port",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Where rank 0 is looked for, also behind a Service, is the port at which it "
                 "listens.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/service.md",
     .workload = rank_port,
     .because = "A Service passes on connections to its own ports only, and no pod listens at "
                "another one: all ranks wait until their time-out.",
     .fix = "let all pods have the same port; give the Service that port, or make it headless "
            "(`clusterIP: None`)"},
    {.name = "rank-port-range",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "The port at which rank 0 listens is a port number.",
     .source = "pytorch/pytorch torch/csrc/distributed/c10d/socket.cpp: ports have 16 bits",
     .workload = rank_port_range,
     .because = "Rank 0 cannot listen there, and all ranks end with an error.",
     .fix = "take a port of 1024 to 65535, such as 29500"},
    {.name = "host-network-names",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Pods that look for each other by name ask the cluster's DNS, those on the host "
                 "network too.",
     .source = "kubernetes/kubernetes pkg/kubelet/network/dns/dns.go: ClusterFirst with the host "
               "network is Default",
     .workload = host_network_names,
     .severity = Severity::Warning,
     .because = "Only the cluster's DNS knows the name of rank 0, and `ClusterFirst` does not ask "
                "it on the host network.",
     .fix = "set `dnsPolicy: ClusterFirstWithHostNet` on the host network, elsewhere leave "
            "`dnsPolicy` out",
     .rule = "host-network"},
};

}  // namespace

const std::span<const Check> host_name_lints = kChecks;

}  // namespace trainyard
