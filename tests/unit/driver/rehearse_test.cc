// A job as processes of one machine: what each pod gets, what is folded, and what is not as on a
// cluster.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "driver/rehearse/plan_rehearsal.h"
#include "source/file_system.h"

using namespace trainyard;

namespace {

const std::string kJob =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: train, namespace: ml}\n"
    "spec:\n"
    "  image: registry.example.com/train:1\n"
    "  framework: pytorch\n"
    "  run: {command: [torchrun, train.py, --host, $(MASTER_ADDR), --price, $$5]}\n"
    "  nodes: 16\n"
    "  gpusPerNode: 8\n";

struct Planned {
  std::optional<Rehearsal> rehearsal;
  std::string reports;
};

Planned plan(const std::map<std::string, std::string>& files, RehearseRequest request = {}) {
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [](std::size_t) { return FileRead{kJob, {}}; }};
  Session session(env);
  request.make_keys = [] { return KeyPair{{}, "private", "public"}; };
  if (request.inputs.empty()) request.inputs = {files.empty() ? "-" : files.begin()->first};
  Planned planned;
  planned.rehearsal = plan_rehearsal(session, request);
  for (const Diagnostic& each : session.sink.sorted()) {
    planned.reports += each.message + "\n";
    for (const auto& note : each.notes) planned.reports += note + "\n";
  }
  return planned;
}

RehearseRequest asked(const std::string& target) {
  RehearseRequest request;
  request.target = target;
  return request;
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::ranges::count(lines, line) != 0;
}

}  // namespace

TEST_CASE("a rehearsal folds a spec, and every variable says so") {
  const auto [rehearsal, reports] = plan({});
  INFO(reports);
  REQUIRE(rehearsal);
  CHECK(rehearsal->job == "Job/train");
  REQUIRE(rehearsal->pods.size() == 2);
  const RehearsedPod& pod = rehearsal->pods[1];
  CHECK(pod.label == "pod 1");
  CHECK(pod.hostname == "train-1");
  CHECK(pod.address == "10.99.0.2");
  CHECK(has(pod.environment, "PET_NNODES=2"));
  CHECK(has(pod.environment, "PET_NPROC_PER_NODE=2"));
  CHECK(has(pod.environment, "PET_NODE_RANK=1"));
  CHECK(has(pod.environment, "CUDA_VISIBLE_DEVICES="));
  CHECK(pod.meeting.host == "train-0.train");
  CHECK(pod.meeting.port == 29500);
  CHECK(has(rehearsal->differences, "`spec.nodes`: 2, not 16"));
  CHECK(has(rehearsal->differences, "`spec.processesPerNode`: 2, not 8"));
  CHECK(has(rehearsal->differences, "devices: none, not 8 of `nvidia.com/gpu` in each pod"));
}

TEST_CASE("a rehearsal expands references of the command line as the kubelet does") {
  const auto [rehearsal, reports] = plan({});
  REQUIRE(rehearsal);
  CHECK(rehearsal->pods[0].command == std::vector<std::string>{"torchrun", "train.py", "--host",
                                                               "train-0.train", "--price", "$5"});
}

TEST_CASE(
    "pods of a rehearsal know each other by the names of the cluster, and themselves by more") {
  const auto [rehearsal, reports] = plan({});
  REQUIRE(rehearsal);
  CHECK(hosts_file(*rehearsal, rehearsal->pods[1]) ==
        "127.0.0.1\tlocalhost\n"
        "10.99.0.1\ttrain-0.train.ml.svc.cluster.local train-0.train.ml.svc train-0.train.ml "
        "train-0.train train.ml.svc.cluster.local train.ml.svc train.ml train\n"
        "10.99.0.2\ttrain-1.train.ml.svc.cluster.local train-1 train-1.train.ml.svc "
        "train-1.train.ml train-1.train train.ml.svc.cluster.local train.ml.svc train.ml train\n");
  CHECK(find_pod(*rehearsal, "train-1.train.ml") == &rehearsal->pods[1]);
  CHECK(find_pod(*rehearsal, "train-2.train") == nullptr);
}

