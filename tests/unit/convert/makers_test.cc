// How other tools write a job: by a task for each pod, or in a shell that exports what a build
// sets.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "convert/numbered_tasks.h"
#include "convert/tao_shell.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

bool numbered(const std::string& tasks) {
  SourceMap sources;
  Sink sink;
  const auto trees = read_yaml(sources, sources.add("spec.yaml", "tasks: [" + tasks + "]"), sink);
  return are_numbered_tasks(View(trees.at(0), trees.at(0).root()));
}

std::string task(const std::string& name, const std::string& rest = "") {
  return "{name: " + name + ", replicas: 1, template: {spec: {containers: [{name: " + name +
         ", image: a" + rest + "}]}}}";
}

}  // namespace

TEST_CASE("tasks that differ in their number alone are numbered") {
  CHECK(numbered(task("a-0") + "," + task("a-1")));
  CHECK_FALSE(numbered(task("a-0")));
  CHECK_FALSE(numbered(task("a-0") + "," + task("a-2")));
  CHECK_FALSE(numbered(task("a-0") + "," + task("b-1")));
  CHECK_FALSE(numbered(task("ps") + "," + task("worker")));
  CHECK_FALSE(numbered(task("a-0") + "," + task("a-1", ", command: [x]")));
  CHECK(numbered(task("a-0", ", env: [{name: TORCHX_RANK0_HOST, value: localhost}, {name: A}]") +
                 "," + task("a-1", ", env: [{name: A}]")));
}

TEST_CASE("the host of rank 0 stands for the variable that names it") {
  CHECK(with_rank_zero("a ${TORCHX_RANK0_HOST:=localhost}:1 b", "h") == "a h:1 b");
  CHECK(with_rank_zero("${VC_RUN_0_HOSTS:=localhost}", "h") == "h");
  CHECK(with_rank_zero("${OTHER:=localhost} ${A} $B", "h") == "${OTHER:=localhost} ${A} $B");
  CHECK(with_rank_zero("${VC_RUN_0_HOSTS", "h") == "${VC_RUN_0_HOSTS");
}

TEST_CASE("a shell of the TAO SDK is its exports and a program") {
  const std::string exports =
      "set -euo pipefail\nexport WORLD_SIZE=2\nexport NUM_GPU_PER_NODE=4\n\n";
  const auto shell = read_tao_shell(exports + "dino train\n");
  REQUIRE(shell.has_value());
  CHECK(shell->exports.size() == 2);
  CHECK(shell->program == "dino train");
  CHECK(read_tao_shell(exports + "export MINE=1\ndino train")->program ==
        "export MINE=1\ndino train");
  CHECK_FALSE(read_tao_shell(exports).has_value());
  CHECK_FALSE(read_tao_shell("export WORLD_SIZE=2\ndino train").has_value());
}
