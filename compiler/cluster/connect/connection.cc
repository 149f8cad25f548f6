#include "cluster/connect/connection.h"

#include <algorithm>
#include <utility>

#include "cluster/connect/kubeconfig.h"
#include "cluster/connect/kubeconfig_entries.h"
#include "diag/foreign_text.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

const std::string kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

/// Where kubeconfigs are looked for.
struct Places {
  std::vector<std::string> paths;
  bool required = false;
};

Places places_of(const ConnectionRequest& request, const LocalMachine& machine) {
  if (!request.kubeconfig.empty()) return {{request.kubeconfig}, true};
  Places places;
  std::string listed_paths = machine.variable("KUBECONFIG").value_or("");
  while (!listed_paths.empty()) {
    const std::size_t end = std::min(listed_paths.find(':'), listed_paths.size());
    if (end > 0) places.paths.push_back(listed_paths.substr(0, end));
    listed_paths.erase(0, end + 1);
  }
  if (places.paths.empty()) {
    if (const auto home = machine.variable("HOME"); home && !home->empty()) {
      places.paths.push_back(*home + "/.kube/config");
    }
  }
  return places;
}

/// The entry of a name, or null after a report that lists the names that are there.
const KubeconfigEntry* look_up(const KubeconfigEntries& entries, const std::string& name,
                               Span where, const std::string& what, const Kubeconfig& config,
                               KubeconfigSink& sink) {
  const auto found = entries.find(name);
  if (found != entries.end() && found->second.body) return &found->second;
  if (found != entries.end()) {
    sink.report(DiagnosticKind::MissingField, found->second.name->span,
                "the " + what + " " + shown(name) + " has no `" + what + "` beside its name");
    return nullptr;
  }
  std::vector<std::string> names;
  std::vector<std::string_view> candidates;
  for (const auto& [each, entry] : entries) {
    names.push_back(each);
    candidates.push_back(each);
  }
  std::string message = "there is no " + what + " " + shown(name);
  if (const auto near = suggest(name, candidates))
    message += ": did you mean " + shown(*near) + "?";
  Diagnostic& made = sink.report(DiagnosticKind::UnknownReference, where, message);
  if (names.empty()) {
    made.note("no " + what + " is there in " + listed(config.files, "and"));
  } else {
    made.note("there is " + listed(names, "and") + ", in " + listed(config.files, "and"));
  }
  return nullptr;
}

/// The account that Kubernetes gives to the containers of a pod.
std::optional<Connection> account_of_pod(LocalMachine& machine) {
  const std::string host = machine.variable("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = machine.variable("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty() || !machine.files.exists(kAccount + "token")) {
    return std::nullopt;
  }
  Connection connection;
  const bool is_v6 = host.find(':') != host.npos;
  connection.endpoint.server = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + port;
  connection.endpoint.authorities = machine.files.read(kAccount + "ca.crt", 1 << 20).text;
  std::string name_space = machine.files.read(kAccount + "namespace", 4096).text;
  while (name_space.ends_with('\n')) name_space.pop_back();
  if (!name_space.empty()) connection.name_space = name_space;
  connection.identity = token_file(kAccount + "token", machine);
  return connection;
}

/// Which entries a context, or the call, names.
struct Chosen {
  std::string context;
  std::string name_space;
  std::string cluster;
  std::string user;
  Span cluster_span;
  Span user_span;
};

std::optional<Chosen> choose(const ConnectionRequest& request, const Kubeconfig& config,
                             KubeconfigSink& sink) {
  Chosen chosen;
  const bool by_call = !request.context.empty();
  chosen.context = by_call ? request.context : std::string(config.current_context.text());
  if (!chosen.context.empty()) {
    const Span where = by_call || !config.current_context ? Span() : config.current_context->span;
    const auto* entry = look_up(config.contexts, chosen.context, where, "context", config, sink);
    if (entry == nullptr) return std::nullopt;
    KubeconfigFields fields(entry->body, sink);
    chosen.name_space = fields.text("namespace");
    chosen.cluster = fields.text("cluster");
    chosen.user = fields.text("user");
    chosen.cluster_span = fields.span("cluster");
    chosen.user_span = fields.span("user");
  } else if (request.cluster.empty()) {
    std::vector<std::string> names;
    for (const auto& [each, entry] : config.contexts) names.push_back(each);
    Diagnostic& made = sink.report(DiagnosticKind::MissingField, {},
                                   "no context is chosen, and `current-context` is not set");
    made.note(names.empty() ? "the kubeconfig has no context; log in to a cluster first"
                            : "choose one by `--context`: " + listed(names, "or"));
    return std::nullopt;
  }
  if (!request.cluster.empty())
    std::tie(chosen.cluster, chosen.cluster_span) = std::pair(request.cluster, Span());
  if (!request.user.empty())
    std::tie(chosen.user, chosen.user_span) = std::pair(request.user, Span());
  return chosen;
}

std::optional<Connection> connection_of(const ConnectionRequest& request, const Kubeconfig& config,
                                        LocalMachine& machine, KubeconfigSink& sink) {
  const auto chosen = choose(request, config, sink);
  if (!chosen) return std::nullopt;
  Connection connection;
  connection.context = chosen->context;
  if (!chosen->name_space.empty()) connection.name_space = chosen->name_space;
  const auto* cluster =
      look_up(config.clusters, chosen->cluster, chosen->cluster_span, "cluster", config, sink);
  if (cluster != nullptr) connection.endpoint = read_endpoint(*cluster, machine, sink);
  // A context without a user is one for everybody: kubectl sends no credentials.
  if (chosen->user.empty()) {
    connection.identity = fixed_identity({});
  } else if (const auto* user =
                 look_up(config.users, chosen->user, chosen->user_span, "user", config, sink)) {
    const View body = cluster == nullptr ? View() : cluster->body;
    connection.identity = read_user(*user, connection.endpoint, body, machine, sink);
    connection.impersonation = read_impersonation(*user, sink);
  }
  return connection;
}

}  // namespace

std::optional<Connection> find_connection(const ConnectionRequest& request, LocalMachine& machine,
                                          SourceMap& sources, Sink& sink) {
  KubeconfigSink reports(sink);
  const Places places = places_of(request, machine);
  const Kubeconfig config =
      read_kubeconfigs(places.paths, places.required, machine, sources, reports);
  std::optional<Connection> connection;
  if (!config.files.empty()) {
    if (!config.is_broken) connection = connection_of(request, config, machine, reports);
  } else if (!sink.has_errors()) {
    connection = account_of_pod(machine);
    if (!connection) {
      std::string looked;
      for (const std::string& each : places.paths) looked += (looked.empty() ? "" : ", ") + each;
      reports.report(DiagnosticKind::FileNotFound, {}, "there is no kubeconfig")
          .note("looked for " +
                (looked.empty() ? "KUBECONFIG and HOME, which are not set" : foreign_text(looked)))
          .note(
              "name one by `--kubeconfig FILE` or KUBECONFIG, or log in to the cluster by its own "
              "tool, which writes it");
    }
  }
  if (sink.has_errors() || !connection) return std::nullopt;
  if (!request.name_space.empty()) connection->name_space = request.name_space;
  if (!request.as.empty()) connection->impersonation = {request.as, "", {}, {}};
  if (!request.as_groups.empty()) connection->impersonation.groups = request.as_groups;
  return connection;
}

void wipe_kubeconfigs(SourceMap& sources) {
  for (FileId each = 0; each < sources.size(); ++each) {
    std::string text = sources.take(each);
    wipe(text);
  }
}

}  // namespace trainyard
