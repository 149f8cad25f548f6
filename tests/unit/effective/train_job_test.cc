#include <string>

#include "unit/effective/folded.h"

using namespace trainyard;
using trainyard::testing::at;
using trainyard::testing::env_of;
using trainyard::testing::Folded;
using trainyard::testing::json;

namespace {

std::string runtime(std::string_view policy, std::string_view container,
                    std::string_view more = "") {
  return "\n---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
         "metadata: {name: r}\nspec:\n  mlPolicy: " +
         std::string(policy) +
         "\n  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: "
         "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: "
         "{containers: [" +
         std::string(container) + "]" + std::string(more) + "}}}}}]}}\n";
}

std::string train_job(std::string_view spec) {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
         "metadata: {name: t, namespace: n}\nspec:\n  runtimeRef: {name: r}\n" +
         std::string(spec);
}

constexpr std::string_view kPod = "spec.replicatedJobs.0.template.spec.template";
constexpr std::string_view kContainer =
    "spec.replicatedJobs.0.template.spec.template.spec.containers.0";

std::string env(const std::string& yaml, std::string_view trainer = "2.3") {
  Folded folded(yaml);
  return env_of(at(folded.job_set(0, trainer), kContainer));
}

}  // namespace

TEST_CASE("the variables of torch stand behind those of the runtime and of the TrainJob") {
  CHECK(env(train_job("  trainer: {numNodes: 2, numProcPerNode: 8, env: [{name: B, value: b}, "
                      "{name: A, value: new}]}") +
            runtime("{numNodes: 1, torch: {}}", "{name: node, env: [{name: A, value: old}]}")) ==
        "A=new B=b PET_NNODES=2 PET_NPROC_PER_NODE=8 PET_NODE_RANK@ "
        "PET_MASTER_ADDR=t-node-0-0.t PET_MASTER_PORT=29500");
}

TEST_CASE("a TrainJob without `trainer` gets no variables") {
  CHECK(env(train_job("") + runtime("{numNodes: 3, torch: {}}", "{name: node}")) == "");
  Folded folded(train_job("") + runtime("{numNodes: 3, torch: {}}", "{name: node}"));
  const View job_set = folded.job_set(0, "2.3");
  CHECK(at(job_set, "spec.replicatedJobs.0.template.spec.completions").text() == "3");
  CHECK(at(job_set, "spec.replicatedJobs.0.template.spec.parallelism").text() == "3");
}

TEST_CASE("without a resource called gpu there are as many processes as CPUs") {
  const auto processes = [](std::string_view resources, std::string_view trainer) {
    const std::string all =
        env(train_job("  trainer: {resourcesPerNode: " + std::string(resources) + "}") +
                runtime("{numNodes: 1, torch: {}}", "{name: node}"),
            trainer);
    const std::size_t begin = all.find("PER_NODE=") + 9;
    return all.substr(begin, all.find(' ', begin) - begin);
  };
  CHECK(processes("{limits: {nvidia.com/gpu: 4}}", "2.3") == "auto");
  CHECK(processes("{limits: {cpu: 12}}", "2.3") == "12");
  CHECK(processes("{requests: {cpu: 2500m}, limits: {cpu: 12}}", "2.3") == "3");
  CHECK(processes("{limits: {memory: 1Gi}}", "2.3") == "1");
  // A slice of a GPU is not called gpu.
  CHECK(processes("{limits: {nvidia.com/mig-1g.10gb: 4, cpu: 8}}", "2.3") == "8");
  // 2.0 looks at the requests as well, and takes one process where there are none.
  CHECK(processes("{limits: {nvidia.com/gpu: 4}}", "2.0") == "1");
  CHECK(processes("{limits: {nvidia.com/gpu: 4}, requests: {nvidia.com/gpu: 4}}", "2.0") == "auto");
}

