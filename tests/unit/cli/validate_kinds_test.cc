// `validate` and the kinds it knows: of the program, of CRDs among the inputs, and none.

#include <catch2/catch_test_macros.hpp>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

std::string crd(std::string_view schema, std::string_view kind = "Widget",
                std::string_view more_versions = "") {
  return "apiVersion: apiextensions.k8s.io/v1\n"
         "kind: CustomResourceDefinition\n"
         "metadata: {name: widgets.example.com}\n"
         "spec:\n"
         "  group: example.com\n"
         "  scope: Namespaced\n"
         "  names: {kind: " +
         std::string(kind) +
         ", plural: widgets, singular: widget, listKind: WidgetList}\n"
         "  versions:\n"
         "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: " +
         std::string(schema) + "}}\n" + std::string(more_versions);
}

const std::string kSchema =
    "{type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}";

std::string widget(std::string_view size, std::string_view version = "v1") {
  return "apiVersion: example.com/" + std::string(version) +
         "\nkind: Widget\nmetadata: {name: w}\nspec: {size: " + std::string(size) + "}\n";
}

}  // namespace

TEST_CASE("a CRD among the inputs is the schema of its kind, in any order") {
  Caller call;
  call.files.files["a.yaml"] = widget("3");
  call.files.files["b.yaml"] = widget("x");
  call.files.files["z.yaml"] = crd(kSchema);
  CHECK(call({"validate", "a.yaml", "z.yaml"}).err == "2 documents are valid\n");
  CHECK(call({"validate", "z.yaml", "a.yaml"}).code == ExitCode::Good);
  for (const char* order : {"b.yaml", "z.yaml"}) {
    const Called called = call({"validate", order, "b.yaml", "z.yaml"});
    CHECK(called.code == ExitCode::InputWrong);
    CHECK(contains(called.err, "b.yaml:4:14: error: found the string"));
  }
  call.input = widget("x") + "---\n" + crd(kSchema);
  CHECK(contains(call({"validate", "-"}).err, "wrong-type"));
}

TEST_CASE("objects in the folder of a release are none of a definition elsewhere") {
  Caller call;
  call.files.files["d/crds/widget.yaml"] = crd(kSchema);
  call.files.files["d/docs/version-v0.1.0/widget.yaml"] = widget("x");
  CHECK(contains(call({"validate", "d"}).err, "note: this is of release `version-v0.1.0`"));
  call.files.files["d/docs/v1/widget.yaml"] = widget("x");
  CHECK(contains(call({"validate", "d"}).err, "d/docs/v1/widget.yaml:4:14: error"));
  call.files.files = {{"d/1.2.3/crd.yaml", crd(kSchema)}, {"d/1.2.3/widget.yaml", widget("x")}};
  CHECK(contains(call({"validate", "d"}).err, "d/1.2.3/widget.yaml:4:14: error"));
}

TEST_CASE("a CRD inside a List counts as well, and one without a schema takes everything") {
  Caller call;
  call.files.files["a.yaml"] = widget("x");
  call.files.files["l.yaml"] =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: apiextensions.k8s.io/v1\n"
      "  kind: CustomResourceDefinition\n  metadata: {name: widgets.example.com}\n  spec:\n"
      "    group: example.com\n    scope: Namespaced\n"
      "    names: {kind: Widget, plural: widgets}\n"
      "    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: "
      "object, x-kubernetes-preserve-unknown-fields: true}}}]\n";
  CHECK(call({"validate", "a.yaml", "l.yaml"}).err == "2 documents are valid\n");
}

TEST_CASE("a CRD that is an input is in front of the program's own and of --schemas") {
  Caller call;
  call.files.files["a.yaml"] = widget("x");
  call.files.files["crds/w.yaml"] = crd(kSchema);
  call.files.files["w.yaml"] =
      crd("{type: object, properties: {spec: {type: object, properties: {size: {type: string}}}}}");
  CHECK(call({"validate", "a.yaml", "--schemas", "crds"}).code == ExitCode::InputWrong);
  CHECK(call({"validate", "a.yaml", "w.yaml", "--schemas", "crds"}).code == ExitCode::Good);
}

TEST_CASE("the CRD itself is checked, and one that cannot be used takes no other with it") {
  Caller call;
  call.files.files["a.yaml"] = widget("3");
  call.files.files["w.yaml"] = crd(kSchema) + "unknown: 1\n";
  CHECK(contains(call({"validate", "a.yaml", "w.yaml"}).err, "[unknown-field]"));

  call.files.files["w.yaml"] = crd(kSchema);
  call.files.files["x.yaml"] =
      crd("{type: object, properties: {spec: {type: string, pattern: '('}}}", "Broken");
  const Called called = call({"validate", "a.yaml", "w.yaml", "x.yaml"});
  CHECK(contains(called.err, "[bad-schema]"));
  CHECK_FALSE(contains(called.err, "[unknown-kind]"));
}

