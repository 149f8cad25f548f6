// How pods meet, and with whom they may talk: what a build writes is not carried, anything else is
// reported.
#include <string>

#include "unit/convert/converted.h"

using namespace trainyard;
using trainyard::testing::ConvertedText;

namespace {

/// Pods of TensorFlow in a plain Job, which find each other by this text.
std::string job(std::string_view config, int pods = 2) {
  const std::string count = std::to_string(pods);
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: t}\nspec:\n"
         "  completionMode: Indexed\n  parallelism: " +
         count + "\n  completions: " + count +
         "\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
         "      - name: c\n        image: a:1\n        command: [python3, a.py]\n        env:\n"
         "        - name: TASK_INDEX\n          valueFrom: {fieldRef: {fieldPath: "
         "\"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}\n"
         "        - name: TF_CONFIG\n          value: '" +
         std::string(config) + "'\n";
}

std::string policy(std::string_view rules) {
  return "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: "
         "t-isolation}\nspec:\n  podSelector: {matchLabels: {app.kubernetes.io/instance: t, "
         "app.kubernetes.io/managed-by: trainyard}}\n  policyTypes: [Ingress, Egress]\n" +
         std::string(rules);
}

constexpr std::string_view kOwn =
    "{podSelector: {matchLabels: {app.kubernetes.io/instance: t, app.kubernetes.io/managed-by: "
    "trainyard}}}";

std::string rules(std::string_view more_ingress, std::string_view more_dns) {
  return "  ingress: [{from: [" + std::string(kOwn) + "]}" + std::string(more_ingress) +
         "]\n  egress: [{to: [" + std::string(kOwn) +
         "]}, {to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "
         "kube-system}}, podSelector: {matchLabels: {k8s-app: kube-dns}}}" +
         std::string(more_dns) +
         "], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}]\n";
}

constexpr std::string_view kTwo =
    R"({"cluster": {"worker": ["t-0.t:29500", "t-1.t:29500"]}, "task": {"type": "worker", "index": $(TASK_INDEX)}})";

std::string volcano(std::string_view script, std::string_view workers) {
  return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: t}\nspec:\n"
         "  minAvailable: 3\n  schedulerName: volcano\n  plugins: {ssh: [], svc: []}\n  tasks:\n"
         "  - {name: mpimaster, replicas: 1, template: {spec: {containers: [{name: c, image: a:1, "
         "command: [/bin/sh, -c, '" +
         std::string(script) +
         "']}]}}}\n  - {name: mpiworker, replicas: 2, template: {spec: {containers: [{name: c, "
         "image: a:1, command: [/bin/sh, -c, '" +
         std::string(workers) + "']}]}}}\n";
}

}  // namespace

TEST_CASE("the cluster of TensorFlow that a build writes is made again") {
  const ConvertedText made(job(kTwo));
  CHECK(made.lost().empty());
  CHECK(made.json({"framework"}) == "\"tensorflow\"");
  CHECK(made.json({"env"}).empty());
  CHECK(made.json({"pod"}).empty());
  CHECK(made.json({"nodes"}) == "2");
}

TEST_CASE("a port of the cluster's own is that of the job") {
  std::string config(kTwo);
  for (std::size_t at = 0; (at = config.find("29500")) != config.npos;) {
    config.replace(at, 5, "2222");
  }
  const ConvertedText made(job(config));
  CHECK(made.lost().empty());
  CHECK(made.json({"run", "rendezvous", "port"}) == "2222");
}

TEST_CASE("another cluster of TensorFlow than the job's is reported") {
  struct Row {
    std::string_view config;
    std::string_view because;
  };
  for (
      const Row& row :
      {Row{R"({"cluster": {"worker": ["t-0.t:1", "t-1.t:1", "t-2.t:1"]}, "task": {"type": "worker", "index": $(TASK_INDEX)}})",
           "role `worker` has 2 pods"},
       Row{R"({"cluster": {"worker": ["t-0.t:29500", "other-1.t:29500"]}, "task": {"type": "worker", "index": $(TASK_INDEX)}})",
           "`other-1.t:29500` is no pod of the job"},
       Row{R"({"cluster": {"worker": ["t-0.t:29500", "t-1.t:29501"]}, "task": {"type": "worker", "index": $(TASK_INDEX)}})",
           "`t-1.t:29501` is no pod of the job"},
       Row{R"({"cluster": {"ps": ["t-0.t:29500", "t-1.t:29500"]}, "task": {"type": "ps", "index": $(TASK_INDEX)}})",
           "these pods are role `worker`"},
       Row{R"({"cluster": {"worker": ["t-0.t:29500", "t-1.t:29500"]}, "task": {"type": "worker", "index": 0}})",
           "the index of a pod is its own"}}) {
    const ConvertedText made(job(row.config));
    INFO(row.config);
    REQUIRE_FALSE(made.job.lost.empty());
    std::string reasons;
    for (const NotCarried& each : made.job.lost) reasons += each.reason + "\n";
    CHECK(reasons.find(row.because) != std::string::npos);
  }
}

