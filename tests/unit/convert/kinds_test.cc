#include <string>

#include "unit/convert/converted.h"

using namespace trainyard;
using trainyard::testing::ConvertedText;

namespace {

constexpr std::string_view kPod = "{spec: {containers: [{name: pytorch, image: a:1}]}}";

std::string pytorch(std::string_view fields, std::string_view replica = "",
                    std::string_view pod = kPod) {
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: t}\nspec:\n" +
         std::string(fields) + "  pytorchReplicaSpecs:\n    Worker: {replicas: 2" +
         std::string(replica) + ", template: " + std::string(pod) + "}\n";
}

std::string job_set(std::string_view jobs) {
  return "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: t}\nspec:\n"
         "  replicatedJobs: [" +
         std::string(jobs) + "]\n";
}
std::string replicated(std::string_view name, std::string_view image, int pods = 1) {
  return "{name: " + std::string(name) +
         ", template: {spec: {parallelism: " + std::to_string(pods) +
         ", template: {spec: {containers: [{name: c, image: '" + std::string(image) + "'}]}}}}}";
}

}  // namespace

TEST_CASE("a job without pods makes no spec, and says so") {
  const ConvertedText empty(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: t}\nspec: {}\n");
  CHECK(empty.job.root == kNoNode);
  CHECK(empty.job.lost.size() == 1);
}

TEST_CASE("restarts without end are reported, those with a limit are retries") {
  CHECK(ConvertedText(pytorch("", ", restartPolicy: OnFailure")).lost() ==
        "spec.pytorchReplicaSpecs.Worker.restartPolicy");
  const ConvertedText limited(
      pytorch("  runPolicy: {backoffLimit: 7}\n", ", restartPolicy: OnFailure"));
  CHECK(limited.lost().empty());
  CHECK(limited.json({"lifecycle"}) == R"({"retries":3,"retryOn":"any"})");
}

TEST_CASE("what the operator appends to the variables of a template is not carried") {
  const std::string pod =
      "{spec: {containers: [{name: pytorch, image: a:1, env: [{name: PYTHONUNBUFFERED, value: "
      "'0'}]}]}}";
  const ConvertedText spec(pytorch("", "", pod));
  CHECK(spec.lost().empty());
  CHECK(spec.json({"env"}).empty());
}

TEST_CASE("a pull secret by a name that no Secret can have is reported, others are carried") {
  const ConvertedText spec(pytorch("", "",
                                   "{spec: {imagePullSecrets: [{name: None}, {name: ngc}], "
                                   "containers: [{name: pytorch, image: a:1}]}}"));
  CHECK(spec.lost() == "spec.pytorchReplicaSpecs.Worker.template.spec.imagePullSecrets[0]");
  CHECK(spec.json({"imagePullSecrets"}) == R"([{"name":"ngc"}])");
}

TEST_CASE("name and namespace of a template say nothing") {
  CHECK(ConvertedText(pytorch("", "",
                              "{metadata: {name: a, namespace: b}, spec: {containers: "
                              "[{name: pytorch, image: a:1}]}}"))
            .lost()
            .empty());
}

TEST_CASE("workers of Paddle without its launcher have no framework that gives them ranks") {
  const auto paddle = [](const std::string& command) {
    return ConvertedText(
               "apiVersion: kubeflow.org/v1\nkind: PaddleJob\nmetadata: {name: t}\nspec:\n"
               "  paddleReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: [{name: "
               "paddle, image: a:1, command: [" +
               command + "]}]}}}}\n")
        .json({"framework"});
  };
  CHECK(paddle("python3, train.py") == R"("none")");
  CHECK(paddle("python, -m, paddle.distributed.launch, train.py") == R"("paddle")");
}

TEST_CASE("the port that a template names for the ranks is that of the job") {
  const auto rendezvous = [](const std::string& port) {
    return ConvertedText(
               "apiVersion: kubeflow.org/v1\nkind: XGBoostJob\nmetadata: {name: t}\nspec:\n"
               "  xgbReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: [{name: "
               "xgboost, image: a:1, ports: [{name: xgboostjob-port, containerPort: " +
               port + "}]}]}}}}\n")
        .json({"run", "rendezvous"});
  };
  CHECK(rendezvous("9991") == R"({"port":9991})");
  CHECK(rendezvous("9999").empty());
}