TEST_CASE("until 2.2 resources replace those of the runtime, since 2.3 they are merged") {
  const std::string yaml =
      train_job("  trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}") +
      runtime("{numNodes: 1, torch: {}}",
              "{name: node, resources: {limits: {nvidia.com/gpu: 1, memory: 8Gi}}}");
  const std::string place = std::string(kContainer) + ".resources";
  Folded older(yaml);
  CHECK(json(at(older.job_set(0, "2.2"), place)) == R"({"limits":{"nvidia.com/gpu":8}})");
  Folded newer(yaml);
  CHECK(json(at(newer.job_set(0, "2.3"), place)) ==
        R"({"limits":{"nvidia.com/gpu":8,"memory":"8Gi"}})");
}

TEST_CASE("each release has a dialect of its own for patches on pods") {
  const std::string target = runtime("{numNodes: 1, torch: {}}", "{name: node}");
  Folded first(train_job("  podSpecOverrides: [{targetJobs: [{name: node}], serviceAccountName: a, "
                         "containers: [{name: node, volumeMounts: [{name: v, mountPath: /v}]}]}]") +
               target);
  View pod = at(first.job_set(0, ""), kPod);
  CHECK(json(at(pod, "spec")) ==
        R"({"containers":[{"name":"node","volumeMounts":[{"name":"v","mountPath":"/v"}]}],)"
        R"("serviceAccountName":"a"})");

  Folded second(
      train_job("  podTemplateOverrides: [{targetJobs: [{name: node}], metadata: {labels: "
                "{l: m}}, spec: {nodeSelector: {k: w}}}]") +
      target);
  pod = at(second.job_set(0, ""), kPod);
  CHECK(json(at(pod, "metadata")) == R"({"labels":{"l":"m"}})");
  CHECK(json(at(pod, "spec.nodeSelector")) == R"({"k":"w"})");

  Folded third(train_job("  runtimePatches: [{manager: a.b/c, trainingRuntimeSpec: {template: "
                         "{metadata: {labels: {q: r}}, spec: {replicatedJobs: [{name: node, "
                         "template: {spec: {template: {spec: {nodeSelector: {k: x}}}}}}]}}}}]") +
               target);
  const View job_set = third.job_set(0, "");
  CHECK(json(at(job_set, "metadata.labels")) == R"({"q":"r"})");
  CHECK(json(at(job_set, std::string(kPod) + ".spec.nodeSelector")) == R"({"k":"x"})");
}

TEST_CASE("what a patch adds to a list stands where the server puts it") {
  Folded folded(
      train_job("  runtimePatches: [{manager: a.b/c, trainingRuntimeSpec: {template: {spec: "
                "{replicatedJobs: [{name: node, template: {spec: {template: {spec: {volumes: "
                "[{name: new, emptyDir: {}}, {name: b, emptyDir: {medium: Memory}}]}}}}}]}}}}]") +
      runtime("{numNodes: 1}", "{name: node}",
              ", volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}, {name: c, emptyDir: "
              "{}}]"));
  std::string names;
  for (View each : items_at(at(folded.job_set(0, "2.3"), std::string(kPod) + ".spec"), "volumes")) {
    names += string_at(each, "name");
    names += ' ';
  }
  CHECK(names == "new a b c ");
}

TEST_CASE("of several ports without a name the Trainer keeps the last") {
  Folded folded(train_job("  trainer: {numNodes: 1}") +
                runtime("{numNodes: 1, torch: {}}",
                        "{name: node, ports: [{containerPort: 8080}, {containerPort: 9090}]}"));
  CHECK(json(at(folded.job_set(0, "2.3"), std::string(kContainer) + ".ports")) ==
        R"([{"containerPort":9090},{"containerPort":9090}])");
}

TEST_CASE("jax, xgboost and runtimes without a policy have variables of their own") {
  const std::string trainer = train_job(
      "  trainer: {numNodes: 2, env: [{name: A, value: a}], resourcesPerNode: {limits: "
      "{nvidia.com/gpu: 4}}}");
  CHECK(env(trainer + runtime("{numNodes: 1, jax: {}}", "{name: node}")) ==
        "JAX_NUM_PROCESSES=2 JAX_PROCESS_ID@ JAX_COORDINATOR_ADDRESS=t-node-0-0.t:29500 A=a");
  CHECK(env(trainer + runtime("{numNodes: 1, xgboost: {}}", "{name: node}")) ==
        "DMLC_TRACKER_URI=t-node-0-0.t DMLC_TRACKER_PORT=29500 DMLC_TASK_ID@ DMLC_NUM_WORKER=8 "
        "A=a");
  CHECK(env(trainer + runtime("{numNodes: 1}", "{name: node}")) == "A=a");
}

