// Which findings make a run fail, and which checks run.

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>

#include "check/check.h"
#include "check/check_selectors.h"
#include "driver/session/all_checks.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// A gang that never starts (`gang-size`, never-runs), an image without a fixed tag
/// (`mutable-image-tag`, style), and with `wrong` a name that Kubernetes refuses.
std::string gang(std::string_view image, std::string_view container = "a") {
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\n"
         "spec:\n  runPolicy: {schedulingPolicy: {minAvailable: 5}}\n  pytorchReplicaSpecs:\n"
         "    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: " +
         std::string(image) + "}, {name: " + std::string(container) + ", image: r.io/b:1}]}}}\n";
}

std::string pod(std::string_view image, std::string_view annotation = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {trainyard/checks: '" +
         std::string(annotation) +
         "'}}\nspec: {containers: [{name: a, image: " + std::string(image) + "}]}\n";
}

std::vector<std::string_view> names(std::string_view selector) {
  std::vector<std::string_view> found;
  for (const Check* each : selected(all_checks(), selector)) found.push_back(each->name);
  return found;
}

}  // namespace

TEST_CASE("an unknown effect, selector or severity is a wrong call or an error with a guess") {
  Caller call;
  call.files.files["a.yaml"] = pod("r.io/a:1");
  CHECK(call({"validate", "a.yaml", "--fail-on", "never"}).code == ExitCode::CallWrong);
  const Called unknown = call({"validate", "a.yaml", "--checks", "gnag=off"});
  CHECK(unknown.code == ExitCode::InputWrong);
  CHECK(contains(unknown.err, "did you mean `gang`?"));
  const Called word = call({"validate", "a.yaml", "--checks", "gang=of"});
  CHECK(word.code == ExitCode::InputWrong);
  CHECK(contains(word.err, "expected `off`, `on`, `note`, `warning` or `error`"));
  CHECK(call({"list", "checks", "gnag"}).code == ExitCode::CallWrong);
  CHECK(call({"list", "rules", "gang"}).code == ExitCode::CallWrong);
}

TEST_CASE("a run fails on findings of the given effect and worse, and on no others") {
  Caller call;
  call.files.files["gang.yaml"] = gang("r.io/a:1");
  call.files.files["tag.yaml"] = gang("r.io/a:latest");
  call.files.files["tag-only.yaml"] = pod("r.io/a:latest");
  call.files.files["refused.yaml"] = gang("r.io/a:1", "Not_A_Name");
  const auto code = [&](const std::string& file, const std::string& effect) {
    return call({"validate", file, "--fail-on", effect}).code;
  };
  CHECK(code("refused.yaml", "refused") == ExitCode::InputWrong);
  CHECK(code("gang.yaml", "refused") == ExitCode::Good);
  CHECK(code("gang.yaml", "never-runs") == ExitCode::InputWrong);
  CHECK(code("tag-only.yaml", "never-runs") == ExitCode::Good);
  CHECK(code("tag-only.yaml", "risky") == ExitCode::Good);
  CHECK(code("tag-only.yaml", "style") == ExitCode::InputWrong);
  CHECK(call({"validate", "tag-only.yaml", "--strict"}).code == ExitCode::InputWrong);
  const Called both = call({"validate", "tag.yaml", "--fail-on", "never-runs"});
  CHECK(contains(both.err, "1 error and 1 warning\n"));
}

TEST_CASE("a note of a check fails a run that asks for its effect, and else stays a note") {
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, "
      "image: 'r.io/a:1', env: [{name: API_KEY, value: hunter2-Trombone7}]}]}\n";
  for (const char* effect : {"risky", "style"}) {
    INFO(effect);
    CHECK(call({"validate", "a.yaml", "--fail-on", effect}).code == ExitCode::InputWrong);
  }
  const Called below = call({"validate", "a.yaml", "--fail-on", "never-runs"});
  CHECK(below.code == ExitCode::Good);
  CHECK(contains(below.err, "note: this looks like a credential"));
}

TEST_CASE("a severity that the user asks for counts before --fail-on and --strict") {
  Caller call;
  call.files.files["a.yaml"] = pod("r.io/a:latest", "mutable-image-tag=warning");
  call.files.files["b.yaml"] = pod("r.io/a:latest");
  CHECK(call({"validate", "a.yaml", "--strict"}).code == ExitCode::Good);
  CHECK(call({"validate", "b.yaml", "--strict"}).code == ExitCode::InputWrong);
  const auto code = [&](const std::string& checks) {
    return call({"validate", "b.yaml", "--fail-on", "never-runs", "--checks", checks}).code;
  };
  CHECK(code("style=error") == ExitCode::InputWrong);
  CHECK(code("images=error") == ExitCode::InputWrong);
  CHECK(code("mutable-*=error") == ExitCode::InputWrong);
  CHECK(code("mutable-*=error, style=off") == ExitCode::InputWrong);
  CHECK(code("mutable-image-tag=warning, mutable-*=error") == ExitCode::Good);
}

