#include "cluster/connect/kubeconfig_entries.h"

#include <algorithm>
#include <utility>

#include "cluster/connect/exec_plugin.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "source/base64.h"
#include "tree/json.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestPem = 4 * 1024 * 1024;
constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "client.authentication.k8s.io/v1beta1";
/// In `clusters[].cluster.extensions`, the settings for exec plugins.
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

std::string cluster_config(View cluster) {
  for (const View each : items_at(cluster, "extensions")) {
    const View extension = get(each, "extension");
    if (string_at(each, "name") != kExecExtension || !extension) continue;
    std::string json;
    write_json(extension.tree(), extension.id(), json, 0);
    while (json.ends_with('\n')) json.pop_back();
    return json;
  }
  return "";
}

/// `spec.cluster` of an ExecCredential (kubernetes/client-go pkg/apis/clientauthentication/v1).
std::string cluster_info(const Endpoint& endpoint, View cluster) {
  std::string json = "{\"server\":" + quoted(endpoint.server);
  const auto add = [&json](std::string_view name, const std::string& value) {
    if (!value.empty()) json += ",\"" + std::string(name) + "\":" + quoted(value);
  };
  add("tls-server-name", endpoint.tls_server_name);
  add("certificate-authority-data", base64(endpoint.authorities));
  add("proxy-url", endpoint.proxy);
  if (endpoint.skips_checks) json += ",\"insecure-skip-tls-verify\":true";
  if (!endpoint.compress) json += ",\"disable-compression\":true";
  if (const std::string config = cluster_config(cluster); !config.empty()) {
    json += ",\"config\":" + config;
  }
  return json + "}";
}

void read_exec_environment(KubeconfigFields& fields, ExecPlugin& plugin, KubeconfigSink& sink) {
  for (const View each : Items(fields.list("env"))) {
    KubeconfigFields variable(each, sink);
    std::string name = each->is_map() ? variable.text("name") : "";
    if (name.empty() || name.find('=') != name.npos) {
      sink.report(DiagnosticKind::MissingField, each->span,
                  "an item of `exec.env` has a `name`, without `=`, and a `value`");
      continue;
    }
    plugin.environment.emplace_back(std::move(name), variable.text("value"));
  }
}

ExecPlugin::Interactive read_interactive(KubeconfigFields& fields, const ExecPlugin& plugin,
                                         KubeconfigSink& sink) {
  using Interactive = ExecPlugin::Interactive;
  const std::string mode = fields.text("interactiveMode");
  if (mode == "Never") return Interactive::Never;
  if (mode == "Always") return Interactive::Always;
  if (mode.empty() && plugin.api_version == kV1) {
    sink.report(DiagnosticKind::MissingField, fields.span("command"),
                "`exec` of version v1 needs `interactiveMode`: `Never`, `IfAvailable` or `Always`");
  } else if (!mode.empty() && mode != "IfAvailable") {
    sink.report(DiagnosticKind::NotInEnum, fields.span("interactiveMode"),
                "`interactiveMode` is `Never`, `IfAvailable` or `Always`, not " + shown(mode));
  }
  return Interactive::IfAvailable;
}

std::unique_ptr<IdentitySource> read_exec(View exec, const std::string& folder,
                                          const Endpoint& endpoint, View cluster,
                                          LocalMachine& machine, KubeconfigSink& sink) {
  KubeconfigFields fields(exec, sink);
  ExecPlugin plugin;
  plugin.api_version = fields.text("apiVersion");
  plugin.command = fields.text("command");
  plugin.arguments = fields.texts("args");
  plugin.install_hint = fields.text("installHint");
  read_exec_environment(fields, plugin, sink);
  if (plugin.command.empty()) {
    sink.report(DiagnosticKind::MissingField, exec->span, "`exec` names no `command`");
  } else if (plugin.command.find('/') != plugin.command.npos) {
    plugin.command = path_from(folder, plugin.command);
  }
  if (plugin.api_version != kV1 && plugin.api_version != kV1Beta1) {
    sink.report(DiagnosticKind::NotInEnum, fields.span("apiVersion"),
                "`exec.apiVersion` is `" + std::string(kV1) + "` or `" + std::string(kV1Beta1) +
                    "`, not " + shown(plugin.api_version))
        .note("Kubernetes 1.24 removed v1alpha1: a newer release of the plugin knows v1");
  }
  plugin.interactive = read_interactive(fields, plugin, sink);
  if (fields.truth("provideClusterInfo")) plugin.cluster = cluster_info(endpoint, cluster);
  return exec_identity(std::move(plugin), machine);
}

/// What a user has besides plugins and token files.
Identity read_fixed(const KubeconfigEntry& entry, LocalMachine& machine, KubeconfigSink& sink) {
  KubeconfigFields fields(entry.body, sink);
  Identity identity;
  identity.token = SecretBytes(fields.text("token"));
  identity.user = fields.text("username");
  identity.password = SecretBytes(fields.text("password"));
  identity.certificate =
      read_pem(entry, "client-certificate", "-----BEGIN CERTIFICATE-----", machine, sink);
  identity.key = SecretBytes(read_pem(entry, "client-key", "PRIVATE KEY-----", machine, sink));
  if (!identity.token.empty() && !is_token(identity.token.view())) {
    sink.report(DiagnosticKind::BadFormat, fields.span("token"),
                "`token` has spaces or line breaks in it");
  }
  const auto has = [&fields](std::string_view key) {
    return fields.has(key) || fields.has(std::string(key) + "-data");
  };
  if (has("client-certificate") && !has("client-key")) {
    sink.report(DiagnosticKind::MissingField, entry.body->span,
                "a client certificate without `client-key` or `client-key-data`");
  }
  if (!identity.token.empty() && !identity.user.empty()) {
    sink.report(DiagnosticKind::ExclusiveFields, fields.span("username"),
                "a user has `token` or `username`, not both");
  }
  return identity;
}

}  // namespace

