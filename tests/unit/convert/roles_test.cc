// Of several roles: what they have in common, and what one of them has alone.
#include <string>

#include "unit/convert/converted.h"

using namespace trainyard;
using trainyard::testing::ConvertedText;

namespace {

std::string pod(std::string_view fields, std::string_view container = "") {
  return "template: {spec: {" + std::string(fields) + "containers: [{name: tensorflow, image: a:1" +
         std::string(container) + "}]}}";
}

std::string two_roles(const std::string& chief, const std::string& worker) {
  return "apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: t}\nspec:\n"
         "  tfReplicaSpecs:\n    Chief: {" +
         chief + "}\n    Worker: {replicas: 2, " + worker + "}\n";
}

std::string mpi_job(std::string_view launcher, std::string_view worker) {
  return "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: t}\nspec:\n"
         "  mpiReplicaSpecs:\n"
         "    Launcher: {template: {spec: {" +
         std::string(launcher) + "}}}\n    Worker: {replicas: 2, template: {spec: {" +
         std::string(worker) + "}}}\n";
}

std::string ray_job(std::string_view head_parameters) {
  return "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: t}\nspec:\n"
         "  entrypoint: python a.py\n  shutdownAfterJobFinishes: true\n  rayClusterSpec:\n"
         "    headGroupSpec: {rayStartParams: " +
         std::string(head_parameters) +
         ", template: {spec: {containers: [{name: h, image: a:1}]}}}\n"
         "    workerGroupSpecs:\n    - {groupName: w, replicas: 1, rayStartParams: {}, template: "
         "{spec: {containers: [{name: w, image: a:1}]}}}\n";
}

std::string train_job(std::string_view initializer, std::string_view variables) {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
         "metadata: {name: r}\nspec:\n  mlPolicy: {torch: {}}\n  template:\n    spec:\n"
         "      replicatedJobs:\n      - name: model-initializer\n        template:\n"
         "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: "
         "model-initializer}}\n          spec: {template: {spec: {containers: [{name: "
         "model-initializer, image: i:1, env: [" +
         std::string(variables) +
         "]}]}}}\n      - name: node\n        template:\n"
         "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
         "          spec: {template: {spec: {containers: [{name: node, image: a:1, command: "
         "[torchrun, a.py]}]}}}\n---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
         "metadata: {name: t}\nspec:\n  runtimeRef: {name: r}\n  trainer: {numNodes: 1}\n" +
         std::string(initializer);
}

}  // namespace

TEST_CASE("what all roles have is written once, and what one has alone is written for it") {
  const std::string network = "hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, ";
  const std::string account = "serviceAccountName: train, ";
  const ConvertedText both(two_roles(pod(network + account), pod(network + account)));
  CHECK(both.lost().empty());
  CHECK(both.json({"network"}) == R"({"hostNetwork":true})");
  CHECK(both.json({"serviceAccount"}) == R"("train")");
  CHECK(both.json({"roles", "worker", "pod"}).empty());

  const ConvertedText one(two_roles(
      pod(account),
      pod(network + "terminationGracePeriodSeconds: 60, ", ", ports: [{containerPort: 80}]")));
  CHECK(one.lost().empty());
  CHECK(one.json({"network"}).empty());
  CHECK(one.json({"serviceAccount"}).empty());
  CHECK(one.json({"lifecycle", "gracePeriod"}).empty());
  CHECK(one.json({"roles", "chief", "pod"}) == R"({"spec":{"serviceAccountName":"train"}})");
  CHECK(one.json({"roles", "worker", "pod", "spec", "hostNetwork"}) == "true");
  CHECK(one.json({"roles", "worker", "pod", "spec", "dnsPolicy"}) ==
        R"("ClusterFirstWithHostNet")");
  CHECK(one.json({"roles", "worker", "pod", "spec", "terminationGracePeriodSeconds"}) == "60");
  CHECK(one.json({"roles", "worker", "pod", "spec", "containers"}) ==
        R"([{"name":"main","ports":[{"containerPort":80}]}])");
}

