// docs/recipes.md: each recipe is short, what it says came out comes out, and it says what one had
// to know otherwise.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "driver/build/build.h"
#include "file_text.h"
#include "folders.h"
#include "source/file_system.h"

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

struct Recipe {
  std::string spec;
  std::string cluster;
  std::size_t lines = 0;   // as the page has it
  std::size_t points = 0;  // of what one would have had to know
};

std::vector<Recipe> recipes() {
  constexpr std::string_view kMark = "<!-- lines: build ";
  std::vector<Recipe> found;
  std::istringstream page(read_file(repository() / "docs/recipes.md"));
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("* ") && !found.empty()) ++found.back().points;
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    std::istringstream words(line.substr(at + kMark.size()));
    Recipe recipe;
    std::string option;
    std::string rest;
    words >> recipe.spec >> option >> recipe.cluster >> rest;
    CHECK(option == "--cluster");
    recipe.lines = std::stoul(rest.substr(rest.find('>') + 1));
    found.push_back(recipe);
  }
  return found;
}

std::string built(const Recipe& recipe) {
  MemoryFileSystem disk;
  for (const std::string& path : {recipe.spec, recipe.cluster})
    disk.files[path] = read_file(repository() / path);
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.inputs = {recipe.spec};
  request.cluster = recipe.cluster;
  const BuildResult result = build(session, request);
  CHECK(session.sink.error_count() == 0);
  return result.stream.whole();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a recipe is a spec of at most thirty lines, and as many come out as it says") {
  const auto all = recipes();
  REQUIRE(all.size() == 3);
  for (const Recipe& recipe : all) {
    INFO(recipe.spec);
    CHECK(lines_of(read_file(repository() / recipe.spec)) <= 30);
    CHECK(lines_of(built(recipe)) == recipe.lines);
    CHECK(recipe.points >= 5);
  }
}

TEST_CASE("the recipes make the jobs that their headings name") {
  const auto all = recipes();
  REQUIRE(all.size() == 3);
  const std::string nemo = built(all[0]);
  CHECK(has(nemo, "kind: TrainJob\n"));
  CHECK(has(nemo, "numNodes: 32\n"));
  CHECK(has(nemo, "kueue.x-k8s.io/queue-name: research\n"));
  CHECK(
      has(nemo, "kueue.x-k8s.io/podset-required-topology: cloud.google.com/gce-topology-block\n"));
  CHECK(has(nemo, "tcpgpudmarxd-dev:v1.0.21\n"));
  CHECK(has(nemo, ". /usr/local/nvidia/lib64/nccl-env-profile.sh\n"));
  const std::string megatron = built(all[1]);
  CHECK(has(megatron, "kind: PyTorchJob\n"));
  CHECK(has(megatron, "replicas: 16\n"));
  CHECK(has(megatron, "vpc.amazonaws.com/efa: \"32\"\n"));
  const std::string superpod = built(all[2]);
  CHECK(has(superpod, "kind: DistributedWorkload\n"));
  CHECK(has(superpod, "workers:\n    value: 7\n"));
  CHECK(has(superpod, "rdma/rdma_shared_device_a:\n        value: \"1\"\n"));
}
