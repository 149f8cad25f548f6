// What serves a model finds it where the training left it.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// A job with these mounts and this service, compiled into the service.
Built served(const std::string& storage, const std::string& serve,
             const std::string& image = "nim:1.12") {
  return build_files({{"job.yaml",
                       "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\n"
                       "metadata: {name: sft, namespace: lab}\n"
                       "spec:\n  target: nim\n  image: a:1\n  storage: {" +
                           storage + "}\n  serve:\n    {credentials: ngc, image: '" + image +
                           "', " + serve + "}\n"}},
                     {"job.yaml"});
}

bool has(const Built& built, const std::string& text) {
  INFO(built.text);
  return built.errors == 0 && built.text.find(text) != std::string::npos;
}

/// The only error.
std::string error(const Built& built) {
  std::string result;
  for (const Diagnostic& report : built.reports) {
    if (info(report.kind).severity == Severity::Error) result += report.message + "\n";
  }
  return result;
}

}  // namespace

TEST_CASE("the directory of a model is a part of the claim that is mounted above it") {
  const std::string mounts =
      "all: {claim: all, mountPath: /}, out: {claim: out, mountPath: /out/, subPath: runs/7}, "
      "inner: {claim: inner, mountPath: /out/best}";
  CHECK(has(served(mounts, "name: s, model: {path: /out/hf/}"),
            "    pvc:\n      name: out\n      subPath: runs/7/hf\n"));
  CHECK(has(served(mounts, "name: s, model: {path: /out}"),
            "    pvc:\n      name: out\n      subPath: runs/7\n"));
  CHECK(has(served(mounts, "name: s, model: {path: /out/best}"), "    pvc:\n      name: inner\n"));
  CHECK(has(served(mounts, "name: s, model: {path: /models/a}"),
            "    pvc:\n      name: all\n      subPath: models/a\n"));
}

TEST_CASE("a claim that the job makes is named as there") {
  CHECK(has(served("out: {create: {size: 1Gi}, mountPath: /out}", "name: s, model: {path: /out}"),
            "      name: sft-out\n"));
  CHECK(has(served("out: {create: {name: mine, size: 1Gi}, mountPath: /out}",
                   "name: s, model: {path: /out}"),
            "      name: mine\n"));
}

TEST_CASE("a model that goes with the training cannot be served") {
  CHECK(error(served("out: {create: {size: 1Gi, keep: false}, mountPath: /out}",
                     "name: s, model: {path: /out}")) ==
        "the model goes with the training: `out` is not kept\n");
  CHECK(error(served("out: {emptyDir: {}, mountPath: /out}", "name: s, model: {path: /out}")) ==
        "the model goes with the training: `out` is no claim\n");
  CHECK(
      error(served("out: {claim: c, mountPath: /out}", "name: s, model: {path: /output}")) ==
      "`/output` is on no mount of `storage`, so that nothing of it is left after the training\n");
}

TEST_CASE("several pods need a claim for several nodes") {
  const std::string one =
      "out: {create: {size: 1Gi, accessModes: [ReadWriteOnce]}, mountPath: /out}";
  const std::string many =
      "out: {create: {size: 1Gi, accessModes: [ReadOnlyMany]}, mountPath: /out}";
  const std::string model = "name: s, model: {path: /out}";
  CHECK(served(one, model).errors == 0);
  CHECK(served(many, model + ", replicas: 2").errors == 0);
  const std::string wrong =
      "this claim can be mounted on one node only, the service has several pods\n";
  CHECK(error(served(one, model + ", replicas: 2")) == wrong);
  CHECK(error(served(one, model + ", nodesPerReplica: 2")) == wrong);
  CHECK(error(served(one, model + ", autoscale: {maxReplicas: 2}")) == wrong);
  CHECK(error(served("", "name: s, replicas: 2, cache: {size: 1Gi, accessMode: ReadWriteOnce}")) ==
        wrong);
}

TEST_CASE("the name of a service leaves room for the names that are made of it") {
  const std::string longest(46, 'a');
  const std::string cache = ", cache: {size: 1Gi}";
  CHECK(has(served("", "name: " + longest + cache), "  name: " + longest + "\n"));
  CHECK(served("", "name: " + longest + "a" + cache).errors > 0);
  CHECK(error(served("", "name: sft" + cache)) ==
        "the service and the training are both called `sft`\n");
}

TEST_CASE("an image has a tag or a digest") {
  const std::string serve = "name: s, cache: {size: 1Gi}";
  CHECK(has(served("", serve, "r:5000/a:1.10"), "repository: r:5000/a\n    tag: \"1.10\"\n"));
  CHECK(has(served("", serve, "a:1@sha256:af"), "repository: a:1@sha256\n    tag: af\n"));
  CHECK(served("", serve, "r:5000/a").errors > 0);
  CHECK(served("", serve, "a").errors > 0);
}

TEST_CASE("what the spec says of a variable of the service counts") {
  const Built built = served("out: {claim: c, mountPath: /out}",
                             "name: s, model: {path: /out}, env: {NIM_SERVED_MODEL_NAME: mine}");
  CHECK(has(built, "- name: NIM_SERVED_MODEL_NAME\n    value: mine\n"));
  CHECK(has(built, "- name: NIM_MODEL_NAME\n    value: /model-store\n"));
}

TEST_CASE("a tag below 2 is started by mpirun, any other by Ray") {
  const std::string serve = "name: s, nodesPerReplica: 2, cache: {size: 1Gi}";
  const std::string mpi = "    mpi:\n      mpiStartTimeout: 300\n";
  const std::string ray = "    ray:\n      rayPort: 6379\n";
  CHECK(has(served("", serve), mpi));
  CHECK(has(served("", serve, "nim:2.0.10"), ray));
  CHECK(has(served("", serve, "nim:10.1"), ray));
  CHECK(has(served("", serve, "nim:latest"), ray));
}
