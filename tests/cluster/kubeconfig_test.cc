// Kubeconfigs: errors have a place, come all at once, and hold no secret.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "cluster/client.h"
#include "source/base64.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kSecret = "s3cr3tT0ken0123456789";

const std::string kConfig = R"(apiVersion: v1
kind: Config
current-context: dgx
contexts:
- name: dgx
  context: {cluster: one, user: alice, namespace: nlp}
- name: other
  context: {cluster: two, user: bob}
clusters:
- name: one
  cluster: {server: "https://10.1.2.3:6443/", certificate-authority: ca.crt}
- name: two
  cluster: {server: "https://10.9.9.9:6443"}
users:
- name: alice
  user: {token: )" + kSecret +
                            R"(}
- name: bob
  user: {token: other}
)";

const std::string kPem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const std::string kKey = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";

std::string token_of(Connection& connection) {
  std::string problem;
  const Identity* const identity = connection.identity->current(problem);
  return identity == nullptr ? "none: " + problem : std::string(identity->token.view());
}

/// The findings of a kubeconfig in which `user` is the body of the only user.
std::string said_of_user(const std::string& user) {
  Client client;
  client.files.files["k"] =
      "contexts: [{name: a, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
      "current-context: a\nusers:\n- name: u\n  user: " +
      user + "\n";
  const auto connection = client.find({.kubeconfig = "k"});
  CHECK(connection.has_value() == !client.sink.has_errors());
  return client.said();
}

}  // namespace

TEST_CASE("without a kubeconfig the message says where one was looked for, and what to do") {
  Client client;
  client.variables["HOME"] = "/home/a";
  CHECK(!client.find());
  CHECK(has(client.said(), "there is no kubeconfig"));
  CHECK(has(client.said(), "/home/a/.kube/config"));
  CHECK(has(client.said(), "--kubeconfig"));
}

TEST_CASE("a kubeconfig that the call names must exist") {
  Client client;
  CHECK(!client.find({.kubeconfig = "/no/such"}));
  CHECK(has(client.said(), "/no/such"));
}

TEST_CASE("a broken kubeconfig is reported with its line, and no secret of it") {
  Client client;
  client.files.files["k"] = "users:\n- name: a\n  user: {token: " + kSecret + "\n  bad: [\n";
  CHECK(!client.find({.kubeconfig = "k"}));
  CHECK(has(client.said(), "k:"));
  CHECK(!has(client.said(), kSecret));
}

TEST_CASE("no line of a kubeconfig is shown, whatever is wrong with it") {
  const std::string broken =
      GENERATE("26\xb7token: SECRET\n", "# token: SECRET\n{", "kind: [SECRET]\n",
               "- token: SECRET\n", "? \"token: SECRET\n  \"\n: a\n: b\n", "a: *SECRET\n",
               "a: !SECRET b\n", "'SECRET': 1\n'SECRET': 2\n", "users: {a: SECRET} # SECRET\n",
               "kind: SECRET\ntoken: SECRET\n");
  Client client;
  std::string text = broken;
  for (std::size_t at; (at = text.find("SECRET")) != text.npos;) text.replace(at, 6, kSecret);
  client.files.files["k"] = text;
  CHECK(!client.find({.kubeconfig = "k"}));
  INFO(client.said());
  CHECK(has(client.said(), "k:"));
  CHECK(!has(client.said(), kSecret));
}

TEST_CASE("all mistakes of a kubeconfig are said at once, with line and column") {
  Client client;
  client.files.files["k"] = R"(current-context: a
contexts:
- name: a
  context: {cluster: c, user: u}
clusters:
- name: c
  cluster: {server: 17, certificate-authority-data: '***', proxy-url: 'ftp://x'}
users:
- name: u
  user: {token: )" + kSecret +
                            R"(, client-certificate: gone.crt}
)";
  CHECK(!client.find({.kubeconfig = "k"}));
  const std::string said = client.said();
  CHECK(has(said, "k:7:21: error: `server` is a text, not an integer"));
  CHECK(has(said, "`certificate-authority-data` is not base64"));
  CHECK(has(said, "`proxy-url` begins with"));
  CHECK(has(said, "`client-certificate` names gone.crt: "));
  CHECK(has(said, "a client certificate without `client-key`"));
  CHECK(!has(said, kSecret));
}

TEST_CASE("a context that is not there is answered by those that are") {
  Client client;
  client.files.files["k"] = kConfig;
  CHECK(!client.find({.kubeconfig = "k", .context = "dgxx"}));
  CHECK(has(client.said(), "there is no context `dgxx`: did you mean `dgx`?"));
  CHECK(has(client.said(), "`dgx` and `other`"));
}

TEST_CASE("without a current context the choice is listed") {
  Client client;
  client.files.files["k"] = kConfig.substr(kConfig.find("contexts:"));
  CHECK(!client.find({.kubeconfig = "k"}));
  CHECK(has(client.said(), "choose one by `--context`: `dgx` or `other`"));
}

TEST_CASE("a cluster or a user that a context names and that is not there has the context's line") {
  Client client;
  client.files.files["k"] =
      "current-context: a\ncontexts:\n- name: a\n  context: {cluster: c, user: u}\n";
  CHECK(!client.find({.kubeconfig = "k"}));
  CHECK(has(client.said(), "k:4:22: error: there is no cluster `c`"));
  CHECK(has(client.said(), "k:4:31: error: there is no user `u`"));
}

TEST_CASE("auth-provider is refused with what takes its place") {
  const std::string said = said_of_user("{auth-provider: {name: gcp}}");
  CHECK(has(said, "`auth-provider` was removed in Kubernetes 1.26"));
  CHECK(has(said, "exec plugin"));
}