TEST_CASE("a launch line with a number of its own keeps its processes in a rehearsal") {
  std::string spec = kJob;
  spec.replace(spec.find("torchrun, "), 10, "torchrun, --nproc-per-node=8, ");
  const auto [rehearsal, reports] = plan({{"job.yaml", spec}});
  INFO(reports);
  REQUIRE(rehearsal);
  CHECK(rehearsal->pods.size() == 2);
}

TEST_CASE("elastic jobs are folded with their limits") {
  const auto [rehearsal, reports] =
      plan({{"job.yaml", kJob + "  elastic: {minNodes: 4, maxNodes: 32}\n"}}, asked("pytorchjob"));
  INFO(reports);
  REQUIRE(rehearsal);
  CHECK(rehearsal->pods.size() == 2);
}

TEST_CASE("a rehearsal takes secrets of the user's environment, and says so without their values") {
  const std::string spec =
      kJob + "  secretEnv: {TOKEN: {name: hub, key: token}, OTHER: {name: hub, key: other}}\n";
  RehearseRequest request;
  request.environment = {{"TOKEN", "s3cr3t"}, {"RANK", "7"}, {"PATH", "/bin"}};
  const auto [rehearsal, reports] = plan({{"job.yaml", spec}}, request);
  INFO(reports);
  REQUIRE(rehearsal);
  const RehearsedPod& pod = rehearsal->pods.front();
  CHECK(has(pod.environment, "TOKEN=s3cr3t"));
  CHECK(has(pod.environment, "PATH=/bin"));
  CHECK_FALSE(has(pod.environment, "RANK=7"));
  CHECK(has(rehearsal->differences, "Secret `hub` for `TOKEN`: the value of your environment"));
  CHECK(
      has(rehearsal->differences, "Secret `hub` for `OTHER`: not set; your environment has none"));
  for (const std::string& each : rehearsal->differences) {
    CHECK(each.find("s3cr3t") == std::string::npos);
  }
}

TEST_CASE("what podman prints of an image gives its variables, words and folder") {
  const ImageFacts facts = read_image_facts(
      R"([{"Config": {"Env": ["PATH=/opt/bin", "A=b=c"], "Entrypoint": ["/entry.sh"], "Cmd": ["run"],
          "WorkingDir": "/work"}}])");
  CHECK(facts.fault.empty());
  CHECK(facts.environment ==
        std::map<std::string, std::string>{{"PATH", "/opt/bin"}, {"A", "b=c"}});
  CHECK(facts.entrypoint == std::vector<std::string>{"/entry.sh"});
  CHECK(facts.command == std::vector<std::string>{"run"});
  CHECK(facts.working_directory == "/work");
  CHECK(read_image_facts(R"([{"Config": null}])").working_directory == "/");
  CHECK_FALSE(read_image_facts("[]").fault.empty());
  CHECK_FALSE(read_image_facts("Error: no such image").fault.empty());
}

TEST_CASE("pods of an image have its variables and entry point, and not the user's") {
  RehearseRequest request;
  request.environment = {{"HOME", "/home/ann"}};
  request.image_facts = [](const std::string& image) {
    ImageFacts facts;
    if (image != "registry.example.com/train:1") facts.fault = "another image";
    facts.root = "/images/train";
    facts.environment = {{"PATH", "/opt/bin"}};
    facts.entrypoint = {"/entry.sh"};
    facts.command = {"serve"};
    facts.working_directory = "/work";
    return facts;
  };
  std::string spec = kJob;
  const std::size_t run = spec.find("  run:");
  const std::string line = spec.substr(run, spec.find('\n', run) + 1 - run);
  SECTION("with a command") {
    const auto [rehearsal, reports] = plan({{"job.yaml", spec}}, request);
    INFO(reports);
    REQUIRE(rehearsal);
    const RehearsedPod& pod = rehearsal->pods.front();
    CHECK(pod.root == "/images/train");
    CHECK(pod.command.front() == "torchrun");
    CHECK(pod.working_directory == "/work");
    CHECK(has(pod.environment, "PATH=/opt/bin"));
    CHECK(has(pod.environment, "HOME=/root"));
  }
  SECTION("without one") {
    spec.erase(run, line.size());
    const auto [rehearsal, reports] = plan({{"job.yaml", spec}}, request);
    INFO(reports);
    REQUIRE(rehearsal);
    CHECK(rehearsal->pods.front().command == std::vector<std::string>{"/entry.sh", "serve"});
  }
  SECTION("an image that is not there") {
    spec.replace(spec.find("train:1"), 7, "other:1");
    const auto [rehearsal, reports] = plan({{"job.yaml", spec}}, request);
    CHECK_FALSE(rehearsal);
    CHECK(reports.find("another image") != std::string::npos);
  }
}