TEST_CASE("two values of what a spec says once are those of their roles") {
  const ConvertedText spec(two_roles(pod("terminationGracePeriodSeconds: 30, "),
                                     pod("terminationGracePeriodSeconds: 60, ")));
  CHECK(spec.lost().empty());
  CHECK(spec.json({"roles", "chief", "pod", "spec"}) == R"({"terminationGracePeriodSeconds":30})");
  CHECK(spec.json({"roles", "worker", "pod", "spec"}) == R"({"terminationGracePeriodSeconds":60})");
}

TEST_CASE("the least restricted role decides the level, and the others keep what they are") {
  const ConvertedText spec(two_roles(
      pod("securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, ",
          ", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}"),
      pod("hostPID: true, ")));
  CHECK(spec.lost().empty());
  CHECK(spec.json({"security"}) == R"({"level":"privileged"})");
  CHECK(spec.json({"roles", "chief", "pod", "spec", "securityContext"}) ==
        R"({"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}})");
  CHECK(spec.json({"roles", "chief", "pod", "spec", "containers"}) ==
        R"([{"name":"main","securityContext":{"capabilities":{"drop":["ALL"]},)"
        R"("allowPrivilegeEscalation":false}}])");
}

TEST_CASE("a pod by its host name is reported, a directory that is called as one is not") {
  const auto lost = [](std::string_view argument) {
    return ConvertedText(
               two_roles(pod(""), pod("", ", command: [train, '" + std::string(argument) + "']")))
        .lost();
  };
  const std::string place = "spec.tfReplicaSpecs.Worker.template.spec.containers[0].command[1]";
  CHECK(lost("--init=tcp://t-chief-0:2222") == place);
  CHECK(lost("t-worker-1.ads.svc.cluster.local") == place);
  CHECK(lost("ssh t-launcher.t true") == place);
  CHECK(lost("--out=/results/t-chief-0.ckpt").empty());
  CHECK(lost("--name=t-1").empty());
  CHECK(lost("--lr=t-0.5").empty());
  CHECK(lost("other-chief-0:2222").empty());
  CHECK(lost("t-chief-0:latest").empty());
}

TEST_CASE("a launcher keeps resources and volumes that it shares with the workers") {
  const std::string_view kSame =
      "resources: {limits: {cpu: 2}}, volumeMounts: [{name: d, mountPath: /d}]}], volumes: [{name: "
      "d, persistentVolumeClaim: {claimName: d}}]";
  const ConvertedText spec(
      mpi_job("containers: [{name: l, image: a:1, command: [mpirun, -np, '2', python, t.py], " +
                  std::string(kSame),
              "containers: [{name: w, image: a:1, " + std::string(kSame)));
  CHECK(spec.lost().empty());
  CHECK(spec.json({"roles", "launcher", "resources", "cpu"}) == "2");
}

TEST_CASE("what only the workers have does not come to a launcher with parts of its own") {
  const ConvertedText spec(mpi_job(
      "serviceAccountName: boss, containers: [{name: l, image: a:1, command: [mpirun, ./a]}]",
      "hostNetwork: true, containers: [{name: w, image: a:1}]"));
  CHECK(spec.json({"pod"}).empty());
  CHECK(spec.json({"roles", "launcher", "pod", "spec", "serviceAccountName"}) == R"("boss")");
  CHECK(spec.json({"roles", "launcher", "pod", "spec", "hostNetwork"}).empty());
  CHECK(spec.json({"roles", "worker", "pod", "spec"}) == R"({"hostNetwork":true})");
}

TEST_CASE("sshd among the arguments of the workers is not the program of the job") {
  const ConvertedText spec(
      mpi_job("containers: [{name: l, image: a:1, args: [mpirun, -n, '2', /pi]}]",
              "containers: [{name: w, image: a:1, args: [/usr/sbin/sshd, -De, -f, "
              "/home/mpiuser/.sshd_config]}]"));
  CHECK(spec.json({"run"}) == R"({"args":["mpirun","-n","2","/pi"]})");
  CHECK(spec.json({"roles", "worker"}).empty());
}

