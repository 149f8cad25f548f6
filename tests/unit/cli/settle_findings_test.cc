// What `validate` makes of files that are not all there is of what is applied.

#include "driver/validate/placeholders.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

std::string pod(const std::string& image) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: " +
         image + "}]}\n";
}

const std::string kService =
    "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
    "spec: {selector: {app: a}, ports: [{port: 80, targetPort: web}]}\n";
const std::string kServed =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: a}}\n"
    "spec: {containers: [{name: a, image: 'r.io/a:1', ports: [{name: http, containerPort: "
    "80}]}]}\n";

}  // namespace

TEST_CASE("a place that another program fills in is known") {
  CHECK_FALSE(has_placeholder(""));
  CHECK_FALSE(has_placeholder("costs $5, {a} <b"));
  CHECK_FALSE(has_placeholder("{a: {b: 1}}"));
  CHECK_FALSE(has_placeholder("}} {{ %} {%"));
  CHECK_FALSE(has_placeholder("a < b > c, <3>, $, ${}, $(1)"));
  CHECK_FALSE(has_placeholder("__init__ ____ __A_ a@sha256:AB@ @A b@ @@"));
  const std::string text =
      GENERATE("{{ .Values.a }}", "a-${USER}", "$GPUS", "$(name)", "<your-image>", "<your image>",
               "${CLUSTER:-a}", "__NAMESPACE__", "${SIZE:=5Gi}", "$(cat pull-secret | base64 -w0)",
               "{% if deploy %}", "gcr.io/@PROJECT@/a", "${ROLE/#arn/a.b", "{name}", "'{name}'");
  INFO(text);
  CHECK(has_placeholder(text));
}

TEST_CASE("words for the reader are known") {
  CHECK_FALSE(has_word_for_reader(""));
  CHECK_FALSE(has_word_for_reader("yo-ur irreplaceable restful-entered filly mastodon"));
  const std::string text =
      GENERATE("FILLED BY THE PIPELINE", "gcr.io/YOUR_PROJECT/a", "PLACEHOLDER_IMAGE",
               "YOUR-PVC-NAME", "REPLACE_IMAGE:v1", "Your storage class", "your key in base64",
               "enterYourToken==", "changeme", "change-me", "TODO", "<insert here>", "yourtoken");
  INFO(text);
  CHECK(has_word_for_reader(text));
  CHECK(asks_for_change("# " + text));
  CHECK(asks_for_change("# update with the class of the cluster"));
  CHECK_FALSE(asks_for_change("# the class of updates"));
}