TEST_CASE("staged files, memory and claims have their places in a rehearsal") {
  const std::string spec =
      kJob +
      "  files: {mountPath: /etc/job, items: [{path: a.txt, content: hello}]}\n"
      "  resources: {sharedMemory: 1Gi}\n"
      "  storage:\n"
      "    data: {claim: imagenet, mountPath: /data}\n"
      "    models: {claim: models, mountPath: /models}\n";
  RehearseRequest request;
  request.folders = {{"/data", "/home/ann/small"}};
  const auto [rehearsal, reports] = plan({{"job.yaml", spec}}, request);
  INFO(reports);
  REQUIRE(rehearsal);
  using Source = RehearsedMount::Source;
  std::map<std::string, RehearsedMount> mounts;
  for (const RehearsedMount& each : rehearsal->pods.front().mounts) mounts.emplace(each.path, each);
  CHECK(mounts["/data"].source == Source::Folder);
  CHECK(mounts["/data"].name == "/home/ann/small");
  CHECK(mounts["/data"].read_only);
  CHECK(mounts["/models"].source == Source::Shared);
  CHECK(mounts["/dev/shm"].source == Source::Memory);
  CHECK(mounts["/dev/shm"].size == 1024L * 1024 * 1024);
  CHECK(mounts["/etc/job"].source == Source::Files);
  REQUIRE(mounts["/etc/job"].files.size() == 1);
  CHECK(mounts["/etc/job"].files[0].path == "a.txt");
  CHECK(mounts["/etc/job"].files[0].text == "hello");
  CHECK(has(rehearsal->differences,
            "claim `models` at `/models`: an empty folder; `--mount DIR:/models` shows your folder "
            "there"));
}

TEST_CASE("a manifest is rehearsed with its own numbers") {
  const std::string manifest =
      "apiVersion: kubeflow.org/v1\n"
      "kind: PyTorchJob\n"
      "metadata: {name: bert, namespace: nlp}\n"
      "spec:\n"
      "  pytorchReplicaSpecs:\n"
      "    Master: {replicas: 1, template: &pod {spec: {containers: [{name: pytorch, image: a:1, "
      "command: [python, train.py]}]}}}\n"
      "    Worker: {replicas: 2, template: *pod}\n";
  const auto [rehearsal, reports] = plan({{"job.yaml", manifest}});
  INFO(reports);
  REQUIRE(rehearsal);
  REQUIRE(rehearsal->pods.size() == 3);
  CHECK(rehearsal->pods[0].hostname == "bert-master-0");
  CHECK(rehearsal->pods[2].hostname == "bert-worker-1");
  CHECK(rehearsal->pods[2].meeting.host == "bert-master-0");
}

namespace {

std::string job_of(const std::string& framework) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\n"
         "metadata: {name: train, namespace: ml}\nspec:\n"
         "  image: registry.example.com/train:1\n  framework: " +
         framework + "\n  run: {script: train.py}\n  nodes: 2\n  gpusPerNode: 8\n";
}

std::string file_of(const RehearsedPod& pod, const std::string& path, const std::string& name) {
  for (const RehearsedMount& mount : pod.mounts) {
    for (const RehearsedFile& each : mount.files) {
      if (mount.path == path && each.path == name) return each.text;
    }
  }
  return "no file";
}

const RehearsedPod& pod_of(const Rehearsal& rehearsal, const std::string& label) {
  return *std::ranges::find(rehearsal.pods, label, &RehearsedPod::label);
}

}  // namespace

