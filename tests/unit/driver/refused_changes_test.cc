// What becomes of a changed spec while its job is there: the checks and the table of kinds agree.
#include "driver/build/refused_changes.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// What is reported of an image that changes, for a job of the target.
std::string told(const std::string& target, const std::string& framework) {
  const auto text = [&](const std::string& tag) {
    const Built built = build_files(
        {{"job.yaml",
          "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: llama, namespace: "
          "nlp}\nspec: {target: " +
              target + ", framework: " + framework + ", image: 'registry.example.com/a:" + tag +
              "', run: " +
              (framework == "paddle" ? "{module: paddle.distributed.launch, args: [/opt/train.py]}"
                                     : "{script: /opt/train.py}") +
              ", nodes: 2, gpusPerNode: 8, security: {runAsUser: "
              "1000}}\n"}},
        {"job.yaml"});
    for (const Diagnostic& each : built.reports) UNSCOPED_INFO(each.message);
    REQUIRE(built.errors == 0);
    return built.text;
  };
  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  std::string all;
  const std::string before = text("1");
  for (const RefusedChange& each : refused_changes(session, before, text("2")))
    all += each.what + "\n";
  CHECK(refused_changes(session, before, before).empty());
  return all;
}

}  // namespace

TEST_CASE("a new image of a job that is there is refused, or leaves its pods as they are") {
  struct Case {
    const char* target;
    const char* framework;
    const char* words;
  };
  constexpr const char* kRefused = "the API server refuses this while it is there: ";
  constexpr const char* kIgnored = "pods that run stay as they are, and those made later differ: ";
  constexpr Case kCases[] = {
      {"job", "pytorch", kRefused},        {"jobset", "pytorch", kRefused},
      {"trainjob", "pytorch", kRefused},   {"volcano", "pytorch", kRefused},
      {"pytorchjob", "pytorch", kIgnored}, {"tfjob", "tensorflow", kIgnored},
      {"xgboostjob", "xgboost", kIgnored}, {"paddlejob", "paddle", kIgnored},
      {"jaxjob", "jax", kIgnored},         {"mpijob", "mpi", kIgnored},
      {"rayjob", "ray", kIgnored},         {"lws", "pytorch", kIgnored},
  };
  for (const Case& each : kCases) {
    INFO(each.target);
    const std::string found = told(each.target, each.framework);
    INFO(found);
    CHECK(found.starts_with(each.words));
    // A TrainJob names a runtime with the image.
    CHECK((found.find("image") != std::string::npos ||
           found.find("runtimeRef") != std::string::npos));
  }
}