TEST_CASE("a launcher without amounts gets none, though a build has some for it") {
  const std::string workers = "containers: [{name: w, image: a:1}]";
  const std::string_view kNone = R"([{"name":"main","resources":null}])";
  const auto amounts = [](const ConvertedText& spec) {
    return spec.json({"roles", "launcher", "pod", "spec", "containers"});
  };
  const ConvertedText none(
      mpi_job("containers: [{name: l, image: a:1, command: [mpirun, ./a]}]", workers));
  CHECK(amounts(none) == kNone);
  const ConvertedText all(
      mpi_job("containers: [{name: l, image: a:1, command: [mpirun, ./a], resources: {limits: "
              "{cpu: 1, memory: 1Gi}}}]",
              workers));
  CHECK(amounts(all).empty());
  const ConvertedText one(
      mpi_job("containers: [{name: l, image: a:1, command: [mpirun, ./a], resources: {limits: "
              "{cpu: 1}}}]",
              workers));
  CHECK(amounts(one) == R"([{"name":"main","resources":{"requests":{"memory":null},"limits":)"
                        R"({"memory":null}}}])");
}

TEST_CASE("a shell that traces one program is seen through, one that reads profiles is not") {
  const auto run = [](std::string_view option) {
    return ConvertedText(
               "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: t}\nspec:\n"
               "  pytorchReplicaSpecs:\n    Worker: {template: {spec: {containers: [{name: "
               "pytorch, image: a:1, command: [bash, " +
               std::string(option) + ", torchrun t.py --x 1]}]}}}\n")
        .json({"run"});
  };
  CHECK(run("-c") == R"({"script":"t.py","args":["--x","1"]})");
  CHECK(run("-c") == run("-exc"));
  CHECK(run("-lc").find("bash") != std::string::npos);
}

TEST_CASE("a head that takes tasks of Ray is reported, one that takes none is not") {
  CHECK(ConvertedText(ray_job("{dashboard-host: 0.0.0.0}")).lost() ==
        "spec.rayClusterSpec.headGroupSpec.rayStartParams");
  CHECK(ConvertedText(ray_job("{}")).lost() ==
        "spec.rayClusterSpec.headGroupSpec.template.spec.containers[0].name");
  CHECK(ConvertedText(ray_job("{num-cpus: '0'}")).lost().empty());
}

TEST_CASE("what a TrainJob fetches from a hub is a dataset by its address") {
  const ConvertedText spec(
      train_job("  initializer: {dataset: {storageUri: hf://org/data}, model: {storageUri: "
                "hf://org/model}}\n",
                "{name: STORAGE_URI, value: 'hf://org/usual'}"));
  CHECK(spec.lost().empty());
  CHECK(spec.json({"data", "inputs"}) ==
        R"([{"uri":"hf://datasets/org/data","kind":"dataset","path":"/workspace/dataset"},)"
        R"({"uri":"hf://org/model","kind":"model","path":"/workspace/model"}])");
}

TEST_CASE("what a runtime fetches itself is fetched, and its other variables are reported") {
  const ConvertedText spec(
      train_job("",
                "{name: STORAGE_URI, value: 's3://b/m'}, {name: ENDPOINT, value: 'https://s3'},"
                " {name: FOO, value: bar}"));
  CHECK(spec.json({"data", "inputs"}) ==
        R"([{"uri":"s3://b/m","kind":"model","endpoint":"https://s3","path":"/workspace/model"}])");
  CHECK(spec.lost() ==
        "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].env[2]");
}

TEST_CASE("roles that are more than a rank stay apart, though their pods are the same") {
  const std::string pod =
      "template: {spec: {containers: [{name: t, image: a:1, command: [./train]}]}}";
  const auto volcano = [&](std::string_view first) {
    return ConvertedText(
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: t}\nspec:\n"
        "  tasks:\n  - {name: " +
        std::string(first) + ", replicas: 1, " + pod + "}\n  - {name: worker, replicas: 2, " + pod +
        "}\n");
  };
  const ConvertedText servers = volcano("ps");
  CHECK(servers.json({"roles", "ps", "nodes"}) == "1");
  CHECK(servers.json({"roles", "worker", "nodes"}) == "2");
  CHECK(volcano("master").json({"nodes"}) == "3");
}