TEST_CASE("pods of mpirun get the hosts and keys of their controller, and a home for ssh") {
  struct Case {
    std::string target;
    std::string launcher;
    std::string worker;
    std::string list;  // of hosts
    std::string file;
    std::string hosts;
  };
  for (const Case& each :
       {Case{"mpijob", "Launcher 0", "Worker 0", "/etc/mpi", "hostfile",
             "train-worker-0.train.ml.svc slots=2\ntrain-worker-1.train.ml.svc slots=2\n"},
        Case{"trainjob", "launcher 0", "node 0", "/etc/mpi", "hostfile",
             "train-node-0-0.train slots=2\ntrain-node-0-1.train slots=2\n"},
        Case{"volcano", "launcher 0", "worker 0", "/etc/volcano", "worker.host",
             "train-worker-0.train\ntrain-worker-1.train"}}) {
    INFO(each.target);
    const auto [rehearsal, reports] = plan({{"job.yaml", job_of("mpi")}}, asked(each.target));
    INFO(reports);
    REQUIRE(rehearsal);
    REQUIRE(rehearsal->pods.size() == 3);
    const RehearsedPod& launcher = pod_of(*rehearsal, each.launcher);
    const RehearsedPod& worker = pod_of(*rehearsal, each.worker);
    CHECK(file_of(launcher, each.list, each.file) == each.hosts);
    CHECK(launcher.decides);
    CHECK(launcher.awaits.size() == 2);
    CHECK(launcher.meeting.host.empty());
    CHECK_FALSE(worker.decides);
    CHECK(find_pod(*rehearsal, worker.meeting.host) == &launcher);
    CHECK(worker.meeting.port == 0);
    CHECK(worker.home == "/home/mpiuser");
    CHECK(file_of(worker, "/home/mpiuser/.sshd_config", "sshd_config").starts_with("Port 22\n"));
    for (const RehearsedMount& mount : worker.mounts) {
      if (mount.path != "/home/mpiuser/.ssh") continue;
      for (const RehearsedFile& file : mount.files) {
        CHECK((file.mode & 077) == 0);
      }
    }
  }
}

TEST_CASE("variables of Volcano that list all hosts have them in a rehearsal") {
  const auto [rehearsal, reports] = plan({{"job.yaml", job_of("mpi")}}, asked("volcano"));
  REQUIRE(rehearsal);
  const RehearsedPod& launcher = pod_of(*rehearsal, "launcher 0");
  CHECK(has(launcher.environment, "VC_WORKER_HOSTS=train-worker-0.train,train-worker-1.train"));
  CHECK(has(launcher.environment, "VC_WORKER_NUM=2"));
}

TEST_CASE("hosts of Intel MPI have a form of their own, and a job without keys says why") {
  const std::string manifest =
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: pi}\nspec:\n"
      "  mpiImplementation: Intel\n  slotsPerWorker: 2\n  mpiReplicaSpecs:\n"
      "    Launcher: {replicas: 1, template: &pod {spec: {containers: [{name: a, image: a:1, "
      "command: [mpirun, pi]}]}}}\n"
      "    Worker: {replicas: 1, template: *pod}\n";
  const auto [rehearsal, reports] = plan({{"job.yaml", manifest}});
  INFO(reports);
  REQUIRE(rehearsal);
  CHECK(file_of(rehearsal->pods[0], "/etc/mpi", "hostfile") == "pi-worker-0.pi.default.svc:2\n");
  CHECK(rehearsal->pods[1].home == "/root");
}

TEST_CASE("a RayJob is rehearsed with the pod that submits its program") {
  const auto [rehearsal, reports] = plan({{"job.yaml", job_of("ray")}}, asked("rayjob"));
  INFO(reports);
  REQUIRE(rehearsal);
  REQUIRE(rehearsal->pods.size() == 4);
  const RehearsedPod& head = pod_of(*rehearsal, "head 0");
  const RehearsedPod& worker = pod_of(*rehearsal, "worker 1");
  const RehearsedPod& submitter = pod_of(*rehearsal, "submitter 0");
  CHECK_FALSE(head.decides);
  CHECK_FALSE(worker.decides);
  CHECK(submitter.decides);
  REQUIRE(worker.awaits.size() == 1);
  CHECK(worker.awaits[0].port == 6379);
  CHECK(find_pod(*rehearsal, worker.awaits[0].host) == &head);
  REQUIRE(submitter.awaits.size() == 1);
  CHECK(submitter.awaits[0].port == 8265);
  CHECK(find_pod(*rehearsal, submitter.awaits[0].host) == &head);
  CHECK(submitter.command.back().find("ray job submit") != std::string::npos);
  CHECK_FALSE(has(worker.environment, "CUDA_VISIBLE_DEVICES="));
  CHECK(worker.hostname != pod_of(*rehearsal, "worker 0").hostname);
}

