// `trainyard-cluster ping` as a person calls it, against recorded answers.
#include <catch2/catch_test_macros.hpp>

#include "cli/cli.h"
#include "cli/cluster_program.h"
#include "cluster/client.h"
#include "cluster/replay_server.h"
#include "live/live_command.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kReviews = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const std::string kUser = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";

struct Program : Client {
  ReplayServer server;
  std::string out;
  std::string err;

  Program() {
    files.files["k"] =
        "current-context: dgx\ncontexts: [{name: dgx, context: {cluster: c, user: u, "
        "namespace: nlp}}]\nclusters: [{name: c, cluster: {server: '" +
        server.address() + "'}}]\nusers: [{name: u, user: {token: t0ken-of-alice}}]\n";
    server.on("GET /version", {{.body = R"({"gitVersion":"v1.36.0"})"}});
    server.on(kUser, {{201, R"({"status":{"userInfo":{"username":"alice","groups":["g"]}}})"}});
    server.on(kReviews, {{201, R"({"status":{"allowed":true}})"}});
  }
  int run(std::vector<std::string> words) {
    out.clear();
    err.clear();
    Env env{files, nullptr};
    Io io{env, out, err};
    if (words.front() == "ping") words.insert(words.end(), {"--kubeconfig", "k"});
    return static_cast<int>(run_cli(words, io, live_commands(machine)));
  }
};

}  // namespace

TEST_CASE("ping says why it does not reach the cluster, with an exit code for it") {
  Program program;
  CHECK(program.run({"ping", "--context", "no"}) == 1);
  CHECK(has(program.err, "there is no context `no`"));
  CHECK(program.run({"ping", "--request-timeout", "soon"}) == 2);
  program.files.files["k"].replace(program.files.files["k"].find("http://"), 40,
                                   "http://127.0.0.1:1'}}]\nusers: [{name: ");
  CHECK(program.run({"ping"}) != 0);
}

TEST_CASE("ping tells of credentials that the server does not accept") {
  Program program;
  program.server.on("GET /version", {{401, status_body(401, "Unauthorized", "Unauthorized")}});
  CHECK(program.run({"ping"}) == 4);
  CHECK(has(program.err, "trainyard: cluster dgx (" + program.server.address() + "): "));
  CHECK(has(program.err, "log in again"));
  CHECK(!has(program.err, "t0ken-of-alice"));
}

TEST_CASE("ping prints rights that are missing as a Role") {
  Program program;
  program.server.on(kReviews, {{201, R"({"status":{"allowed":false}})"}});
  CHECK(program.run({"ping", "-n", "ml"}) == 4);
  CHECK(has(program.out, "kind: Role\n"));
  CHECK(has(program.out, "  namespace: ml\n"));
  CHECK(has(program.out, "  resources: [pods/log]\n"));
}

TEST_CASE("ping names server, version, namespace and user") {
  Program program;
  CHECK(program.run({"ping"}) == 0);
  CHECK(program.out == "Cluster dgx (" + program.server.address() +
                           ", Kubernetes v1.36.0), namespace nlp, as alice\n"
                           "You have all rights that trainyard needs in this namespace.\n");
  CHECK(program.run({"ping", "--output", "json"}) == 0);
  CHECK(has(program.out, "\"kubernetes\": \"v1.36.0\""));
  CHECK(has(program.out, "\"missing\": []"));
}

TEST_CASE("every command of trainyard-cluster is one that trainyard starts it for") {
  Program program;
  for (const auto& command : live_commands(program.machine)) {
    INFO(command->name());
    bool is_known = false;
    for (const ClusterCommand& each : cluster_commands()) {
      if (each.name == command->name()) is_known = each.summary == command->summary();
    }
    CHECK(is_known);
  }
}