TEST_CASE("a LeaderWorkerSet keeps a scheduler that makes no gang of it") {
  const auto scheduling = [](const std::string& scheduler) {
    return ConvertedText(
               "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n"
               "metadata: {name: t}\nspec: {leaderWorkerTemplate: {size: 2, "
               "workerTemplate: {spec: {schedulerName: " +
               scheduler + ", containers: [{name: c, image: a:1}]}}}}\n")
        .json({"scheduling"});
  };
  CHECK(scheduling("volcano") == R"({"schedulerName":"volcano"})");
  CHECK(scheduling("kai-scheduler") == R"({"system":"kai"})");
}

TEST_CASE("Jobs of a JobSet stay as they are if the program counts by itself") {
  const auto patches = [](const std::string& command) {
    return ConvertedText(job_set("{name: slice, replicas: 2, template: {spec: {parallelism: 4, "
                                 "completions: 4, template: {spec: {containers: [{name: c, image: "
                                 "a:1, command: [" +
                                 command + "]}]}}}}}"))
        .json({"patches"});
  };
  CHECK(
      patches("python, a.py") ==
      R"([{"kind":"JobSet","target":"jobset","patch":{"spec":{"replicatedJobs":[{"name":"worker",)"
      R"("replicas":2,"template":{"spec":{"parallelism":4,"completions":4}}}]}}}])");
  CHECK(patches("torchrun, --nnodes=8, a.py").empty());
}

TEST_CASE("amounts of a TrainJob on a runtime that exists stay at the TrainJob") {
  const ConvertedText spec(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t}\nspec:\n"
      "  runtimeRef: {name: torch-distributed}\n"
      "  trainer: {image: 'a:1', resourcesPerNode: {requests: {memory: 4Gi}}}\n");
  CHECK(spec.json({"resources"}) == R"({"memory":"4Gi"})");
  CHECK(spec.json({"pod"}).empty());
  CHECK(spec.json({"patches"}) ==
        R"([{"kind":"TrainJob","target":"trainjob","patch":{"spec":{"trainer":{"resourcesPerNode":)"
        R"({"limits":{"memory":null}}}}}}])");
}

TEST_CASE("a scheduling policy needs a queue to differ from that of another scheduler") {
  CHECK(ConvertedText(pytorch("  runPolicy: {schedulingPolicy: {minAvailable: 1}}\n")).lost() ==
        "spec.runPolicy.schedulingPolicy.minAvailable");
  const ConvertedText queued(
      pytorch("  runPolicy: {schedulingPolicy: {minAvailable: 2, queue: q}}\n"));
  CHECK(queued.lost().empty());
  CHECK(queued.json({"scheduling"}) == R"({"system":"volcano","queue":"q"})");
}

TEST_CASE("python without a launcher is one process, whatever the number of GPUs") {
  const ConvertedText spec(pytorch(
      "", "",
      "{spec: {containers: [{name: pytorch, image: a:1, command: [python, a.py], resources: "
      "{limits: {nvidia.com/gpu: 4}}}]}}"));
  CHECK(spec.json({"processesPerNode"}) == "1");
}

TEST_CASE("the only replicated job of a JobSet needs no role, whatever its name") {
  const ConvertedText one(job_set(replicated("anything", "a:1", 3)));
  CHECK(one.json({"nodes"}) == "3");
  CHECK(one.json({"roles"}).empty());
}

TEST_CASE("a JobSet with a replicated job whose name is no role has programs of their own") {
  const ConvertedText programs(
      job_set(replicated("workers", "a:1", 2) + ", " + replicated("judge", "b:1")));
  CHECK(programs.lost().empty());
  CHECK(programs.json({"roles"}) == R"({"workers":{"nodes":2},"judge":{"nodes":1,"image":"b:1"}})");
}

