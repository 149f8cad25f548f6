// Whatever is asked for and however it is written, no output of the program has a secret.

#include <catch2/catch_test_macros.hpp>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

// Made up, in the formats of their issuers.
const std::string kToken = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
const std::string kKey = "nvapi-0123456789abcdefghijklmnopqrstuvwxyz0123456789";
const std::string kPassword = "hunter2-Trombone7";
const std::string kPrivate = "MIIEowIBAAKCAQEAx8s3Zl";
const std::vector<std::string> kSecrets = {kToken, kKey, kPassword, kPrivate};

const std::vector<std::string> kFormats = {"text", "json", "sarif", "junit", "github", "gitlab"};

std::string spec(const std::string& fields) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n"
         "  image: registry.example.com/a:1\n" +
         fields;
}

const std::string kRun = "  run: {command: [./train]}\n";

/// A secret in each place where people put one.
const std::vector<std::string> kSpecs = {
    spec(kRun + "  env: {ANY: " + kToken + "}\n"),
    spec(kRun + "  env: {DB_PASSWORD: " + kPassword + "}\n"),
    spec("  run: {command: [./train, '--key=" + kKey + "']}\n"),
    spec("  run: {command: [./train], args: [--password, " + kPassword + "]}\n"),
    spec("  run: {shell: 'export API_TOKEN=" + kPassword + "; ./train'}\n"),
    spec("  run: {command: [./train], before: ['wget https://me:" + kPassword +
         "@example.com/a']}\n"),
    spec("  run: {command: [./train], packages: [a], pip: {indexUrls: ['https://me:" + kPassword +
         "@example.com']}}\n"),
    spec(kRun + "  files: {items: [{path: a.sh, content: 'KEY=" + kKey + "'}]}\n"),
    spec(kRun + "  files: {items: [{from: staged.pem}]}\n"),
    spec(kRun + "  pod: {spec: {containers: [{name: main, env: [{name: API_KEY, value: " +
         kPassword + "}]}]}}\n"),
    spec(kRun + "  pod: {metadata: {annotations: {a: " + kToken + "}}}\n"),
    spec(kRun + "  patches: [{kind: Job, patch: {metadata: {annotations: {a: " + kToken +
         "}}}}]\n"),
    spec(kRun + "  roles: {worker: {env: {X: " + kKey + "}}}\n"),
    spec(kRun + "  storage: {a: {mountPath: /a, nfs: {server: a, path: '/" + kToken + "'}}}\n"),
    // Something else is wrong on the same line.
    spec("  run: {command: [./train], args: ['--token=" + kKey + "'], nodes: 3}\n"),
    spec(kRun + "  env: {ANY: " + kToken + ", ANY: b}\n"),
    spec(kRun + "  nodes: " + kToken + "\n"),
    spec(kRun + "  " + kToken + ": 3\n"),
    spec(kRun + "  env: {ANY: \"" + kToken + "\n"),
};

std::string job(const std::string& fields) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n"
         "      restartPolicy: Never\n      containers:\n      - name: a\n        image: a:1\n" +
         fields;
}

const std::vector<std::string> kManifests = {
    job("        env: [{name: API_KEY, value: " + kPassword + "}]\n"),
    job("        env: [{name: A, value: " + kToken + "}]\n"),
    job("        command: [./train, --token, " + kPassword + "]\n"),
    job("        args: ['--key=" + kKey + "', 3]\n"),
    job("        workingDir: " + kToken + "\n        ports: 3\n"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: token " + kToken + "\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  any: " + kPassword + "\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: a, lables: {}}\nstringData: {x: " + kPassword +
        "}\n",
};

void check_hidden(const Called& called) {
  for (const std::string& secret : kSecrets) {
    CHECK_FALSE(contains(called.out, secret));
    CHECK_FALSE(contains(called.err, secret));
  }
}

Caller with(const std::string& text) {
  Caller call;
  call.files.files["a.yaml"] = text;
  call.files.files["staged.pem"] =
      "-----BEGIN RSA PRIVATE KEY-----\n" + kPrivate + "\n-----END RSA PRIVATE KEY-----\n";
  return call;
}

}  // namespace

TEST_CASE("a spec with a secret is refused, and no form of output shows it") {
  for (const std::string& text : kSpecs) {
    INFO(text);
    for (const std::string& format : kFormats) {
      Caller call = with(text);
      const Called called = call({"build", "a.yaml", "-o", "out", "--output", format});
      CHECK(called.code == ExitCode::InputWrong);
      check_hidden(called);
    }
    Caller call = with(text);
    check_hidden(call({"explain", "pod", "a.yaml"}));
    check_hidden(call({"explain", "pod", "a.yaml", "--output", "json"}));
    check_hidden(call({"validate", "a.yaml"}));
  }
}

TEST_CASE("a build that fails for a secret writes nothing of it") {
  for (const std::string& text : kSpecs) {
    INFO(text);
    Caller call = with(text);
    check_hidden(call({"build", "a.yaml", "-o", "out", "--provenance"}));
    for (const auto& [path, bytes] : call.files.files) {
      if (path == "a.yaml" || path == "staged.pem") continue;
      INFO(path);
      for (const std::string& secret : kSecrets) CHECK_FALSE(contains(bytes, secret));
    }
  }
}

TEST_CASE("a manifest with a secret is reported, and no form of output shows it") {
  for (const std::string& text : kManifests) {
    INFO(text);
    for (const std::string& format : kFormats) {
      Caller call = with(text);
      const Called called = call({"validate", "a.yaml", "--output", format, "--strict"});
      CHECK(called.code == ExitCode::InputWrong);
      check_hidden(called);
    }
    Caller call = with(text);
    check_hidden(call({"explain", "pod", "a.yaml"}));
    check_hidden(call({"explain", "pod", "a.yaml", "--output", "json"}));
  }
}

TEST_CASE("a spec that is converted from a manifest with a secret does not hold it") {
  for (const std::string& text : kManifests) {
    INFO(text);
    for (const std::string& format : kFormats) {
      Caller call = with(text);
      check_hidden(call({"convert", "a.yaml", "-o", "spec.yaml", "--output", format}));
      for (const std::string& secret : kSecrets) {
        CHECK_FALSE(contains(call.files.files["spec.yaml"], secret));
      }
    }
  }
  Caller call =
      with(job("        command: [./train, --api-token, " + kPassword + ", --key=" + kKey + "]\n"));
  const Called called = call({"convert", "a.yaml"});
  CHECK(contains(called.out, "- $(API_TOKEN)\n"));
  CHECK(contains(called.out, "- --key=$(KEY)\n"));
  CHECK(contains(called.err, "name that in `secretEnv` as `API_TOKEN`"));
}