TEST_CASE("an exec plugin needs a command, a known version and in v1 an interactiveMode") {
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1";
  CHECK(has(said_of_user("{exec: {" + v1 + ", interactiveMode: Never}}"), "names no `command`"));
  CHECK(has(said_of_user("{exec: {" + v1 + ", command: a}}"), "needs `interactiveMode`"));
  CHECK(has(said_of_user("{exec: {" + v1 + ", command: a, interactiveMode: Ask}}"), "not `Ask`"));
  CHECK(has(said_of_user("{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: a}}"),
            "v1alpha1"));
  CHECK(said_of_user("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: a}}") ==
        "");
}

TEST_CASE("a token that could add headers is refused") {
  CHECK(has(said_of_user("{token: \"a\\nX-Other: b\"}"), "`token` has spaces or line breaks"));
}

TEST_CASE("a certificate authority beside insecure-skip-tls-verify is refused") {
  Client client;
  client.files.files["k"] =
      "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters:\n- name: c\n"
      "  cluster: {server: 'https://h', insecure-skip-tls-verify: true, "
      "certificate-authority-data: " +
      base64(kPem) + "}\n";
  CHECK(!client.find({.kubeconfig = "k"}));
  CHECK(has(client.said(), "`insecure-skip-tls-verify`"));
}

TEST_CASE("the current context gives server, CA, namespace and token") {
  Client client;
  client.files.files["/etc/k/config"] = kConfig;
  client.files.files["/etc/k/ca.crt"] = kPem;
  auto connection = client.find({.kubeconfig = "/etc/k/config"});
  INFO(client.said());
  REQUIRE(connection);
  CHECK(connection->context == "dgx");
  CHECK(connection->name_space == "nlp");
  CHECK(connection->endpoint.server == "https://10.1.2.3:6443");
  CHECK(connection->endpoint.authorities == kPem);
  CHECK(token_of(*connection) == kSecret);
}

TEST_CASE("options of the call count before the kubeconfig") {
  Client client;
  client.files.files["k"] = kConfig;
  auto connection = client.find({.kubeconfig = "k",
                                 .context = "other",
                                 .user = "alice",
                                 .name_space = "ns",
                                 .as = "root",
                                 .as_groups = {"g"}});
  REQUIRE(connection);
  CHECK(connection->endpoint.server == "https://10.9.9.9:6443");
  CHECK(connection->name_space == "ns");
  CHECK(token_of(*connection) == kSecret);
  CHECK(connection->impersonation.user == "root");
  CHECK(connection->impersonation.groups == std::vector<std::string>{"g"});
}

TEST_CASE("of several files in KUBECONFIG the first that has a name counts") {
  Client client;
  client.variables["KUBECONFIG"] = "/a/one::/no/such:/b/two";
  client.files.files["/a/one"] = "clusters:\n- name: one\n  cluster: {server: 'https://first'}\n";
  client.files.files["/b/two"] = kConfig;
  auto connection = client.find();
  INFO(client.said());
  REQUIRE(connection);
  CHECK(connection->endpoint.server == "https://first");
  CHECK(connection->context == "dgx");
}

TEST_CASE("relative paths start at their own file") {
  Client client;
  client.variables["KUBECONFIG"] = "/a/one:/b/two";
  client.files.files["/a/one"] =
      "current-context: a\ncontexts:\n- name: a\n"
      "  context: {cluster: c, user: u}\n";
  client.files.files["/b/two"] =
      "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: pki/ca}}]\n"
      "users: [{name: u, user: {client-certificate: pki/crt, client-key: /abs/key}}]\n";
  client.files.files["/b/pki/ca"] = kPem;
  client.files.files["/b/pki/crt"] = kPem;
  client.files.files["/abs/key"] = kKey;
  auto connection = client.find();
  INFO(client.said());
  REQUIRE(connection);
  std::string problem;
  const Identity* const identity = connection->identity->current(problem);
  REQUIRE(identity != nullptr);
  CHECK(identity->certificate == kPem);
  CHECK(identity->key.view() == kKey);
}

TEST_CASE("a token file is read when it is needed, and again when the server refuses the token") {
  Client client;
  client.files.files["k"] =
      "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
      "users: [{name: u, user: {tokenFile: /t}}]\n";
  auto connection = client.find({.kubeconfig = "k"});
  REQUIRE(connection);
  CHECK(has(token_of(*connection), "the token file /t cannot be read: "));
  client.files.files["/t"] = "\n";
  CHECK(has(token_of(*connection), "is empty"));
  client.files.files["/t"] = "old\n";
  CHECK(token_of(*connection) == "old");
  client.files.files["/t"] = "new\n";
  CHECK(token_of(*connection) == "old");
  CHECK(connection->identity->refused());
  CHECK(token_of(*connection) == "new");
}

TEST_CASE("in a pod without a kubeconfig the account of the pod is taken") {
  Client client;
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  client.variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  client.files.files[account + "token"] = "pod-token";
  client.files.files[account + "ca.crt"] = kPem;
  client.files.files[account + "namespace"] = "team\n";
  auto connection = client.find();
  REQUIRE(connection);
  CHECK(connection->endpoint.server == "https://[fd00::1]:443");
  CHECK(connection->endpoint.authorities == kPem);
  CHECK(connection->name_space == "team");
  CHECK(token_of(*connection) == "pod-token");
}

TEST_CASE("kubeconfigs can be wiped once they are read") {
  Client client;
  client.files.files["k"] = kConfig;
  REQUIRE(client.find({.kubeconfig = "k", .context = "other"}));
  wipe_kubeconfigs(client.sources);
}
