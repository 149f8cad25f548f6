// `trainyard cmp`: what Argo CD calls as a plugin.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/argocd/plugin.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

constexpr const char* kParameters = "ARGOCD_APP_PARAMETERS";
const std::string kToken = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
const std::string kCluster =
    "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\n"
    "spec: {kubernetes: \"1.34\", defaults: {target: jobset}}\n";
const std::string kObject = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: beside}\n";

/// An application with a spec, a Cluster and an object.
Caller application() {
  Caller call;
  call.files.files["specs/llama.yaml"] = kSpec;
  call.files.files["cluster.yaml"] = kCluster;
  call.files.files["beside.yaml"] = kObject;
  return call;
}

}  // namespace

TEST_CASE("cmp wants to know what to do") {
  Caller call;
  CHECK(call({"cmp"}).code == ExitCode::CallWrong);
  CHECK(call({"cmp", "generated"}).code == ExitCode::CallWrong);
}

TEST_CASE("cmp generate refuses parameters that mean nothing, and shows none of their values") {
  Caller call = application();
  const auto refused = [&](const std::string& parameters, const std::string& said) {
    INFO(parameters);
    call.environment[kParameters] = parameters;
    const Called called = call({"cmp", "generate"});
    CHECK(called.code == ExitCode::InputWrong);
    CHECK(called.out.empty());
    INFO(called.err);
    CHECK(contains(called.err, said));
    CHECK(!contains(called.err, kToken));
  };
  refused("[" + kToken, "`ARGOCD_APP_PARAMETERS` is no JSON");
  refused("{\"token\": \"" + kToken + "\"}", "expected a list of parameters");
  refused(R"([{"name": "image", "string": ")" + kToken + R"("}])", "no parameter `image`");
  refused("[3]", "no parameter");
  refused(R"([{"name": "cluster", "array": [")" + kToken + R"("]}])", "has no `string`");
  refused(R"([{"name": "overlays", "string": "a"}])", "has no `array`");
  refused(R"([{"name": "strict", "string": ")" + kToken + R"("}])", "neither `true` nor `false`");
  refused(R"([{"name": "cluster", "string": "lost.yaml"}])", "`lost.yaml`");
  refused(R"([{"name": "target", "string": "lost"}])", "`lost`");
}

TEST_CASE("cmp generate prints the objects of all specs, and those beside them") {
  Caller call = application();
  const Called plain = call({"cmp", "generate"});
  INFO(plain.err);
  CHECK(plain.code == ExitCode::Good);
  CHECK(contains(plain.out, "kind: Job\n"));
  CHECK(contains(plain.out, "  name: beside\n"));
  CHECK(!contains(plain.out, "kind: Cluster"));
  CHECK(!contains(plain.out, "TrainingJob"));

  call.files.files["Kptfile.yaml"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: k}\n";
  call.files.files["local.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: l, annotations: "
      "{config.kubernetes.io/local-config: 'true'}}\n";
  call.files.files["kustomization.yaml"] =
      "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n";
  CHECK(call({"cmp", "generate"}).out == plain.out);

  call.environment[kParameters] = R"([{"name": "cluster", "string": "cluster.yaml"}])";
  CHECK(contains(call({"cmp", "generate"}).out, "kind: JobSet\n"));
  // A variable says the same, and a parameter counts before it.
  call.environment.clear();
  call.environment["ARGOCD_ENV_CLUSTER"] = "cluster.yaml";
  CHECK(contains(call({"cmp", "generate"}).out, "kind: JobSet\n"));
  call.environment[kParameters] = R"([{"name": "target", "string": "volcano"}])";
  CHECK(contains(call({"cmp", "generate"}).out, "batch.volcano.sh/v1alpha1"));

  call.files.files.erase("specs/llama.yaml");
  call.environment.clear();
  CHECK(contains(call({"cmp", "generate"}).out, "  name: beside\n"));
  call.files.files.erase("beside.yaml");
  CHECK(call({"cmp", "generate"}).code == ExitCode::InputWrong);
}

TEST_CASE("cmp generate has only findings on standard error, without secrets") {
  Caller call = application();
  call.files.files["specs/b.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: b}\nspec:\n"
      "  image: registry.example.com/a:1\n  run: {command: [./train]}\n  env: {ANY: " +
      kToken + "}\n";
  const Called called = call({"cmp", "generate"});
  CHECK(called.code == ExitCode::InputWrong);
  CHECK(called.out.empty());
  CHECK(contains(called.err, "specs/b.yaml:7:"));
  CHECK(!contains(called.err, kToken));
}

TEST_CASE("cmp generate warns of a destination with another Kubernetes than the Cluster states") {
  Caller call = application();
  call.environment["ARGOCD_ENV_CLUSTER"] = "cluster.yaml";
  for (const auto& [version, warns] : {std::pair("1.33.2", true), std::pair("v1.34.0", false),
                                       std::pair("newest", false), std::pair("", false)}) {
    INFO(version);
    call.environment["KUBE_VERSION"] = version;
    const Called called = call({"cmp", "generate"});
    CHECK(called.code == ExitCode::Good);
    CHECK(contains(called.err, "states 1.34") == warns);
  }
}

TEST_CASE("cmp discover tells applications with a spec from all others, and never fails") {
  Caller call = application();
  CHECK(call({"cmp", "discover"}).out == "./specs/llama.yaml\n");
  call.environment["ARGOCD_APP_SOURCE_PATH"] = "specs";
  CHECK(call({"cmp", "discover"}).out == "specs/llama.yaml\n");
  call.environment["ARGOCD_APP_SOURCE_PATH"] = "elsewhere";  // it is called there already
  CHECK(call({"cmp", "discover"}).out == "./specs/llama.yaml\n");
  call.files.files["specs/llama.yaml"] = "a: [ # trainyard/v1alpha1 TrainingJob\n";
  const Called none = call({"cmp", "discover"});
  CHECK(none.code == ExitCode::Good);
  CHECK(none.out.empty());
  CHECK(none.err.empty());
}

TEST_CASE("cmp parameters prints JSON with what counts for the application as defaults") {
  Caller call = application();
  call.files.files[".trainyard.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Config\ncluster: cluster.yaml\n";
  const Called called = call({"cmp", "parameters"});
  INFO(called.err << called.out);
  CHECK(called.code == ExitCode::Good);
  CHECK(called.out.starts_with("["));
  CHECK(contains(called.out, "cluster.yaml\""));
  CHECK(contains(called.out, "\"collectionType\": \"array\""));
}

TEST_CASE("cmp paths names the files of other folders that the specs are made from") {
  Caller call;
  call.files.files["a/b.yaml"] = kSpec;
  CHECK(call({"cmp", "paths"}).out == "argocd.argoproj.io/manifest-generate-paths: .\n");
  Env env{call.files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  for (const char* name : {"./a/../../bases/b.yaml", "a/b.yaml", "../bases/b.yaml", "../a.yaml"}) {
    session.sources.add(name, "");
  }
  session.sources.add_view("../built/in.yaml", "");
  CHECK(generate_paths(session) ==
        "argocd.argoproj.io/manifest-generate-paths: .;../a.yaml;../bases/b.yaml\n");
}

TEST_CASE("cmp plugin-yaml names commands that exist") {
  Caller call;
  const Called called = call({"cmp", "plugin-yaml"});
  CHECK(called.out.starts_with("apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\n"));
  for (const char* what : {"discover", "generate", "parameters"}) {
    CHECK(contains(called.out, "command: [trainyard, cmp, " + std::string(what) + "]"));
  }
}