TEST_CASE("a version that is not served is refused with those that are") {
  Caller call;
  call.files.files["w.yaml"] =
      crd(kSchema, "Widget", "  - {name: v2, served: false, storage: false}\n");
  call.files.files["a.yaml"] = widget("3", "v2");
  const Called called = call({"validate", "a.yaml", "w.yaml"});
  CHECK(contains(called.err,
                 "a.yaml:1:13: error: no schema describes `Widget` of `example.com/v2`, of that "
                 "group it is served in `example.com/v1`"));
}

TEST_CASE("an unknown kind names what it may have been meant to be") {
  Caller call;
  const auto said = [&](std::string_view api_version, std::string_view kind) {
    call.files.files["a.yaml"] = "apiVersion: " + std::string(api_version) +
                                 "\nkind: " + std::string(kind) + "\nmetadata: {name: a}\n";
    return call({"validate", "a.yaml"}).err;
  };
  CHECK(contains(said("batch/v1", "Jbo"), "`Jbo` of `batch/v1`: did you mean `Job`?"));
  CHECK(contains(said("jobset.x-k8s.io/v1alpha1", "JobSet"),
                 "of that group it is served in `jobset.x-k8s.io/v1alpha2`"));
  CHECK(contains(said("jobset.k8s.io/v1alpha2", "JobSet"),
                 "did you mean `jobset.x-k8s.io/v1alpha2`?"));
  CHECK(contains(said("policy/v1beta1", "PodDisruptionBudget"), "served in `policy/v1`"));
  const std::string own = said("example.com/v1", "Thing");
  CHECK(contains(own, "CustomResourceDefinition"));
  CHECK(contains(own, "`--schemas`"));
}

