#include "driver/explain/find_kind.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

namespace {

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};

  std::string found(std::string_view name) {
    const KindChoice choice = find_kind(session, name);
    return choice.kind == nullptr ? "error: " + choice.error
                                  : full_name(*choice.pack, *choice.kind);
  }
};

}  // namespace

TEST_CASE("of several kinds with one name ours comes first, then that of Kubernetes") {
  World world;
  CHECK(world.found("TrainingJob") == "trainyard/v1alpha1/TrainingJob");
  CHECK(world.found("Cluster") == "trainyard/v1alpha1/Cluster");
  CHECK(world.found("Job") == "batch/v1/Job");
  CHECK(world.found("Pod") == "v1/Pod");
  CHECK(!find_kind(world.session, "Job").others.empty());
  CHECK(find_kind(world.session, "Pod").others.empty());
}

TEST_CASE("of several versions the newest stable one counts") {
  World world;
  CHECK(world.found("ClusterQueue") == "kueue.x-k8s.io/v1beta2/ClusterQueue");
  CHECK(world.found("MPIJob") == "kubeflow.org/v1/MPIJob");  // before v2beta1
}

TEST_CASE("a kind is found in full, and what is not there is guessed") {
  World world;
  CHECK(world.found("batch/v1/Job") == "batch/v1/Job");
  CHECK(world.found("v1/Pod") == "v1/Pod");
  CHECK(world.found("core/v1/Pod") == "v1/Pod");
  CHECK(world.found("pod") == "error: no schema describes the kind `pod`: did you mean `Pod`?");
  CHECK(world.found("batch/v9/Jo").starts_with("error: "));
  CHECK(world.found("").starts_with("error: "));
}
