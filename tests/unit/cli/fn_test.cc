// `trainyard fn`: from a ResourceList to a ResourceList.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "growth.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kList = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";

/// A list of these items, each of its lines as it is.
std::string list(const std::string& items, const std::string& config = "") {
  return kList + "items:\n" + items + (config.empty() ? "" : "functionConfig: " + config + "\n");
}

/// A spec as an item that lies in this file; `more` are fields of the document.
std::string spec(const std::string& file, const std::string& more = "",
                 const std::string& image = "r.example.com/a:1") {
  return "- apiVersion: trainyard/v1alpha1\n  kind: TrainingJob\n" + more +
         "  metadata:\n    name: llama\n    namespace: nlp\n    annotations:\n"
         "      internal.config.kubernetes.io/path: '" +
         file +
         "'\n"
         "      internal.config.kubernetes.io/index: '3'\n"
         "  spec:\n    image: " +
         image + "\n    run: {command: [./train]}\n";
}

Called run(Caller& call, const std::string& input) {
  call.input = input;
  return call({"fn"});
}

}  // namespace

TEST_CASE("fn says what is wrong with its input, and prints no list that is none") {
  Caller call;
  for (const char* input :
       {"", "a: [", "kind: List\n", "- 1\n", "apiVersion: config.kubernetes.io/v1\nkind: Pod\n",
        "kind: ResourceList\n", "text\n", "a: 1\n---\nb: 2\n"}) {
    INFO(input);
    const Called called = run(call, input);
    CHECK(called.code == ExitCode::InputWrong);
    CHECK(called.out.empty());
    CHECK(contains(called.err, "error: "));
  }
  CHECK(contains(run(call, kList + "items: {a: 1}\n").err, "expected a list of objects"));
  CHECK(contains(run(call, list("- {kind: Pod, metadata: {name: a}}\n")).err, "`apiVersion`"));
  CHECK(contains(run(call, list("- {apiVersion: v1, metadata: {name: a}}\n")).err, "`kind`"));
  CHECK(contains(run(call, list("- {apiVersion: v1, kind: Pod}\n")).err, "`metadata.name`"));
  CHECK(contains(run(call, kList + "functionConfig: [1]\n").err, "expected an object"));
  CHECK(contains(run(call, kList + "functionConfig: {apiVersion: v1, kind: Pod}\n").err,
                 "expected `TrainingJob`"));
  const std::string version =
      "{apiVersion: v1, kind: ConfigMap, data: {kubernetesVersion: newest}}";
  CHECK(run(call, kList + "functionConfig: " + version + "\n").code == ExitCode::InputWrong);
}

TEST_CASE("fn leaves items of others as they are, to the byte, when there is nothing to make") {
  Caller call;
  const std::string same = list(
      "# above\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a # beside\n"
      "    annotations: {example.com/unknown: 'yes', config.kubernetes.io/index: '0'}\n"
      "  data:\n    # within\n    a: |\n      one\n\n        two\n    b: >-\n      x\n      y\n"
      "    c: \"0123\"\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    generateName: a-\n"
      "  spec: {}\n");
  const Called called = run(call, same);
  CHECK(called.code == ExitCode::Good);
  CHECK(called.out == same);
  CHECK(run(call, kList + "items: []\n").out == kList + "items: []\n");
  // kyaml puts the comment of a file behind the dash; lists may stand deeper.
  const std::string behind =
      list("- # ours\n  # two\n  apiVersion: v1\n  kind: A\n  metadata: {name: a}\n");
  CHECK(run(call, behind).out == behind);
  CHECK(run(call, kList +
                      "items:\n    # a\n    -   # ours\n        apiVersion: v1\n        kind: A\n\n"
                      "        metadata: {name: a}\n")
            .out == list("# a\n- # ours\n  apiVersion: v1\n  kind: A\n\n  metadata: {name: a}\n"));
  // An alias leads out of its item, so both are written anew.
  const Called alias = run(call, list("- {apiVersion: v1, kind: A, metadata: {name: &n a}}\n"
                                      "- apiVersion: v1\n  kind: B\n  metadata: {name: *n}\n"));
  CHECK(alias.code == ExitCode::Good);
  CHECK(contains(alias.out, "- apiVersion: v1\n  kind: B\n  metadata:\n    name: a\n"));
}

TEST_CASE("fn reads JSON, too") {
  Caller call;
  const Called called = run(
      call, R"({"apiVersion": "config.kubernetes.io/v1beta1", "kind": "ResourceList", "items": [)"
            R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]})");
  CHECK(called.code == ExitCode::Good);
  CHECK(called.out ==
        "apiVersion: config.kubernetes.io/v1beta1\nkind: ResourceList\nitems:\n"
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n");
}