TEST_CASE("objects of unknown kinds are ignored, and counted on request") {
  Caller call;
  call.files.files["a.yaml"] = widget("3") + "---\n" + widget("4");
  call.files.files["p.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";
  Called called = call({"validate", "a.yaml", "p.yaml", "--ignore-unknown-kinds"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "2 objects of unknown kinds were ignored\n1 document is valid\n"));
  called = call({"validate", "a.yaml", "--ignore-unknown-kinds", "--output", "json"});
  CHECK(contains(called.out, "\"ignored\": 2"));
  // What is no object at all is not of an unknown kind.
  call.files.files["n.yaml"] = "kind: Widget\n";
  CHECK(call({"validate", "n.yaml", "--ignore-unknown-kinds"}).code == ExitCode::InputWrong);
  CHECK_FALSE(contains(call({"validate", "p.yaml", "--ignore-unknown-kinds"}).err, "passed"));
}

TEST_CASE("a walk counts kinds that nothing describes, and refuses mistaken ones") {
  Caller call;
  call.files.files["d/w.yaml"] = widget("3");
  call.files.files["d/p.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";
  const Called called = call({"validate", "d"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "1 object of an unknown kind was ignored"));
  CHECK(call({"validate", "d/w.yaml"}).code == ExitCode::InputWrong);
  CHECK(call({"validate", "d", "--strict"}).code == ExitCode::InputWrong);
  CHECK(call({"validate", "d", "--strict", "--ignore-unknown-kinds"}).code == ExitCode::Good);
  const auto is_refused = [&](const std::string& api_version, const std::string& kind) {
    call.files.files["d/w.yaml"] =
        "apiVersion: " + api_version + "\nkind: " + kind + "\nmetadata: {name: a}\n";
    return call({"validate", "d"}).code == ExitCode::InputWrong;
  };
  CHECK(is_refused("jobset.x-k8s.io/v1alpha1", "JobSet"));
  CHECK(is_refused("kubflow.org/v1", "PyTorchJob"));
  CHECK_FALSE(is_refused("scheduling.sigs.k8s.io/v1alpha1", "PodGroup"));
}

TEST_CASE("a patch with a target changes no kind") {
  Caller call;
  call.files.files["d/kustomization.yaml"] =
      "resources: [p.yaml]\npatches: [{path: q.yaml, target: {kind: ConfigMap, name: p}}]\n";
  call.files.files["d/p.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\n";
  call.files.files["d/q.yaml"] = "kind: any\nmetadata: {name: any}\ndata: {a: b}\n";
  CHECK(call({"validate", "d"}).code == ExitCode::Good);
}

TEST_CASE("a misspelt kind and a version that is gone are no unknown kinds that may pass") {
  Caller call;
  const auto passes = [&](const std::string& api_version, const std::string& kind) {
    call.files.files["k.yaml"] =
        "apiVersion: " + api_version + "\nkind: " + kind + "\nmetadata: {name: a}\n";
    return call({"validate", "k.yaml", "--ignore-unknown-kinds"}).code == ExitCode::Good;
  };
  CHECK_FALSE(passes("batch/v1", "Jobb"));
  CHECK_FALSE(passes("extensions/v1beta1", "Ingress"));
  CHECK_FALSE(passes("autoscaling/v2beta2", "HorizontalPodAutoscaler"));
  CHECK_FALSE(passes("kubeflow.org/v1beta2", "PyTorchJob"));
  CHECK_FALSE(passes("kubeflow.org/v1", "PytorchJob"));
  // Several projects have kinds in these groups.
  CHECK(passes("kubeflow.org/v1", "Notebook"));
  CHECK(passes("kubeflow.org/v1", "MyTouchJob"));
  CHECK(passes("kubeflow.org/v1beta1", "Experiment"));
  CHECK(passes("argoproj.io/v1alpha1", "Rollout"));
  CHECK(passes("audit.k8s.io/v1", "Policy"));
  CHECK(passes("example.com/v1", "Job"));
}

TEST_CASE("a list of one kind is a list of its objects") {
  Caller call;
  call.files.files["l.yaml"] =
      "apiVersion: v1\nkind: ConfigMapList\nmetadata: {resourceVersion: '1'}\nitems:\n"
      "- metadata: {name: a}\n  data: {x: z}\n"
      "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n";
  CHECK(call({"validate", "l.yaml"}).err == "1 document is valid\n");
  call.files.files["l.yaml"] =
      "apiVersion: batch/v1\nkind: JobList\nitems:\n- metadata: {name: a}\n  spce: {}\n";
  const Called called = call({"validate", "l.yaml"});
  CHECK(contains(called.err, "items[0].spce"));
  CHECK_FALSE(contains(called.err, "[unknown-kind]"));
  call.files.files["l.yaml"] =
      "apiVersion: example.com/v1\nkind: ThingList\nitems:\n- metadata: {name: a}\n";
  CHECK(contains(call({"validate", "l.yaml"}).err, "[unknown-kind]"));
}

TEST_CASE("more kinds of Kubernetes are known") {
  Caller call;
  const auto check = [&](std::string_view text) {
    call.files.files["a.yaml"] = text;
    return call({"validate", "a.yaml"}).err;
  };
  CHECK(check("apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: a}\n"
              "spec: {controller: example.com/a}\n") == "1 document is valid\n");
  CHECK(check("apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: a}\n"
              "spec: {leaseDurationSeconds: 15}\n") == "1 document is valid\n");
  CHECK(check("apiVersion: networking.k8s.io/v1\nkind: IPAddress\n"
              "metadata: {name: '2001:db8::1'}\n"
              "spec: {parentRef: {resource: services, name: a}}\n") == "1 document is valid\n");
  CHECK(contains(check("apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: a}\n"
                       "spec: {attachRequird: true}\n"),
                 "did you mean `attachRequired`?"));
}

TEST_CASE("a TrainJob is checked as the stated Trainer knows it") {
  Caller call;
  const auto cluster = [&](std::string_view trainer) {
    call.files.files["cluster.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
        "spec: {operators: {trainer: " +
        std::string(trainer) + "}}\n";
  };
  const auto check = [&](std::string_view field, bool with_cluster) {
    call.files.files["a.yaml"] =
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
        "spec:\n  runtimeRef: {name: torch-distributed}\n  " +
        std::string(field) + "\n";
    return with_cluster ? call({"validate", "a.yaml", "--cluster", "cluster.yaml"}).err
                        : call({"validate", "a.yaml"}).err;
  };
  const std::string overrides = "podTemplateOverrides: [{targetJobs: [{name: node}]}]";
  const std::string older = "podSpecOverrides: [{targetJobs: [{name: node}]}]";
  const std::string patches = "runtimePatches: [{manager: example.com/a}]";
  const std::string processes = "trainer: {numProcPerNode: auto}";

  CHECK(contains(check(overrides, false), "trainer before 2.2 takes this"));
  CHECK(contains(check(older, false), "trainer before 2.1 takes this"));
  CHECK(contains(check(processes, false), "trainer before 2.2 takes this"));
  CHECK_FALSE(contains(check("nothing: 1", false), "takes this"));
  CHECK_FALSE(contains(check(patches, false), "unknown field"));

  cluster("2.1.0");
  CHECK_FALSE(contains(check(overrides, true), "error"));
  CHECK_FALSE(contains(check(processes, true), "error"));
  CHECK(contains(check(patches, true), "unknown field `runtimePatches`"));
  CHECK(contains(check(older, true), "unknown field `podSpecOverrides`"));
  CHECK(contains(check("podTemplateOverrides: [{targetJob: 1}]", true), "did you mean"));
  cluster("2.0.1");
  CHECK_FALSE(contains(check(older, true), "error"));
  CHECK(contains(check(overrides, true), "unknown field `podTemplateOverrides`"));
  cluster("2.2.0");
  CHECK_FALSE(contains(check(patches, true), "unknown field"));
  CHECK(contains(check(overrides, true), "unknown field `podTemplateOverrides`"));
}