TEST_CASE("a template is one finding: an error if it is named, a note if a folder is") {
  Caller call;
  call.files.files["t/a.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: '${A}', namespace: '${B}'}\n"
      "spec: {containers: [{name: '${C}', image: 'r.io/a:1'}]}\n";
  Called called = call({"validate", "t/a.yaml"});
  CHECK(called.code == ExitCode::InputWrong);
  CHECK(contains(called.err, "t/a.yaml:3:18: error: a template: 3 places must"));
  CHECK(contains(called.err, "1 error\n"));
  called = call({"validate", "--as-walked", "t/a.yaml"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "note: a template: 3 places must"));
  CHECK(contains(called.err, "0 documents are valid"));
  CHECK(call({"validate", "--as-walked", "--strict", "t/a.yaml"}).code == ExitCode::Good);
  called = call({"validate", "--rendered", "--as-walked", "t/a.yaml"});
  CHECK(called.code == ExitCode::InputWrong);
  CHECK(contains(called.err, "3 errors\n"));
  call.files.files["t/b.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  {{ .Values.a }}\n  name: b\n";
  called = call({"validate", "--as-walked", "t/b.yaml"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "note: a template: "));
  // It cannot be read, so it is none of the documents that are valid.
  called = call({"validate", "--as-walked", "--output", "json", "t/b.yaml"});
  CHECK(contains(called.out, "\"documents\": 0"));
}

TEST_CASE("a claim that is to be named makes a file a template") {
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
      "spec: {containers: [{name: a, image: 'r.io/a:1', volumeMounts: [{name: d, mountPath: /d}]}],"
      " volumes: [{name: d, persistentVolumeClaim: {claimName: YOUR-PVC-NAME}}]}\n";
  const Called called = call({"validate", "--as-walked", "a.yaml"});
  CHECK(contains(called.err, "a template: 1 place must"));
  CHECK(contains(called.err, "note: a template"));
}

TEST_CASE("names and numbers that are to be filled in make a file a template") {
  Caller call;
  const auto is_template = [&](const std::string& path, const std::string& name,
                               const std::string& replicas) {
    call.files.files[path] =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
        "}\nspec: {replicas: " + replicas +
        ", selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
        "{containers: [{name: a, image: 'r.io/a:1'}]}}}\n";
    return contains(call({"validate", "--as-walked", path}).err, "note: a template: 1 place must");
  };
  CHECK(is_template("a.yaml", "disks-POOL_NAME", "1"));
  CHECK(is_template("a.yaml", "a-MODEL_TAG-b", "1"));
  CHECK(is_template("a.yaml", "Filled by the installer", "1"));
  CHECK(is_template("a.yaml", "a", "REPLICA_COUNT"));
  CHECK(is_template("a-template.yaml", "bench-SUFFIX", "1"));
  call.files.files["i.yaml"] = pod("REGION-docker.pkg.dev/PROJECT_ID/train:1");
  CHECK(
      contains(call({"validate", "--as-walked", "i.yaml"}).err, "note: a template: 1 place must"));
  CHECK_FALSE(is_template("a.yaml", "bench-SUFFIX", "1"));
  CHECK_FALSE(is_template("a.yaml", "my bench", "1"));
  CHECK_FALSE(is_template("a.yaml", "my_bench", "1"));
  CHECK_FALSE(is_template("a.yaml", "a", "TWO"));
}

TEST_CASE("a text that is no YAML is a template if its file is named so") {
  Caller call;
  const std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:TOKEN_ENV\n  - a\n";
  call.files.files["d/pod-template.yaml"] = text;
  CHECK(contains(call({"validate", "d"}).err, "note: a template: "));
  call.files.files = {{"d/pod.yaml", text}};
  CHECK_FALSE(contains(call({"validate", "d"}).err, "a template"));
}

TEST_CASE("an object of another namespace and another file may be made where it is wanted, too") {
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: certificate, namespace: a}\n";
  const std::string wanting =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, "
      "image: 'r.io/a:1', volumeMounts: [{name: c, mountPath: /c}]}], volumes: [{name: c, secret: "
      "{secretName: certificate}}]}\n";
  Caller call;
  call.files.files["d/pod.yaml"] = wanting;
  call.files.files["d/secret.yaml"] = secret;
  CHECK(contains(call({"validate", "d"}).err, "note: Secret `certificate` is in namespace `a`"));
  call.files.files["d/kustomization.yaml"] = "resources: [pod.yaml, secret.yaml]\n";
  CHECK(contains(call({"validate", "d"}).err, "warning: Secret `certificate` is in"));
  call.files.files = {{"d/all.yaml", wanting + "---\n" + secret}};
  CHECK(contains(call({"validate", "d"}).err, "warning: Secret `certificate` is in"));
}

TEST_CASE("keys of a Secret that stands beside pods of its own are no proof for other files") {
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: token}\nstringData: {other: a}\n";
  const std::string wanting =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: "
      "'r.io/a:1', env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: token, key: hf}}}]}]}\n";
  Caller call;
  call.files.files = {{"d/pod.yaml", wanting}, {"d/secret.yaml", secret}};
  CHECK(contains(call({"validate", "d"}).err, "error: Secret `token` has no key `hf`"));
  call.files.files["d/secret.yaml"] =
      secret +
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: [{name: b, image: "
      "'r.io/b:1'}]}\n";
  CHECK(contains(call({"validate", "d"}).err, "note: Secret `token` has no key `hf`"));
  call.files.files = {{"d/all.yaml", wanting + "---\n" + secret}};
  CHECK(contains(call({"validate", "d"}).err, "error: Secret `token` has no key `hf`"));
}

TEST_CASE("files of other tools are no objects") {
  Caller call;
  call.files.files["d/azure.yaml"] = "name: demo\nmetadata: {template: demo@1.0}\n";
  call.files.files["d/index.yaml"] = "apiVersion: v1\nentries: {a: []}\n";
  call.files.files["d/part.yaml"] = "metadata: {annotations: {a: b}}\nspec: {}\n";
  call.files.files["d/app.yaml"] = "apiVersion: 0.3.0\nkind: ksonnet.io/app\nname: a\n";
  const Called called = call({"validate", "d"});
  INFO(called.err);
  CHECK(called.code == ExitCode::Good);
  call.files.files["d/account.patch.yaml"] =
      "apiVersion: v1\nkind: ServiceAccount\nimagePullSecrets: [{name: a}]\n";
  CHECK(call({"validate", "d"}).code == ExitCode::Good);
  call.files.files["d/pod.yaml"] = "metadata: {name: a}\nspec: {}\n";
  CHECK(call({"validate", "d"}).code == ExitCode::InputWrong);
}

TEST_CASE("what is wrong beside the places of a template is still told") {
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${A}'}\ndta: {}\n";
  const Called called = call({"validate", "a.yaml"});
  CHECK(contains(called.err, "a.yaml:4:1: error: unknown field `dta`"));
  CHECK(contains(called.err, "a template: 1 place must"));
}

TEST_CASE("a kustomization that sets the tag of an image answers for it") {
  Caller call;
  call.files.files["b/kustomization.yaml"] =
      "resources: [a.yaml]\nimages: [{name: r.io:5000/a, newTag: '1'}]\n";
  call.files.files["b/a.yaml"] = pod("'r.io:5000/a:latest'");
  CHECK_FALSE(contains(call({"validate", "--as-walked", "b/a.yaml"}).err, "latest"));
  call.files.files["b/a.yaml"] = pod("r.io:5000/ab");
  CHECK(contains(call({"validate", "--as-walked", "b/a.yaml"}).err, "has no tag"));
}

TEST_CASE("a selector says nothing of pods in another folder") {
  Caller call;
  call.files.files["a/pod.yaml"] = kServed;
  call.files.files["a/service.yaml"] = kService;
  call.files.files["b/service.yaml"] = kService;
  CHECK(contains(call({"validate", "a/pod.yaml", "a/service.yaml"}).err, "leads to port `web`"));
  CHECK_FALSE(contains(call({"validate", "a/pod.yaml", "b/service.yaml"}).err, "leads to port"));
  call.files.files["kustomization.yaml"] = "resources: [a/pod.yaml, b/service.yaml]\n";
  CHECK(contains(call({"validate", "--as-walked", "a/pod.yaml", "b/service.yaml"}).err,
                 "leads to port `web`"));
}

TEST_CASE("of several PodGroups of one name only that in the file of the job counts") {
  const auto group = [](const std::string& least) {
    return "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g}\n"
           "spec: {minMember: " +
           least + "}\n";
  };
  const std::string jobs =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
      "spec: {replicatedJobs: [{name: w, template: {spec: {completions: 4, parallelism: 4, "
      "template: {metadata: {labels: {scheduling.x-k8s.io/pod-group: g}}, spec: {restartPolicy: "
      "Never, containers: [{name: a, image: 'r.io/a:1'}]}}}}}]}\n";
  Caller call;
  call.files.files["b/group.yaml"] = group("9");
  call.files.files["a/jobs.yaml"] = jobs;
  CHECK(contains(call({"validate", "a/jobs.yaml", "b/group.yaml"}).err, "a gang of 9 pods"));
  call.files.files["c/group.yaml"] = group("4");
  const std::vector<std::string> all = {"validate", "a/jobs.yaml", "b/group.yaml", "c/group.yaml"};
  CHECK_FALSE(contains(call(all).err, "a gang of"));
  call.files.files["a/jobs.yaml"] += "---\n" + group("7");
  CHECK(contains(call(all).err, "a gang of 7 pods"));
}

TEST_CASE("a secret in samples and inputs of tests is a note") {
  Caller call;
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
      "stringData: {token: ghp_0a1b2c3d4e5f6g7h8i9j0a1b2c3d4e5f6g7h}\n";
  call.files.files["a/secret.yaml"] = secret;
  call.files.files["a/samples/secret.yaml"] = secret;
  const Called called = call({"validate", "--as-walked", "a/secret.yaml", "a/samples/secret.yaml"});
  CHECK(contains(called.err, "a/secret.yaml:4:21: warning: "));
  CHECK(contains(called.err, "a/samples/secret.yaml:4:21: note: "));
}

TEST_CASE("the keys of a Secret in another folder are a guess") {
  Caller call;
  call.files.files["a/pod.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
      "spec: {containers: [{name: a, image: 'r.io/a:1', env: [{name: A, valueFrom: "
      "{secretKeyRef: {name: s, key: b}}}]}]}\n";
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {c: ''}\n";
  call.files.files["a/secret.yaml"] = secret;
  call.files.files["b/secret.yaml"] = secret;
  CHECK(contains(call({"validate", "--as-walked", "a/pod.yaml", "a/secret.yaml"}).err,
                 "error: Secret `s` has no key"));
  CHECK(contains(call({"validate", "--as-walked", "a/pod.yaml", "b/secret.yaml"}).err,
                 "note: Secret `s` has no key"));
  CHECK(contains(call({"validate", "a/pod.yaml", "b/secret.yaml"}).err,
                 "error: Secret `s` has no key"));
}

TEST_CASE("words in place of names and amounts make a template") {
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n"
      "spec:\n  accessModes: [ReadWriteOnce]\n  storageClassName: AUTOMATIC_REPLACE\n"
      "  resources: {requests: {storage: AUTOMATIC_REPLACE}}\n";
  CHECK(contains(call({"validate", "--as-walked", "a.yaml"}).err, "a template: 2 places must"));
  const std::string service =
      "apiVersion: v1\nkind: Service\nmetadata: {name: service_name}\nspec: {ports: [{port: "
      "80}]}\n";
  call.files.files["b.yaml"] = service;
  call.files.files["template.yaml"] = service;
  CHECK(contains(call({"validate", "--as-walked", "b.yaml"}).err, "error: name"));
  CHECK(contains(call({"validate", "--as-walked", "template.yaml"}).err, "note: a template: 1"));
}

TEST_CASE("what a test looks for is no manifest, and a name to fill in no redirection") {
  Caller call;
  call.files.files["d/00-assert.yaml"] = "apiVersion: apps/v1\nkind: Deployment\nstatus: {}\n";
  call.files.files["d/01-errors.yaml"] = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
  call.files.files["d/a.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
      "spec: {containers: [{name: a, image: 'r.io/a:1', command: [sh, -c, 'get a/<NAME>; b']}]}\n";
  const Called called = call({"validate", "d"});
  INFO(called.err);
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "d/00-assert.yaml:2:7: note: this is a part"));
  CHECK(contains(called.err, "a template: 1 place"));
}

TEST_CASE("what a Test of chainsaw looks for is a part, what it applies is a manifest") {
  Caller call;
  call.files.files["d/chainsaw-test.yaml"] =
      "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\nspec:\n  steps:\n"
      "  - try:\n    - apply: {file: applied.yaml}\n    - assert:\n        file: ../d/seen.yaml\n"
      "    - error: {file: \"gone.yaml\"}  # once it is deleted\n";
  const std::string part =
      "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{}]}\n";
  for (const std::string& name : {"applied", "gone", "seen"})
    call.files.files["d/" + name + ".yaml"] = part;
  const Called called = call({"validate", "--ignore-unknown-kinds", "d"});
  INFO(called.err);
  CHECK(contains(called.err, "d/applied.yaml:4:16: error: missing field `port`"));
  CHECK_FALSE(contains(called.err, "gone.yaml"));
  CHECK_FALSE(contains(called.err, "seen.yaml"));
}

TEST_CASE("a word that kustomize takes for a text is none of the API server's booleans") {
  Caller call;
  const std::string config =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: off\n";
  call.files.files["k/a.yaml"] = call.files.files["p/a.yaml"] = call.files.files["f/a.yaml"] =
      config;
  CHECK(contains(call({"validate", "p"}).err, "p/a.yaml:5:6: error: found the boolean"));
  call.files.files["k/kustomization.yaml"] = "resources: [a.yaml]\n";
  CHECK(contains(call({"validate", "k"}).err, "k/a.yaml:5:6: note: found the boolean"));
  call.files.files["f/flux.yaml"] =
      "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n"
      "spec: {interval: 1h, path: ./f, prune: true, sourceRef: {kind: GitRepository, name: a}}\n";
  CHECK(contains(call({"validate", "f"}).err, "f/a.yaml:5:6: note: found the boolean"));
  call.files.files["f/a.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: true\n";
  CHECK(contains(call({"validate", "f"}).err, "f/a.yaml:5:6: error: found the boolean"));
}

TEST_CASE("names for Python's `format`, three dots and words about base64 make a template") {
  Caller call;
  const std::string text = GENERATE(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: 'sleep-{}'}\n"
      "spec: {containers: [{name: a, image: 'r.io/a:1'}]}\n",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ...}\n",
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {parallelism: ..., template: "
      "{spec: "
      "{restartPolicy: Never, containers: [{name: a, image: 'r.io/a:1'}]}}}\n",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: token-in-base64}\n");
  call.files.files["a.yaml"] = text;
  const Called called = call({"validate", "--as-walked", "a.yaml"});
  INFO(called.err);
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "note: a template: 1 place"));
}

