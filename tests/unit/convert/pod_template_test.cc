#include <string>

#include "unit/convert/converted.h"

using namespace trainyard;
using trainyard::testing::ConvertedText;

namespace {

/// A Job of several pods, or of one, with these fields of its container.
std::string job(std::string_view container, int pods = 2, std::string_view pod = "") {
  const std::string number = std::to_string(pods);
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: t}\nspec:\n  completionMode: Indexed\n"
         "  completions: " +
         number + "\n  parallelism: " + number +
         "\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n" +
         std::string(pod) + "      containers:\n      - {name: main, image: a:1, " +
         std::string(container) + "}\n";
}

constexpr std::string_view kContainer = "spec.template.spec.containers[0]";

std::string lost_of(std::string_view container, int pods = 2) {
  return ConvertedText(job(container, pods)).lost();
}
std::string run_of(std::string_view container, int pods = 2) {
  return ConvertedText(job(container, pods)).json({"run"});
}

}  // namespace

TEST_CASE("a flag that disagrees with the pods is reported where it stands") {
  const std::string at = std::string(kContainer) + ".command[1]";
  CHECK(lost_of("command: [torchrun, --nnodes=3, a.py]") == at);
  CHECK(lost_of("command: [torchrun, --nnodes=2, a.py]").empty());
  CHECK(lost_of("command: [torchrun, --master-addr=other-0, a.py]") == at);
  CHECK(lost_of("command: [torchrun, --master-addr=t-0.t, a.py]").empty());
  CHECK(lost_of("command: [torchrun, --standalone, a.py]") == at);
  CHECK(lost_of("command: [torchrun, --standalone, a.py]", 1).empty());
  CHECK(lost_of("command: [torchrun, --rdzv-backend=etcd, a.py]") == at);
  CHECK(lost_of("command: [torchrun, --node-rank=0, a.py]") == at);
  CHECK(lost_of("command: [torchrun, --master-port=80, a.py]") == at);
}

TEST_CASE("a line of torchrun becomes a script, with the options that are not computed") {
  CHECK(run_of("command: [torchrun, --nproc_per_node=4, --tee, '3', a.py, --lr, '1']") ==
        R"({"script":"a.py","launcherArgs":["--tee","3"],"args":["--lr","1"]})");
  CHECK(run_of("command: [python3, -m, torch.distributed.run, -m, lab.train]") ==
        R"({"module":"lab.train"})");
  CHECK(run_of("command: [bash, -c, 'exec torchrun --nnodes $NNODES a.py']") ==
        R"({"script":"a.py"})");
}

TEST_CASE("a line that only a shell understands stays in the shell") {
  CHECK(run_of("command: [bash, -c, 'torchrun a.py | tee log']") ==
        R"({"command":["bash","-c","torchrun a.py | tee log"]})");
  CHECK(run_of("command: [/bin/sh, -c, 'torchrun a.py --x $$(date)']") ==
        R"j({"shell":"torchrun a.py --x $(date)"})j");
  CHECK(run_of("command: [/bin/sh, -c, 'a $(NAME)']") ==
        R"j({"command":["/bin/sh","-c","a $(NAME)"]})j");
  CHECK(run_of("command: [bash, -c, 'torchrun a.py --rank $RANK']") ==
        R"({"command":["bash","-c","torchrun a.py --rank $RANK"]})");
}

TEST_CASE("torchrun that gets no number of processes starts one") {
  const ConvertedText silent(
      job("command: [torchrun, a.py], resources: {limits: {nvidia.com/gpu: 8}}"));
  CHECK(silent.json({"processesPerNode"}) == "1");
  const ConvertedText told(job(
      "command: [torchrun, --nproc-per-node=gpu, a.py], resources: {limits: {nvidia.com/gpu: 8}}"));
  CHECK(told.json({"processesPerNode"}).empty());
}

TEST_CASE("a variable that a build computes is left out only when it says the same") {
  const auto lost = [](std::string_view variable, int pods = 2) {
    return lost_of("command: [torchrun, a.py], env: [" + std::string(variable) + "]", pods);
  };
  const std::string at = std::string(kContainer) + ".env[0]";
  CHECK(lost("{name: PET_NNODES, value: '3'}") == at);
  CHECK(lost("{name: PET_NNODES, value: '2'}").empty());
  CHECK(lost("{name: MASTER_ADDR, value: db-0.db}") == at);
  CHECK(lost("{name: MASTER_ADDR, value: t-0.ranks.lab.svc}").empty());
  CHECK(lost("{name: PET_NODE_RANK, valueFrom: {fieldRef: {fieldPath: metadata.name}}}") == at);
  CHECK(lost("{name: PET_RDZV_CONF, value: 'is_host=1'}") == at);
  CHECK(lost("{name: PET_RDZV_CONF, value: 'timeout=900'}").empty());
}

TEST_CASE("variables that one pod does not need are the user's own") {
  const ConvertedText alone(
      job("command: [torchrun, a.py], env: [{name: MASTER_ADDR, value: db-0}]", 1));
  CHECK(alone.lost().empty());
  CHECK(alone.json({"env"}) == R"({"MASTER_ADDR":"db-0"})");
}

TEST_CASE("the last of several variables with one name counts") {
  const ConvertedText twice(job("env: [{name: A, value: a}, {name: A, value: b}]"));
  CHECK(twice.json({"env"}) == R"({"A":"b"})");
  CHECK(twice.lost().empty());
}