TEST_CASE("what starts and ends programs in order is carried, and so are groups of pods") {
  const auto role = [](std::string_view name, std::string_view more) {
    return "{name: " + std::string(name) + ", " + std::string(more) +
           "template: {spec: {template: {spec: {containers: [{name: c, image: a}]}}}}}";
  };
  const ConvertedText ordered(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: t}\nspec:\n"
      "  successPolicy: {operator: All, targetReplicatedJobs: [judge]}\n  replicatedJobs: [" +
      role("data", "") + ", " + role("judge", "dependsOn: [{name: data, status: Complete}], ") +
      "]\n");
  CHECK(ordered.lost().empty());
  CHECK(ordered.json({"roles", "judge", "after"}) == R"({"data":"complete"})");
  CHECK(ordered.json({"roles", "judge", "ends"}) == R"("job")");
  const auto groups_of = [](const std::string& command) {
    return ConvertedText(
        job_set(replicated("judge", "a:1") +
                ", {name: rollout, replicas: 3, template: {spec: {parallelism: 2, completions: 2, "
                "template: {spec: {containers: [{name: c, image: a:1, command: [" +
                command + "]}]}}}}}"));
  };
  for (const std::string command : {"torchrun, a.py", "./serve"}) {
    const ConvertedText groups = groups_of(command);
    CHECK(groups.lost().empty());
    CHECK(groups.json({"roles", "rollout", "groups"}) == "3");
    CHECK(groups.json({"roles", "rollout", "nodes"}) == "2");
  }
}

TEST_CASE("a host name of a program stays if a build gives it to the same pod") {
  const auto lost = [](const std::string& host, const std::string& rollout) {
    const auto role = [](const std::string& name, const std::string& counts,
                         const std::string& command) {
      return "{name: " + name + ", " + counts +
             "completions: 1, template: {spec: {containers: [{name: c, image: a, command: [" +
             command + "]}]}}}}}";
    };
    const std::string two = "replicas: 2, template: {spec: {parallelism: 1, ";
    return ConvertedText(job_set(role("learner", "template: {spec: {parallelism: 1, ",
                                      "python, a.py, " + host) +
                                 ", " + role("rollout", two, rollout)))
        .lost();
  };
  CHECK(lost("t-rollout-0-0.t:80", "./serve").empty());
  CHECK(lost("t-rollout-1-0.t:80", "./serve").empty());
  CHECK(lost("t-rollout-0-0.t:80", "torchrun, a.py").empty());
  const std::string place =
      "spec.replicatedJobs[0].template.spec.template.spec.containers[0].command[2]";
  CHECK(lost("t-rollout-1-0.t:80", "torchrun, a.py") == place);
  CHECK(lost("t-rollout-0-0.mesh:80", "./serve") == place);
}

TEST_CASE("an order of roles is reported if they have no ranks that wait for each other") {
  const auto lost = [](const std::string& command) {
    const auto role = [&](std::string_view name, std::string_view more) {
      return "{name: " + std::string(name) + ", " + std::string(more) +
             "template: {spec: {template: {spec: {containers: [{name: c, image: a, command: [" +
             command + "]}]}}}}}";
    };
    return ConvertedText(
               "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: t}\nspec:\n"
               "  startupPolicy: {startupPolicyOrder: InOrder}\n  replicatedJobs: [" +
               role("leader", "") + ", " +
               role("workers", "dependsOn: [{name: leader, status: Ready}], ") + "]\n")
        .lost();
  };
  CHECK(lost("./serve") ==
        "spec.startupPolicy.startupPolicyOrder spec.replicatedJobs[1].dependsOn");
  CHECK(lost("torchrun, a.py").empty());
}

TEST_CASE("a port of the job below 1024 is a port, where no ranks meet") {
  const auto spec = [](std::string_view port) {
    return ConvertedText(
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: t}\nspec:\n"
        "  tasks: [{name: worker, replicas: 2, template: {spec: {containers: [{name: c, image: a, "
        "command: [/usr/sbin/sshd, -D], ports: [{name: mpijob-port, containerPort: " +
        std::string(port) + "}]}]}}}]\n");
  };
  CHECK(spec("22").json({"network", "ports"}) == R"([{"name":"mpijob-port","containerPort":22}])");
  CHECK(spec("22").json({"run", "rendezvous"}).empty());
  CHECK(spec("2222").json({"run", "rendezvous"}) == R"({"port":2222})");
}