TEST_CASE("what configures a program is no object, in whatever case it says its version") {
  Caller call;
  const std::string rest = "metadata: {name: a}\nstages: []\n";
  call.files.files["d/config.yaml"] =
      "apiversion: scorecard.operatorframework.io/v1alpha3\nkind: Configuration\n" + rest;
  CHECK(call({"validate", "d"}).code == ExitCode::Good);
  call.files.files["d/config.yaml"] = "apiversion: kubeflow.org/v1\nkind: PyTorchJob\n" + rest;
  CHECK(call({"validate", "d"}).code == ExitCode::InputWrong);
}

TEST_CASE("a lone carriage return ends a line") {
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: v1\rkind: ConfigMap\r\rmetadata:\r\n  name: a\rdata: {a: 1}\r";
  const Called called = call({"validate", "a.yaml"});
  INFO(called.err);
  CHECK(contains(called.err, "a.yaml:6:11: error: found the integer `1`"));
}

TEST_CASE("objects of OpenShift say that each pod gets a user") {
  Caller call;
  call.files.files["d/a.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {securityContext: {runAsNonRoot: "
      "true}, "
      "containers: [{name: a, image: 'nvcr.io/nvidia/pytorch:25.01-py3'}]}\n";
  const std::string found = "starts as root, and `runAsNonRoot` forbids that";
  CHECK(contains(call({"validate", "d"}).err,
                 "warning: image `nvcr.io/nvidia/pytorch:25.01-py3` " + found));
  call.files.files["d/route.yaml"] =
      "apiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: a}\n"
      "spec: {to: {kind: Service, name: a}}\n";
  CHECK(contains(call({"validate", "--ignore-unknown-kinds", "d"}).err,
                 "note: image `nvcr.io/nvidia/pytorch:25.01-py3` " + found));
}

TEST_CASE("of several Namespaces of one name only that in the file of the pod counts") {
  const auto name_space = [](const std::string& level) {
    return "apiVersion: v1\nkind: Namespace\n"
           "metadata: {name: space, labels: {pod-security.kubernetes.io/enforce: " +
           level + "}}\n";
  };
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: space}\n"
      "spec: {hostNetwork: true, containers: [{name: a, image: 'r.io/a:1'}]}\n";
  Caller call;
  call.files.files["a/pod.yaml"] = pod;
  call.files.files["b/n.yaml"] = name_space("baseline");
  CHECK(contains(call({"validate", "a/pod.yaml", "b/n.yaml"}).err, "enforces `baseline`"));
  call.files.files["c/n.yaml"] = name_space("privileged");
  const std::vector<std::string> all = {"validate", "a/pod.yaml", "b/n.yaml", "c/n.yaml"};
  CHECK_FALSE(contains(call(all).err, "enforces"));
  call.files.files["a/pod.yaml"] += "---\n" + name_space("restricted");
  CHECK(contains(call(all).err, "enforces `restricted`"));
}