TEST_CASE("a variable of that name with another form is one of the job's") {
  for (const std::string_view config : {"{}", "see the wiki", R"({"cluster": {}})"}) {
    const ConvertedText made(job(config));
    INFO(config);
    CHECK(made.json({"framework"}) == "\"none\"");
    CHECK(made.json({"env", "TF_CONFIG"}).size() > 2);
  }
}

TEST_CASE("the policy that a build makes for a job is `network.isolate`") {
  const ConvertedText made(job(kTwo) + policy(rules("", "")));
  CHECK(made.lost().empty());
  CHECK(made.json({"network"}) == R"({"isolate":true})");
  CHECK(made.job.used.size() == 2);
}

TEST_CASE("what it allows beyond that is `network.allow`") {
  const ConvertedText made(job(kTwo) + policy(rules(", {ports: [{port: 9090}]}", "")));
  CHECK(made.lost().empty());
  CHECK(made.json({"network", "allow"}) == R"({"ingress":[{"ports":[{"port":9090}]}]})");
}

TEST_CASE("addresses of DNS are the Cluster's, and reported if it does not state them") {
  const ConvertedText made(job(kTwo) + policy(rules("", ", {ipBlock: {cidr: 169.254.20.10/32}}")));
  CHECK(made.lost() == "spec.egress[1].to[1].ipBlock.cidr");
}

TEST_CASE("a policy that is not as a build makes it goes into no job") {
  const std::string own = std::string(kOwn);
  for (const std::string& other :
       {policy("  ingress: []\n  egress: []\n"), policy("  ingress: [{from: [" + own + "]}]\n"),
        policy("  ingress: [{from: [" + own + "]}]\n  egress: [{to: [" + own +
               "]}, {ports: [{port: 443}]}]\n")}) {
    const ConvertedText made(job(kTwo) + other);
    INFO(other);
    CHECK(made.job.used.size() == 1);
    CHECK(made.json({"network"}).empty());
  }
}

TEST_CASE("workers of Volcano that wait for ssh are the nodes of a job of MPI") {
  const ConvertedText made(
      volcano("mpiexec -np 2 solve", "mkdir -p /var/run/sshd; /usr/sbin/sshd -D;"));
  CHECK(made.lost().empty());
  CHECK(made.json({"framework"}) == "\"mpi\"");
  CHECK(made.json({"nodes"}) == "2");
  CHECK(made.json({"run"}) == R"({"shell":"mpiexec -np 2 solve"})");
  CHECK(made.json({"roles", "worker", "run", "command"}).find("mkdir -p") != std::string::npos);
}

TEST_CASE("what the workers do beside sshd stays theirs") {
  const ConvertedText made(volcano("mpiexec -np 2 solve", "prepare; /usr/sbin/sshd -D"));
  CHECK(made.json({"roles", "worker", "run", "command"}).find("prepare") != std::string::npos);
  CHECK(made.json({"run", "shell"}) == R"("mpiexec -np 2 solve")");
}

TEST_CASE("a file of hosts that is named after a task is reported") {
  const ConvertedText made(
      volcano("mpiexec --hostfile /etc/volcano/mpiworker.host solve", "/usr/sbin/sshd -D"));
  REQUIRE(made.job.lost.size() == 1);
  CHECK(
      made.job.lost[0].reason.starts_with("`/etc/volcano/mpiworker.host` is a file of Volcano's"));
  CHECK(made.lost() == "spec.tasks[0].template.spec.containers[0].command[2]");
}

TEST_CASE("a map without entries is a field that is not set") {
  std::string text = job(kTwo);
  text.replace(text.find("        env:\n"), 0,
               "        resources: {}\n        securityContext: {}\n");
  text.replace(text.find("      containers:\n"), 0,
               "      affinity: {}\n      nodeSelector: {}\n      securityContext: {}\n");
  CHECK(ConvertedText(text).lost().empty());
}
