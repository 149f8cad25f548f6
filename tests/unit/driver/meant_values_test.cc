// What the author of a spec very likely meant, and no guess where that is not clear.

#include "driver/session/meant_values.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard;

namespace {

/// The text that is offered for the first thing that is wrong; "" for none.
std::string offered(const std::string& fields) {
  const std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n"
      "  image: r.io/a:1\n" +
      fields + "\n";
  for (const Diagnostic& each : testing::build_files({{"a.yaml", spec}}, {"a.yaml"}).reports) {
    if (each.severity == Severity::Error) {
      return each.fixes.empty() ? "" : each.fixes.front().replacement;
    }
  }
  return "no error";
}

}  // namespace

TEST_CASE("a line in place of `run` becomes its script, its module or a shell's script") {
  CHECK(offered("  run: python train.py") == "{script: train.py}");
  CHECK(offered("  run: python3 -m my.train --lr 0.1") ==
        "{module: my.train, args: [\"--lr\", \"0.1\"]}");
  CHECK(offered("  run: ./train.sh | tee log") == "{shell: \"./train.sh | tee log\"}");
  CHECK(offered("  run: torchrun train.py") == "{shell: \"torchrun train.py\"}");
  CHECK(offered("  run: ''") == "{shell: \"\"}");
}

TEST_CASE("variables and volumes in the shape of Kubernetes become maps") {
  CHECK(offered("  env: [{name: A, value: 'x y'}, {name: B, value: 3}]") == "{A: \"x y\", B: 3}");
  CHECK(offered("  env: [{name: 'yes', value: a}]") == "{\"yes\": a}");
  CHECK(offered("  env: [A=b, C=1]") == "{A: b, C: \"1\"}");
  CHECK(offered("  storage: [{name: d, claim: c, mountPath: /a}]") ==
        "{d: {claim: c, mountPath: /a}}");
}

TEST_CASE("names of files and a path become what holds them") {
  CHECK(offered("  files: [train.py]") == "{items: [{from: train.py}]}");
  CHECK(offered("  files: [{from: train.py}, b.py]") ==
        "{items: [{from: train.py}, {from: b.py}]}");
  CHECK(offered("  lifecycle: {checkpoint: /ckpt}") == "{path: /ckpt}");
}

TEST_CASE("a variable with a source of Kubernetes gets a note on `secretEnv`") {
  const std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n"
      "  image: r.io/a:1\n"
      "  env: {HF_TOKEN: {valueFrom: {secretKeyRef: {name: hf, key: token}}}}\n";
  const auto built = testing::build_files({{"a.yaml", spec}}, {"a.yaml"});
  REQUIRE(!built.reports.empty());
  REQUIRE(!built.reports.front().notes.empty());
  CHECK(built.reports.front().notes.back().find("`{HF_TOKEN: {name: hf, key: token}}`") !=
        std::string::npos);
}

TEST_CASE("what cannot be put into our shape gets no guess") {
  CHECK(offered("  env: [{name: A, valueFrom: {fieldRef: {fieldPath: a}}}]").empty());
  CHECK(offered("  env: [A]").empty());
  CHECK(offered("  storage: [/data]").empty());
  CHECK(offered("  storage: [{mountPath: /data}]").empty());
  CHECK(offered("  lifecycle: {deadline: soon}").empty());
  CHECK(offered("  lifecycle: {deadline: 3 fortnights}").empty());
  CHECK(offered("  lifecycle: {deadline: 99999999999999999999 weeks}").empty());
  CHECK(offered("  framework: sklearn").empty());
}

TEST_CASE("amounts in words become amounts") {
  CHECK(offered("  lifecycle: {deadline: 3 days}") == "3d");
  CHECK(offered("  lifecycle: {deadline: 1 Week}") == "7d");
  CHECK(offered("  lifecycle: {deadline: 1 hour 30 minutes}") == "1h30m");
  CHECK(offered("  resources: {cpu: 64 cores}") == "64");
}

TEST_CASE("addresses of TAO become those of Hugging Face") {
  const auto input = [](const std::string& uri) {
    return "  data: {inputs: [{uri: '" + uri + "', path: /a}]}";
  };
  CHECK(offered(input("hf_model://org/name")) == "\"hf://org/name\"");
  CHECK(offered(input("hf_dataset://org/name")) == "\"hf://datasets/org/name\"");
  CHECK(offered(input("my_store://org/name")).empty());
}

TEST_CASE("a value of another kind becomes that of the field") {
  CHECK(offered("  env: {A: true}") == "\"true\"");
  CHECK(offered("  secretEnv: {T: hugging-face/token}") == "{name: hugging-face, key: token}");
  CHECK(offered("  secretEnv: {T: token}").empty());
  CHECK(offered("  files: [{path: a.py, content: b}]") == "{items: [{path: a.py, content: b}]}");
  CHECK(offered("  data: {inputs: 's3://b/a/'}") == "[{uri: \"s3://b/a/\"}]");
  CHECK(offered("  placement: {tolerations: {key: a, operator: Exists}}") ==
        "[{key: a, operator: Exists}]");
}

TEST_CASE("requirements with a turned sign are turned back") {
  CHECK(offered("  run: {script: a.py, packages: ['torch=>2.1']}") == "\"torch>=2.1\"");
  CHECK(offered("  run: {script: a.py, packages: ['torch=2.1']}") == "\"torch==2.1\"");
}

TEST_CASE("a word of other tools is known with a typing error, too") {
  CHECK(offered("  enviroment: {A: b}") == "env");
  CHECK(offered("  secretEnv: {T: {secret: a, key: b}}") == "name");
}

TEST_CASE("what another tool calls a field goes before what is spelt alike") {
  CHECK(offered("  storage: {d: {create: {storage: 1Ti}, mountPath: /d}}") == "size");
  CHECK(offered("  instance_type: dgx-h100") == "machine");
  CHECK(offered("  partition: h100") == "pool");
  CHECK(offered("  ntasks-per-node: 8") == "processesPerNode");
  CHECK(offered("  runtime_env: {pip: [a]}").empty());
  CHECK(offered("  hyperparameters: {lr: 1}").empty());
}

TEST_CASE("an export of NFS, an empty directory and capabilities become maps") {
  CHECK(offered("  storage: {d: {nfs: 'a.b:/c', mountPath: /d}}") == "{server: a.b, path: \"/c\"}");
  CHECK(offered("  storage: {d: {nfs: a.b, mountPath: /d}}").empty());
  CHECK(offered("  storage: {d: {emptyDir: true, mountPath: /d}}") == "{}");
  CHECK(offered("  storage: {d: {emptyDir: false, mountPath: /d}}").empty());
  CHECK(offered("  security: {capabilities: [IPC_LOCK]}") == "{add: [IPC_LOCK]}");
  CHECK(
      offered("  data: {inputs: [{uri: 'hf://a/b', path: /d, credentials: {name: a, key: b}}]}") ==
      "a");
}
