// What the Training Operator gets about failures, ports and elastic jobs.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard::testing;

namespace {

Built built(const std::string& fields, const std::string& target = "pytorchjob") {
  const std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\n"
      "spec:\n  image: registry.example.com/i:1\n  target: " +
      target + "\n" + fields;
  return build_files({{"a.yaml", spec}}, {"a.yaml"});
}

/// The text behind the first line of this key; "" when there is none.
std::string value(const std::string& text, const std::string& key) {
  const std::string start = " " + key + ": ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + start.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Restart policy and limit of a job of so many nodes.
std::string restarts(int nodes, const std::string& lifecycle, const std::string& more = "") {
  const Built job = built("  run: {script: a.py}\n  nodes: " + std::to_string(nodes) +
                          "\n  lifecycle: " + lifecycle + "\n" + more);
  CHECK(job.errors == 0);
  return value(job.text, "restartPolicy") + " " + value(job.text, "backoffLimit");
}

}  // namespace

TEST_CASE("a job that is not to be started again has pods that are not") {
  CHECK(restarts(1, "{}") == "Never ");
  CHECK(restarts(4, "{}") == "Never ");
  CHECK(restarts(4, "{retryOn: any}") == "Never ");
  CHECK(restarts(4, "{retryOn: never}") == "Never ");
}

TEST_CASE("one pod is made again by its exit code, several after every failure") {
  CHECK(restarts(1, "{retries: 2}") == "ExitCode 2");
  CHECK(restarts(1, "{retries: 2, retryOn: any}") == "OnFailure 3");
  CHECK(restarts(4, "{retries: 2}") == "OnFailure 9");
  CHECK(restarts(4, "{retries: 2, retryOn: any}") == "OnFailure 9");
}

TEST_CASE("an elastic job takes back pods as often as its processes may start again") {
  const std::string elastic = "  elastic: {minNodes: 1, maxNodes: 4, maxRestarts: 2}\n";
  CHECK(restarts(2, "{}", elastic) == "OnFailure 9");
  CHECK(restarts(1, "{}", elastic) == "OnFailure 9");
  CHECK(restarts(2, "{retries: 1}", elastic) == "OnFailure 13");
  CHECK(restarts(2, "{retryOn: never}", elastic) == "Never ");
  CHECK(restarts(2, "{}", "  elastic: {minNodes: 1, maxNodes: 4, maxRestarts: 0}\n") == "Never ");
}

TEST_CASE("the pods say nothing of restarts: the replicas do") {
  const Built job = built("  run: {script: a.py}\n");
  CHECK(job.text.find("restartPolicy", job.text.find("template:")) == std::string::npos);
}

TEST_CASE("every port has a name, and that of the rendezvous the operator's") {
  const Built job = built(
      "  run: {script: a.py, rendezvous: {port: 2345}}\n  nodes: 2\n"
      "  network: {ports: [{containerPort: 9090}, {name: web, containerPort: 80}]}\n");
  CHECK(job.errors == 0);
  CHECK(job.text.find("- name: port-9090\n              containerPort: 9090\n") !=
        std::string::npos);
  CHECK(job.text.find("- name: web\n") != std::string::npos);
  CHECK(job.text.find("- name: pytorchjob-port\n              containerPort: 2345\n") !=
        std::string::npos);
}

TEST_CASE("a port of a role that rank 0 is not of has no effect, and is pointed out") {
  const std::string roles =
      "  roles:\n    master: {}\n    worker: {run: {script: a.py, rendezvous: {port: 2345}}}\n";
  const Built job = built("  run: {script: a.py}\n" + roles);
  REQUIRE(job.reports.size() == 1);
  CHECK(job.reports[0].message == "`port` has no effect here");
  CHECK(job.text.find("containerPort: 23456") != std::string::npos);
  CHECK(built("  run: {script: a.py, rendezvous: {port: 2345}}\n" + roles).reports.empty());
}

TEST_CASE("what the operator sets is not the spec's to set, and only in the jobs where it does") {
  const std::string program = "  run: {script: a.py}\n  nodes: 2\n";
  CHECK(built(program + "  env: {PET_NNODES: 3}\n").errors == 1);
  CHECK(built(program + "  env: {PET_RDZV_ID: mine}\n").errors == 0);
  CHECK(built(program + "  env: {PET_RDZV_ID: mine}\n  elastic: {minNodes: 1, maxNodes: 2}\n")
            .errors == 1);
  const std::string uneven = "  run: {script: a.py}\n  roles: {master: {}, worker: {}}\n";
  CHECK(built(uneven + "  env: {RANK: 3}\n").errors == 2);  // in each role
  CHECK(built(uneven).errors == 0);
}

TEST_CASE("a container that the operator adds may run as root where there is a Master") {
  const std::string even = built("  run: {script: a.py}\n  nodes: 2\n").text;
  const std::string uneven = "  run: {script: a.py}\n  roles: {master: {}, worker: {}}\n";
  CHECK(even.find("runAsNonRoot") < even.find("containers:"));
  const std::string with_master = built(uneven).text;
  CHECK(with_master.find("runAsNonRoot") > with_master.find("containers:"));
  CHECK(with_master.find("runAsNonRoot: true") != std::string::npos);
  // A user for all of the pod is one for that container, too.
  const std::string by_user = built(uneven + "  security: {runAsUser: 1000}\n").text;
  CHECK(by_user.find("runAsNonRoot") < by_user.find("containers:"));
}

TEST_CASE("TensorFlow gets task types that it knows, whatever the target calls its nodes") {
  for (const std::string target : {"job", "jobset", "trainjob"}) {
    INFO(target);
    const Built made =
        built("  framework: tensorflow\n  run: {script: a.py}\n  nodes: 2\n", target);
    CHECK(made.errors == 0);
    CHECK(made.text.find(R"({"cluster": {"worker": [)") != std::string::npos);
    CHECK(made.text.find(R"("task": {"type": "worker")") != std::string::npos);
  }
}

TEST_CASE("TF_CONFIG comes from the operator of a TFJob, and from us where there is none") {
  const std::string fields = "  framework: tensorflow\n  run: {script: a.py}\n  nodes: 2\n";
  const Built by_operator = built(fields, "tfjob");
  CHECK(by_operator.errors == 0);
  CHECK(by_operator.text.find("TF_CONFIG") == std::string::npos);
  const Built by_us = built(fields, "job");
  CHECK(by_us.errors == 0);
  CHECK(by_us.text.find("TF_CONFIG") != std::string::npos);
}

TEST_CASE("XGBoost has the same variables with the operator's own beside them, and without") {
  const std::string fields = "  framework: xgboost\n  run: {script: a.py}\n  nodes: 2\n";
  for (const std::string target : {"xgboostjob", "job"}) {
    const Built made = built(fields, target);
    CHECK(made.errors == 0);
    CHECK(made.text.find("DMLC_TRACKER_URI") != std::string::npos);
  }
}

TEST_CASE("`main` in `pod` is the training container, however the target calls it") {
  const Built job =
      built("  run: {script: a.py}\n  pod: {spec: {containers: [{name: main, stdin: true}]}}\n");
  CHECK(job.errors == 0);
  CHECK(job.text.find("- name: pytorch\n") != std::string::npos);
  CHECK(job.text.find("- name: main\n") == std::string::npos);
  CHECK(job.text.find("stdin: true") != std::string::npos);
  CHECK(built("  run: {script: a.py}\n  nodes: 2\n  pod: {spec: {containers: [{name: main, env: "
              "[{name: MASTER_ADDR, value: x}]}]}}\n")
            .errors == 1);
}