TEST_CASE("a credential is never written, and a reference to it is") {
  const ConvertedText literal(job("env: [{name: DB_PASSWORD, value: hunter2hunter2}]"));
  CHECK(literal.lost() == std::string(kContainer) + ".env[0]");
  CHECK(literal.json({}).find("hunter2") == std::string::npos);
  const ConvertedText reference(
      job("env: [{name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: db, key: DB_PASSWORD}}}]"));
  CHECK(reference.json({"secretEnv"}) == R"({"DB_PASSWORD":{"name":"db"}})");
}

TEST_CASE("a variable that mentions a field of the pod stays beside it") {
  const ConvertedText spec(
      job("env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: URL, value: "
          "'http://$(IP)'}, {name: B, value: b}]"));
  CHECK(spec.json({"env"}) == R"({"B":"b"})");
  CHECK(spec.json({"pod"}).find("http://$(IP)") != std::string::npos);
}

TEST_CASE("MIG slices, shared GPUs and other vendors' are named") {
  const auto gpu = [](std::string_view resource) {
    return ConvertedText(job("resources: {limits: {" + std::string(resource) + ": 2}}", 1))
        .json({"gpu"});
  };
  CHECK(gpu("nvidia.com/gpu").empty());
  CHECK(gpu("nvidia.com/mig-1g.10gb") == R"({"resource":"nvidia.com/mig-1g.10gb"})");
  CHECK(gpu("nvidia.com/mig-1g.10gb.me") == R"({"resource":"nvidia.com/mig-1g.10gb.me"})");
  CHECK(gpu("nvidia.com/gpu.shared") == R"({"resource":"nvidia.com/gpu.shared"})");
  CHECK(gpu("amd.com/gpu") == R"({"resource":"amd.com/gpu"})");
  CHECK(lost_of("resources: {limits: {nvidia.com/gpu: 1, amd.com/gpu: 1}}") ==
        std::string(kContainer) + R"(.resources.limits["amd.com/gpu"])");
}

TEST_CASE("a missing limit stays missing, and a missing request is the limit") {
  CHECK(ConvertedText(job("resources: {requests: {cpu: 4}}")).json({"pod"}) ==
        R"({"spec":{"containers":[{"name":"main","resources":{"limits":{"cpu":null}}}]}})");
  const ConvertedText limit(job("resources: {limits: {cpu: 4}}"));
  CHECK(limit.json({"resources"}) == R"({"cpu":4})");
  CHECK(limit.json({"pod"}).empty());
}

TEST_CASE("the level of security is the one that comes closest") {
  const auto level = [](std::string_view container, std::string_view pod = "") {
    return ConvertedText(job(container, 1, pod)).json({"security"});
  };
  CHECK(level("tty: true") == R"({"level":"baseline"})");
  CHECK(level("securityContext: {privileged: true}") == R"({"level":"privileged"})");
  CHECK(level("securityContext: {capabilities: {add: [IPC_LOCK]}}") ==
        R"({"level":"privileged","capabilities":{"add":["IPC_LOCK"]}})");
  CHECK(level("securityContext: {capabilities: {add: [CHOWN]}}") ==
        R"({"level":"baseline","capabilities":{"add":["CHOWN"]}})");
  CHECK(level("tty: true", "      hostNetwork: true\n") == R"({"level":"privileged"})");
  CHECK(level("securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, "
              "seccompProfile: {type: RuntimeDefault}, capabilities: {drop: [ALL]}}")
            .empty());
}

TEST_CASE("shared memory of another size than the usual one is reported") {
  const auto memory = [](std::string_view source, std::string_view limits) {
    return ConvertedText(job("resources: {limits: {nvidia.com/gpu: 1" + std::string(limits) +
                                 "}}, volumeMounts: [{name: m, mountPath: /dev/shm}]",
                             1,
                             "      volumes: [{name: m, emptyDir: {medium: Memory" +
                                 std::string(source) + "}}]\n"))
        .json({"resources", "sharedMemory"});
  };
  CHECK(memory("", "").empty());
  CHECK(memory(", sizeLimit: 4Gi", ", memory: 8Gi").empty());
  CHECK(memory(", sizeLimit: 2Gi", ", memory: 8Gi") == "\"2Gi\"");
  CHECK(memory(", sizeLimit: 2Gi", "") == "\"2Gi\"");
  CHECK(ConvertedText(job("resources: {limits: {nvidia.com/gpu: 1}}", 1))
            .json({"resources", "sharedMemory"}) == "\"0\"");
}

TEST_CASE("anti-affinity becomes a flag only when it is about the pods of this job") {
  const auto placement = [](std::string_view labels) {
    return ConvertedText(
               job("tty: true", 2,
                   "      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuring"
                   "Execution: [{topologyKey: kubernetes.io/hostname, labelSelector: "
                   "{matchLabels: {" +
                       std::string(labels) + "}}}]}}\n"))
        .json({"placement"});
  };
  CHECK(placement("job-name: t") == R"({"onePodPerNode":true})");
  CHECK(placement("job-name: other").find("affinity") != std::string::npos);
  CHECK(placement("app: t").find("affinity") != std::string::npos);
  CHECK(placement("job-name: t, app: t").find("affinity") != std::string::npos);
}

TEST_CASE("a volume with several mounts stays in the pod") {
  const ConvertedText spec(job("volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /b}]",
                               1, "      volumes: [{name: v, emptyDir: {}}]\n"));
  CHECK(spec.json({"storage"}).empty());
  CHECK(spec.json({"pod", "spec", "volumes"}) == R"([{"name":"v","emptyDir":{}}])");
}

TEST_CASE("what a pod template does not have is reported and not written") {
  CHECK(ConvertedText(job("tty: true", 1, "      surprise: 1\n")).lost() ==
        "spec.template.spec.surprise");
}