TEST_CASE("two replicated jobs that are the same role of the language are reported") {
  CHECK(ConvertedText(job_set(replicated("workers", "a:1") + ", " + replicated("node", "b:1")))
            .lost() == "spec.replicatedJobs[1]");
  const ConvertedText both(
      job_set(replicated("leader", "a:1") + ", " + replicated("workers", "b:1", 2)));
  CHECK(both.lost().empty());
  CHECK(both.json({"roles"}) == R"({"master":{"nodes":1},"worker":{"nodes":2,"image":"b:1"}})");
}

TEST_CASE("a JobSet that does not train with all of its pods at once is reported") {
  const auto lost = [](std::string_view counts) {
    return ConvertedText(job_set("{name: w, template: {spec: {" + std::string(counts) +
                                 ", template: {spec: {containers: [{name: c, image: a}]}}}}}"))
        .lost();
  };
  CHECK(lost("parallelism: 2, completions: 4") ==
        "spec.replicatedJobs[0].template.spec.completions");
  CHECK(lost("parallelism: 2, completions: 2, completionMode: NonIndexed") ==
        "spec.replicatedJobs[0].template.spec.completionMode");
  CHECK(lost("parallelism: 2, completions: 2, completionMode: Indexed").empty());
}

TEST_CASE("a gang of fewer pods than all is reported, and no gang is `gang: false`") {
  const auto job = [](std::string_view least) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: t, annotations: {" +
           std::string(least) +
           "}, labels: {kai.scheduler/queue: q}}\nspec:\n  completionMode: Indexed\n  completions: "
           "4\n  parallelism: 4\n  backoffLimit: 0\n  template: {spec: {restartPolicy: Never, "
           "schedulerName: kai-scheduler, containers: [{name: c, image: a}]}}\n";
  };
  CHECK(ConvertedText(job("kai.scheduler/batch-min-member: '3'")).lost() ==
        R"(metadata.annotations["kai.scheduler/batch-min-member"])");
  const ConvertedText all(job("kai.scheduler/batch-min-member: '4'"));
  CHECK(all.lost().empty());
  CHECK(all.json({"scheduling"}) == R"({"system":"kai","queue":"q"})");
  CHECK(ConvertedText(job("")).json({"scheduling"}) ==
        R"({"system":"kai","queue":"q","gang":false})");
}

TEST_CASE("a Volcano Job with a task whose name is no role has programs of their own") {
  const auto job = [](std::string_view learner) {
    return ConvertedText(
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: t}\nspec:\n"
        "  minAvailable: 2\n  tasks:\n"
        "  - {name: rollout, replicas: 2, policies: [{event: PodFailed, action: RestartPod}], "
        "template: {spec: {containers: [{name: c, image: a}]}}}\n"
        "  - {name: learner, replicas: 1, " +
        std::string(learner) + ", template: {spec: {containers: [{name: c, image: b}]}}}\n");
  };
  const ConvertedText ordered =
      job("dependsOn: {name: [rollout]}, policies: [{event: TaskCompleted, action: CompleteJob}]");
  CHECK(ordered.lost().empty());
  CHECK(ordered.json({"roles", "rollout", "restart"}) == R"("alone")");
  CHECK(ordered.json({"roles", "learner", "after"}) == R"({"rollout":"ready"})");
  CHECK(ordered.json({"roles", "learner", "ends"}) == R"("job")");
  CHECK(job("dependsOn: {name: [rollout, judge], iteration: any}").lost().find("dependsOn") !=
        std::string::npos);
}

TEST_CASE("a Volcano Job without a policy is never started again") {
  const auto lifecycle = [](std::string_view fields) {
    return ConvertedText(
               "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: t}\nspec:\n" +
               std::string(fields) +
               "  tasks: [{name: w, replicas: 1, template: {spec: {containers: [{name: c, image: "
               "a}]}}}]\n")
        .json({"lifecycle"});
  };
  CHECK(lifecycle("") == R"({"retryOn":"never"})");
  CHECK(lifecycle("  policies: [{event: PodFailed, action: RestartJob}]\n") ==
        R"({"retries":2,"retryOn":"any"})");
  CHECK(lifecycle("  policies: [{event: PodEvicted, action: RestartJob}]\n  maxRetry: 2\n") ==
        R"({"retries":1})");
}