TEST_CASE("fn finds what a spec extends from the file that the item lies in") {
  Caller call;
  call.files.files["base.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec: {nodes: 3, gpusPerNode: 8}\n";
  call.files.files[".git/HEAD"] = "";
  const Called called = run(call, list(spec("specs/llama.yaml", "  extends: ../base.yaml\n")));
  INFO(called.err);
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.out, "parallelism: 3"));
  CHECK(contains(called.out, "internal.config.kubernetes.io/path: jobs/nlp/llama.yaml"));
  CHECK(!contains(called.out, "specs/llama.yaml"));
  CHECK(!contains(called.out, "TrainingJob\n"));
  const Called lost = run(call, list(spec("llama.yaml", "  extends: lost.yaml\n")));
  CHECK(lost.code == ExitCode::InputWrong);
  CHECK(contains(lost.out, "severity: error"));
  CHECK(contains(lost.out, "  file:\n    path: llama.yaml\n    index: 3\n"));
  CHECK(contains(lost.out, "kind: TrainingJob\n"));
}

TEST_CASE("fn takes a Cluster among the items for all specs, and a layer that a spec extends") {
  Caller call;
  const Called called = run(
      call,
      list(
          spec("specs/a.yaml", "  extends: team.yaml\n") +
          "- {apiVersion: trainyard/v1alpha1, kind: Cluster, metadata: {name: lab}, spec: "
          "{defaults: {target: jobset}, namespaces: [{name: nlp}]}}\n"
          "- {apiVersion: trainyard/v1alpha1, kind: TrainingJobLayer, metadata: {name: team, "
          "annotations: {config.kubernetes.io/path: specs/team.yaml}}, spec: {gpusPerNode: 4}}\n"));
  INFO(called.err << called.out);
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.out, "nvidia.com/gpu: \"4\""));
  CHECK(!contains(called.out, "kind: TrainingJob"));
  call.files.files["team.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec: {gpusPerNode: 2}\n";
  const std::string overlay = "{apiVersion: v1, kind: ConfigMap, data: {overlay: team.yaml}}";
  CHECK(contains(run(call, list(spec("a.yaml"), overlay)).out, "nvidia.com/gpu: \"2\""));
}

TEST_CASE("fn takes a functionConfig that is an item, too, once") {
  Caller call;
  const std::string config =
      "{apiVersion: trainyard/v1alpha1, kind: TrainingJob, metadata: {name: llama}, spec: {image: "
      "r.example.com/a:1, run: {command: [./train]}}}";
  for (const std::string& input :
       {list("- " + config + "\n", config), kList + "functionConfig: " + config + "\n"}) {
    const Called called = run(call, input);
    INFO(called.err);
    CHECK(called.code == ExitCode::Good);
    CHECK(contains(called.out, "- apiVersion: batch/v1\n  kind: Job\n"));
  }
}

TEST_CASE("fn that validates changes no item, whatever it finds") {
  Caller call;
  const std::string items =
      "- apiVersion: batch/v1\n  kind: Job\n  metadata:\n    name: a # beside\n"
      "  spec: {template: {spec: {restartPolicy: Always, containers: [{name: m, image: x}]}}}\n" +
      spec("a.yaml");
  for (const char* config :
       {"{apiVersion: trainyard/v1alpha1, kind: Validate, metadata: {name: v}}",
        "{apiVersion: v1, kind: ConfigMap, data: {function: validate}}"}) {
    const Called called = run(call, list(items, config));
    CHECK(called.code == ExitCode::InputWrong);
    CHECK(called.out.starts_with(kList + "items:\n" + items + "functionConfig:"));
    CHECK(contains(called.out, "    path: spec.template.spec.restartPolicy"));
  }
}

TEST_CASE("fn that validates ignores what is never applied") {
  Caller call;
  const std::string config =
      "{apiVersion: trainyard/v1alpha1, kind: Validate, metadata: {name: v}}";
  const Called called =
      run(call, list("- {apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: a}}\n"
                     "- {apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization}\n"
                     "- {apiVersion: x.example.com/v1, kind: Setter, metadata: {name: a, "
                     "annotations: {config.kubernetes.io/local-config: 'true'}}}\n",
                     config));
  INFO(called.err);
  CHECK(called.code == ExitCode::Good);
  CHECK(run(call,
            list("- {apiVersion: x.example.com/v1, kind: Setter, metadata: {name: a}}\n", config))
            .code == ExitCode::InputWrong);
}

TEST_CASE("fn shows no secret of a spec in its results, nor on standard error") {
  Caller call;
  const std::string token = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
  for (const std::string& fields : {"    env: {ANY: " + token + "}\n", "    nodes: " + token + "\n",
                                    "    " + token + ": 3\n"}) {
    const Called called = run(call, list(spec("a.yaml") + fields));
    INFO(called.out << called.err);
    CHECK(called.code == ExitCode::InputWrong);
    const std::size_t results = called.out.find("\nresults:\n");
    REQUIRE(results != std::string::npos);
    CHECK(!contains(called.out.substr(results), token));
    CHECK(!contains(called.err, token));
  }
}

TEST_CASE("fn takes four times as long for four times as many items of one file") {
  const auto work = [](std::size_t items) {
    std::string text;
    for (std::size_t i = 0; i < items; ++i) {
      text += "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a" + std::to_string(i) +
              "\n    annotations: {config.kubernetes.io/path: all.yaml}\n";
    }
    Caller call;
    const Called called = run(call, list(text));
    CHECK(called.code == ExitCode::Good);
    CHECK(called.out == list(text));
  };
  const double growth = testing::growth(500, work);
  CHECK(growth < testing::kMostGrowth);
}