TEST_CASE("a rehearsal says which folder an init container would fill") {
  const std::string manifest =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n"
      "      restartPolicy: Never\n"
      "      initContainers: [{name: fetch, image: a:1, volumeMounts: [{name: data, mountPath: "
      "/in}]}]\n"
      "      containers: [{name: main, image: a:1, command: [a], volumeMounts: [{name: data, "
      "mountPath: /data}]}]\n"
      "      volumes: [{name: data, emptyDir: {}}]\n";
  const auto [rehearsal, reports] = plan({{"job.yaml", manifest}});
  REQUIRE(rehearsal);
  CHECK(has(rehearsal->differences,
            "init container `fetch`: left out; what it writes to `/data` is missing, and "
            "`--mount DIR:/data` shows your folder there"));
  RehearseRequest request;
  request.folders = {{"/data", "/home/ann/small"}};
  const auto mounted = plan({{"job.yaml", manifest}}, request);
  REQUIRE(mounted.rehearsal);
  CHECK(has(mounted.rehearsal->differences, "init container `fetch`: left out"));
}

TEST_CASE("a rehearsal says which inputs are not there, and which outputs nothing stores") {
  const std::string spec = kJob +
                           "  storage: {scratch: {claim: scratch, mountPath: /scratch}}\n"
                           "  data:\n"
                           "    inputs: [{uri: 's3://bucket/imagenet', path: /scratch/imagenet}]\n"
                           "    outputs: [{uri: 's3://bucket/out', path: /scratch/out}]\n";
  const auto [rehearsal, reports] = plan({{"job.yaml", spec}});
  INFO(reports);
  REQUIRE(rehearsal);
  CHECK(has(rehearsal->differences,
            "input `s3://bucket/imagenet` at `/scratch/imagenet`: not fetched; `--mount "
            "DIR:/scratch/imagenet` shows a sample of it there"));
  CHECK(has(rehearsal->differences, "output `s3://bucket/out`: not stored"));
  RehearseRequest request;
  request.folders = {{"/scratch", "/home/ann/small"}};
  const auto mounted = plan({{"job.yaml", spec}}, request);
  REQUIRE(mounted.rehearsal);
  CHECK(has(mounted.rehearsal->differences,
            "input `s3://bucket/imagenet` at `/scratch/imagenet`: not fetched"));
}

TEST_CASE("what cannot be rehearsed is refused with the reason") {
  SECTION("a RayCluster") {
    const auto [rehearsal, reports] =
        plan({{"job.yaml",
               "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec:\n"
               "  headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray, "
               "image: a:1}]}}}\n"}});
    CHECK_FALSE(rehearsal);
    INFO(reports);
    CHECK(reports.find("RayCluster cannot be rehearsed: it has no program") != std::string::npos);
  }
  SECTION("more pods than a machine runs") {
    std::string spec = kJob;
    spec.replace(spec.find("nodes: 16"), 9, "nodes: 65");
    RehearseRequest request;
    request.fold = {100, 1};
    const auto [rehearsal, reports] = plan({{"job.yaml", spec}}, request);
    CHECK_FALSE(rehearsal);
    CHECK(reports.find("the job has 65 pods; this machine runs at most 64") != std::string::npos);
  }
  SECTION("a name that no job has") {
    RehearseRequest request;
    request.name = "other";
    const auto [rehearsal, reports] = plan({{"job.yaml", kJob}}, request);
    CHECK_FALSE(rehearsal);
    CHECK(reports.find("no job of the input has the name `other`") != std::string::npos);
  }
  SECTION("pods without a command") {
    std::string spec = kJob;
    const std::size_t run = spec.find("  run:");
    spec.erase(run, spec.find('\n', run) + 1 - run);
    const auto [rehearsal, reports] = plan({{"job.yaml", spec}});
    CHECK_FALSE(rehearsal);
    CHECK(reports.find("have no command") != std::string::npos);
  }
}