TEST_CASE("torchtune gets its recipe in the command instead of the address of the master") {
  Folded folded(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t}\n"
      "spec:\n  runtimeRef: {name: torchtune-llama3.2-1b}\n  trainer: {command: [tune, "
      "run], args: [model.lora_attn_modules=x, model.quantize_base=True], numNodes: 1, "
      "resourcesPerNode: {limits: {nvidia.com/gpu: 2}}}\n" +
      runtime("{numNodes: 1, torch: {}}",
              "{name: node, command: [tune, run, output_dir=/out, dtype=bf16]}"));
  const View container = at(folded.job_set(0, "2.3"), kContainer);
  CHECK(json(at(container, "command")) ==
        R"(["tune","run","--rdzv_endpoint=t-node-0-0.t:29500","lora_finetune_distributed",)"
        R"("--config","llama3_2/1B_qlora","output_dir=/out"])");
  CHECK(env_of(container) == "PET_NNODES=1 PET_NPROC_PER_NODE=auto PET_NODE_RANK@");
}

TEST_CASE("the Trainer makes nothing for an MPI that it does not know") {
  const auto failure = [](std::string_view implementation) {
    Folded folded(
        train_job("  trainer: {numNodes: 2}") +
        "\n---\nspec: {mlPolicy: {mpi: {mpiImplementation: " + std::string(implementation) +
        "}}, template: {spec: {replicatedJobs: [{name: launcher, template: {spec: "
        "{template: {spec: {containers: [{name: node}]}}}}}]}}}\n");
    const View job_set = folded.job_set(0, "2.3");
    CHECK(static_cast<bool>(job_set) == folded.made.failure.empty());
    return folded.made.failure;
  };
  CHECK(failure("OpenMPI") == "");
  CHECK(failure("MPICH") == "it knows only Open MPI, not `MPICH`");
}

TEST_CASE("values lead back to the lines that they come from, and what is added has a mark") {
  Folded folded(train_job("  trainer: {numNodes: 2, image: i}") +
                runtime("{numNodes: 1, torch: {}}", "{name: node, image: j, tty: true}"));
  const View container = at(folded.job_set(0, "2.3"), kContainer);
  const auto text_of = [&](View value) {
    const Span span = span_of_origin(folded.origins, value->origin);
    return std::string(folded.sources.text(span.file).substr(span.begin, span.size()));
  };
  CHECK(text_of(at(container, "image")) == "i");
  CHECK(text_of(at(container, "tty")) == "true");
  const View nodes = at(container, "env.0.value");
  CHECK(folded.origins[nodes->origin].kind == OriginKind::Injected);
  CHECK(folded.origins[nodes->origin].name == "trainer: number of nodes");
  CHECK(text_of(nodes) == "2");
}

TEST_CASE("any documents fold without harm") {
  for (std::string_view job :
       {"a: b", "spec: []", "spec: {trainer: 1, runtimePatches: {}, podSpecOverrides: [1]}",
        "spec: {trainer: {env: [1, {}], command: x, resourcesPerNode: []}, initializer: 3}"}) {
    for (std::string_view target :
         {"a: b", "spec: {template: {spec: {replicatedJobs: [1, {}, {template: 4}]}}}",
          "spec: {mlPolicy: {torch: {envInjection: {targets: [1, {}]}}, mpi: 1, jax: 2}, template: "
          "{metadata: 1, spec: {replicatedJobs: [{name: node, template: {metadata: {labels: "
          "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: "
          "{containers: [1, {name: node, env: {}, ports: 1, resources: []}]}}}}}]}}}"}) {
      Folded folded(std::string(job) + "\n---\n" + std::string(target) + "\n");
      INFO(job << " / " << target);
      const View job_set = folded.job_set(0, "2.3");
      CHECK(static_cast<bool>(job_set) == folded.made.failure.empty());
    }
  }
}