TEST_CASE("the option --checks overrides the config file, whatever is more precise") {
  Caller call;
  call.files.files[".trainyard.yaml"] = "{checks: {mutable-image-tag: error}}";
  call.files.files["b.yaml"] = pod("r.io/a:latest");
  CHECK(call({"validate", "b.yaml"}).code == ExitCode::InputWrong);
  const Called off = call({"validate", "b.yaml", "--checks", "images=off"});
  CHECK(off.code == ExitCode::Good);
  CHECK_FALSE(contains(off.err, "mutable-image-tag"));
}

TEST_CASE("failOn of a config file is --fail-on, and the call counts before it") {
  Caller call;
  call.files.files[".trainyard.yaml"] = "{failOn: style}";
  call.files.files["b.yaml"] = pod("r.io/a:latest");
  CHECK(call({"validate", "b.yaml"}).code == ExitCode::InputWrong);
  CHECK(call({"validate", "b.yaml", "--fail-on", "risky"}).code == ExitCode::Good);
}

TEST_CASE("turning off what the cluster refuses is reported once for a whole group") {
  Caller call;
  call.files.files["a.yaml"] = gang("r.io/a:1", "Not_A_Name");
  const Called off = call({"validate", "a.yaml", "--checks", "core=off"});
  CHECK(contains(off.err, "of `core` are off, though the API server or a controller refuses"));
  CHECK_FALSE(contains(off.err, "found by check `container-names`"));
}

TEST_CASE("a check that runs only where it is asked for is silent until then") {
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\n"
      "metadata: {name: a}\n"
      "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}\n";
  CHECK_FALSE(contains(call({"validate", "a.yaml"}).err, "role-bindings"));
  for (const char* selector : {"role-bindings=on", "platform=on", "*=on"}) {
    INFO(selector);
    const Called on = call({"validate", "a.yaml", "--checks", selector});
    CHECK(contains(on.err, "found by check `role-bindings`"));
    CHECK(on.code == ExitCode::InputWrong);
  }
}

TEST_CASE("a selector is a name, a pattern, a group, an effect or a stage") {
  CHECK(names("gang-sise").empty());
  CHECK(names("").empty());
  CHECK(names("gang-size") == std::vector<std::string_view>{"gang-size"});
  CHECK(names("*").size() == names("stable").size() + names("preview").size());
  CHECK(names("gang-s?ze").size() == 1);
  for (const Check* each : selected(all_checks(), "mpi-*")) CHECK(each->name.starts_with("mpi-"));
  std::size_t in_groups = 0;
  for (std::string_view group : kGroupWords) in_groups += names(group).size();
  CHECK(in_groups == names("*").size());
  std::size_t with_effects = 0;
  for (std::string_view effect : kEffectWords) with_effects += names(effect).size();
  CHECK(with_effects == names("*").size());
}

TEST_CASE("no check has the name of a group, an effect or a stage") {
  const auto words = selector_words(all_checks());
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) CHECK(std::ranges::count(words, check.name) == 1);
  }
}

TEST_CASE("a preview check never makes a run fail by itself, and the user can let it") {
  const auto previews = selected(all_checks(), "preview");
  REQUIRE_FALSE(previews.empty());
  Caller call;
  call.files.files["a.yaml"] =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {schedulerName: volcan, containers: "
      "[{name: a, image: r.io/a:1}]}\n";
  const Called strict = call({"validate", "a.yaml", "--strict"});
  CHECK(contains(strict.err, "found by check `scheduler-name`"));
  CHECK(strict.code == ExitCode::Good);
  CHECK(call({"validate", "a.yaml", "--checks", "preview=error"}).code == ExitCode::InputWrong);
}

TEST_CASE("a configuration that names a check of an earlier release stays valid, with a note") {
  Caller call;
  call.files.files[".trainyard.yaml"] = "{checks: {webhooks: off}}";
  call.files.files["a.yaml"] = pod("r.io/a:1", "crd-rules=off");
  const Called called = call({"validate", "a.yaml"});
  CHECK(called.code == ExitCode::Good);
  CHECK(contains(called.err, "note: check `webhooks` is gone: the API server says the same"));
  CHECK(contains(called.err, "note: check `crd-rules` is gone: the API server says the same"));
}
