// The cluster that a Cluster document means, against the one that a call chooses.
#include "live/meant_cluster.h"

#include <catch2/catch_test_macros.hpp>

#include "cluster/apply_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

std::string cluster_document(const std::string& api) {
  return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n  api: " +
         api + "\n";
}

/// The program with a Cluster, and a kubeconfig with `dgx`, `dev` (the current one, another server)
/// and `mine`, another name of `dgx`.
struct TwoClusters : Program {
  ReplayServer other;

  explicit TwoClusters(const std::string& api) {
    files.files["k"] =
        "current-context: dev\ncontexts:\n- {name: dgx, context: {cluster: c, user: u, namespace: "
        "ml}}\n- {name: mine, context: {cluster: c, user: u, namespace: ml}}\n"
        "- {name: dev, context: {cluster: d, user: u, namespace: ml}}\n"
        "clusters: [{name: c, cluster: {server: '" +
        server.address() + "'}}, {name: d, cluster: {server: '" + other.address() +
        "'}}]\nusers: [{name: u, user: {token: t0ken-of-alice}}]\n";
    files.files["lab.yaml"] = cluster_document(api);
    takes_all();
    server.on("GET " + kJob, {{.body = job("llama", "a:2")}});
    other.on("GET /api", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[]})"}});
    other.on("GET /apis", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                                    discovered("batch", "jobs", "Job") + "]}"}});
  }
};

}  // namespace

TEST_CASE("addresses of one API server are the same with and without what is usual") {
  CHECK(is_same_server("https://a.example.com", "https://A.example.com:443/"));
  CHECK(is_same_server("https://[fd00::1]:6443", "https://[FD00::1]:6443/"));
  CHECK(is_same_server("https://[fd00::1]", "https://[fd00::1]:443"));
  CHECK(is_same_server("http://127.0.0.1", "http://127.0.0.1:80"));
  CHECK(!is_same_server("https://a.example.com", "http://a.example.com"));
  CHECK(!is_same_server("https://a.example.com:6443", "https://a.example.com"));
  CHECK(!is_same_server("https://rancher/k8s/clusters/A", "https://rancher/k8s/clusters/a"));
  CHECK(!is_same_server("", "https://a"));
}

TEST_CASE("a command that writes stops where another context is chosen than is meant") {
  TwoClusters program("{context: dgx}");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"apply", "job.yaml"},
                                             {"cancel", "job.yaml", "--yes"},
                                             {"resume", "job.yaml"},
                                             {"delete", "job.yaml", "--yes"}}) {
    CAPTURE(words.front());
    std::vector<std::string> call = words;
    call.insert(call.end(), {"-c", "lab.yaml", "--context", "dev"});
    CHECK(program.run(call) == 8);
    CHECK(has(program.err, "error: context `dev` (" + program.other.address() +
                               ") is chosen, and lab.yaml:5:18 means context `dgx`; nothing was "
                               "written\n"));
  }
  CHECK(program.server.seen().empty());
  CHECK(program.other.seen().empty());
}

TEST_CASE("a command that reads goes on, and notes that another context is meant") {
  TwoClusters program("{context: dgx}");
  for (const char* command : {"status", "wait", "logs", "diagnose"}) {
    CAPTURE(command);
    CHECK(program.run({command, "job.yaml", "-c", "lab.yaml", "--context", "dev"}) == 6);
    CHECK(has(program.err, "note: context `dev` ("));
    CHECK(has(program.err, "lab.yaml:5:18 means context `dgx`\n"));
  }
  program.run({"plan", "job.yaml", "-c", "lab.yaml", "--context", "dev"});
  CHECK(has(program.err, "note: context `dev` ("));
}

TEST_CASE("without --context the one that is meant is used, not the current one") {
  TwoClusters program("{context: dgx}");
  CHECK(program.run({"apply", "job.yaml", "-c", "lab.yaml"}) == 0);
  CHECK(has(program.out, "trainyard status llama -n ml --kubeconfig k --context dgx"));
  CHECK(program.writes().size() == 3);
  CHECK(program.run({"status", "job.yaml", "-c", "lab.yaml"}) == 0);
  CHECK(!has(program.err, "note: "));
  CHECK(program.other.seen().empty());
}

TEST_CASE("a config file that names the Cluster guards commands about a job, too") {
  TwoClusters program("{context: dgx}");
  program.files.files[".trainyard.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Config\ncluster: lab.yaml\n";
  CHECK(program.run({"delete", "llama", "--yes", "--context", "dev"}) == 8);
  CHECK(program.run({"status", "llama"}) == 0);
  CHECK(program.other.seen().empty());
  CHECK(program.run({"delete", "llama", "--yes", "--context", "dev", "--no-config"}) == 6);
}

TEST_CASE("where the server is stated, the name of the context does not count") {
  TwoClusters program("{context: dgx, server: 'https://10.1.2.3:6443'}");
  CHECK(program.run({"apply", "job.yaml", "-c", "lab.yaml"}) == 8);
  CHECK(has(program.err, "means the server `https://10.1.2.3:6443`"));
  program.files.files["lab.yaml"] =
      cluster_document("{context: dgx, server: '" + program.server.address() + "/'}");
  CHECK(program.run({"apply", "job.yaml", "-c", "lab.yaml", "--context", "mine"}) == 0);
}

TEST_CASE("another entry of `clusters` is another cluster") {
  TwoClusters program("{context: dgx}");
  CHECK(program.run({"apply", "job.yaml", "-c", "lab.yaml", "--context", "dgx", "--kube-cluster",
                     "d"}) == 8);
  CHECK(has(program.err, "the server `" + program.other.address() + "` is chosen"));
}

TEST_CASE("a context that is meant and not there is reported with the line that names it") {
  TwoClusters program("{context: dgy}");
  CHECK(program.run({"apply", "job.yaml", "-c", "lab.yaml"}) == 1);
  CHECK(has(program.err, "did you mean `dgx`?"));
  CHECK(has(program.err, "lab.yaml:5:18 names context `dgy`; `--context` chooses another"));
}

TEST_CASE("Clusters of two contexts are not applied at once") {
  TwoClusters program("{context: dgx}");
  const std::string rest = "  priorityClasses: [{name: urgent, value: 10}]\n";
  program.files.files["a.yaml"] = cluster_document("{context: dgx}") + rest;
  program.files.files["b.yaml"] = cluster_document("{context: dev}") + rest;
  CHECK(program.run({"apply", "a.yaml", "b.yaml"}) == 8);
  CHECK(has(program.err, "b.yaml:5:18 means context `dev`; nothing was written"));
}

TEST_CASE("a Cluster that names no API server guards nothing") {
  TwoClusters program("{}");
  CHECK(program.run({"apply", "job.yaml", "-c", "lab.yaml", "--context", "dgx"}) == 0);
  CHECK(program.err.empty());
}