TEST_CASE("the number of ranks of mpirun is compared with workers and slots") {
  const auto mpi = [](std::string_view ranks) {
    return "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: t}\nspec:\n"
           "  slotsPerWorker: 4\n  mpiReplicaSpecs:\n"
           "    Launcher: {template: {spec: {containers: [{name: l, image: a, command: [mpirun, "
           "-np, '" +
           std::string(ranks) +
           "', python3, a.py]}]}}}\n"
           "    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: a, "
           "resources: {limits: {nvidia.com/gpu: 4}}}]}}}\n";
  };
  CHECK(ConvertedText(mpi("4")).lost() ==
        "spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].command[1]");
  const ConvertedText all(mpi("8"));
  CHECK(all.lost().empty());
  CHECK(all.json({"run"}) == R"({"script":"a.py"})");
  CHECK(all.json({"nodes"}) == "2");
}

TEST_CASE("an mpirun of the user's own stays whole, and so does a way to start sshd") {
  const auto mpi = [](std::string_view sshd) {
    return ConvertedText(
        "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: t}\nspec:\n"
        "  mpiReplicaSpecs:\n"
        "    Launcher: {template: {spec: {containers: [{name: l, image: a, command: [mpirun, -np, "
        "'2', ./solve], args: [-v]}]}}}\n"
        "    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: a, command: "
        "[/usr/sbin/sshd], args: " +
        std::string(sshd) + "}]}}}\n");
  };
  const ConvertedText usual(mpi("[-De, -f, /home/mpiuser/.sshd_config]"));
  CHECK(usual.lost().empty());
  CHECK(usual.json({"run"}) == R"({"command":["mpirun","-np","2","./solve"],"args":["-v"]})");
  CHECK(usual.json({"roles", "worker"}).empty());
  CHECK(mpi("[-D, -p, '2222']").json({"roles", "worker"}) ==
        R"({"run":{"command":["/usr/sbin/sshd"],"args":["-D","-p","2222"]},"nodes":2})");
}

TEST_CASE("words in front of what KubeRay starts stay at the container of their role") {
  const ConvertedText spec(
      "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: t}\nspec: {entrypoint: python a.py, "
      "rayClusterSpec: {headGroupSpec: {template: {spec: {containers: [{name: h, image: a:1, "
      "command: [bash, -lc, --], workingDir: /app}]}}}, workerGroupSpecs: [{groupName: w, "
      "template: {spec: {containers: [{name: w, image: a:1}]}}}]}}\n");
  CHECK(spec.json({"roles", "head", "pod", "spec", "containers"}) ==
        R"([{"name":"main","resources":null,"command":["bash","-lc","--"],"workingDir":"/app"}])");
  CHECK(spec.json({"run", "command"}) == R"(["python","a.py"])");
}

TEST_CASE("a group of hosts of Ray makes no spec, and says why") {
  const ConvertedText spec(
      "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: t}\nspec: {entrypoint: python a.py, "
      "rayClusterSpec: {workerGroupSpecs: [{groupName: w, numOfHosts: 4}]}}\n");
  CHECK(spec.job.root == kNoNode);
  CHECK(spec.lost().find("numOfHosts") != std::string::npos);
}

TEST_CASE("a Ray job in a cluster that is there is reported") {
  const ConvertedText ray(
      "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: t}\nspec:\n  entrypoint: a\n  "
      "clusterSelector: {ray.io/cluster: c}\n");
  CHECK(ray.job.root == kNoNode);
  CHECK_FALSE(ray.job.lost.empty());
}

TEST_CASE("a Run:ai secret becomes a reference, and a claim to create is reported") {
  const ConvertedText spec(
      "apiVersion: run.ai/v2alpha1\nkind: TrainingWorkload\nmetadata: {name: t}\nspec:\n"
      "  image: {value: a}\n  environment: {items: {A: {value: 'SECRET:s,k'}, B: {value: "
      "'SECRET:odd'}}}\n"
      "  pvcs: {items: {new: {value: {claimName: '', existingPvc: false, path: /d, size: "
      "1Gi}}}}\n");
  CHECK(spec.json({"secretEnv"}) == R"({"A":{"name":"s","key":"k"}})");
  CHECK(spec.json({"env"}) == R"({"B":"SECRET:odd"})");
  CHECK(spec.lost() == "spec.pvcs");
}