std::string read_pem(const KubeconfigEntry& entry, const std::string& key, std::string_view marker,
                     LocalMachine& machine, KubeconfigSink& sink) {
  KubeconfigFields fields(entry.body, sink);
  const std::string data_key = key + "-data";
  std::string data = fields.text(data_key);
  const std::string path = path_from(entry.folder, fields.text(key));
  const std::string& named = data.empty() ? key : data_key;
  std::optional<std::string> bytes;
  if (!data.empty()) {
    bytes = from_base64(data);
    wipe(data);
    if (!bytes) {
      sink.report(DiagnosticKind::BadFormat, fields.span(named), "`" + named + "` is not base64");
    }
  } else if (!path.empty()) {
    FileRead file = machine.files.read(path, kLongestPem);
    if (file.error) {
      sink.report(DiagnosticKind::FileNotFound, fields.span(named),
                  "`" + key + "` names " + foreign_text(path) + ": " + file.error->message);
    } else {
      bytes = std::move(file.text);
    }
  }
  if (!bytes) return "";
  if (bytes->find(marker) == bytes->npos) {
    sink.report(DiagnosticKind::BadFormat, fields.span(named),
                "`" + named + "` holds no PEM with `" + std::string(marker) + "`");
  }
  return std::move(*bytes);
}

Endpoint read_endpoint(const KubeconfigEntry& entry, LocalMachine& machine, KubeconfigSink& sink) {
  KubeconfigFields fields(entry.body, sink);
  Endpoint endpoint;
  endpoint.server = fields.text("server");
  while (endpoint.server.ends_with('/')) endpoint.server.pop_back();
  endpoint.tls_server_name = fields.text("tls-server-name");
  endpoint.proxy = fields.text("proxy-url");
  endpoint.compress = !fields.truth("disable-compression");
  endpoint.skips_checks = fields.truth("insecure-skip-tls-verify");
  endpoint.authorities =
      read_pem(entry, "certificate-authority", "-----BEGIN CERTIFICATE-----", machine, sink);
  if (endpoint.server.empty()) {
    sink.report(DiagnosticKind::MissingField, entry.name->span,
                "the cluster " + shown(entry.name.text()) +
                    " has no `server`: the address of its API server, https://host:port");
  } else if (endpoint.server.find("://") == endpoint.server.npos) {
    endpoint.server.insert(0, "https://");
  } else if (!endpoint.server.starts_with("https://") && !endpoint.server.starts_with("http://")) {
    sink.report(DiagnosticKind::BadFormat, fields.span("server"),
                "`server` begins with https:// or http://");
  }
  const auto is_proxy = [&endpoint](std::string_view scheme) {
    return endpoint.proxy.starts_with(scheme);
  };
  if (!endpoint.proxy.empty() && !is_proxy("http://") && !is_proxy("https://") &&
      !is_proxy("socks5://") && !is_proxy("socks5h://")) {
    sink.report(DiagnosticKind::BadFormat, fields.span("proxy-url"),
                "`proxy-url` begins with http://, https:// or socks5://");
  }
  if (endpoint.skips_checks && !endpoint.authorities.empty()) {
    sink.report(DiagnosticKind::ExclusiveFields, fields.span("insecure-skip-tls-verify"),
                "a certificate authority, and `insecure-skip-tls-verify`, which does not use it: "
                "remove one of them");
  }
  return endpoint;
}

std::unique_ptr<IdentitySource> read_user(const KubeconfigEntry& entry, const Endpoint& endpoint,
                                          View cluster, LocalMachine& machine,
                                          KubeconfigSink& sink) {
  KubeconfigFields fields(entry.body, sink);
  if (fields.has("auth-provider")) {
    sink.report(DiagnosticKind::NotExpressible, fields.span("auth-provider"),
                "`auth-provider` was removed in Kubernetes 1.26")
        .note(
            "an exec plugin takes its place: gke-gcloud-auth-plugin, kubelogin, "
            "`kubectl oidc-login`");
    return nullptr;
  }
  if (const View exec = fields.map("exec")) {
    return read_exec(exec, entry.folder, endpoint, cluster, machine, sink);
  }
  const std::string token_path = fields.text("tokenFile");
  if (!token_path.empty()) return token_file(path_from(entry.folder, token_path), machine);
  return fixed_identity(read_fixed(entry, machine, sink));
}

Impersonation read_impersonation(const KubeconfigEntry& entry, KubeconfigSink& sink) {
  KubeconfigFields fields(entry.body, sink);
  Impersonation result;
  result.user = fields.text("as");
  result.uid = fields.text("as-uid");
  result.groups = fields.texts("as-groups");
  const View extra = fields.map("as-user-extra");
  KubeconfigFields values(extra, sink);
  for (const View each : Items(extra)) {
    for (std::string& value : values.texts(each.key())) {
      result.extra.emplace_back(each.key(), std::move(value));
    }
  }
  return result;
}

}  // namespace trainyard
