#include "spec/machine.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <set>
#include <string>

#include "file_text.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

struct Catalogue {
  Document document;
  MachineCatalogue decoded;
  explicit Catalogue(const std::filesystem::path& path) : document(read_file(path)) {
    Sink sink;
    decoded = decode_machine_catalogue(document.tree(), document.root(), sink);
    CHECK(sink.all().empty());
    CHECK(*decoded.metadata->name == path.stem().string());
  }
};

std::vector<std::unique_ptr<Catalogue>> catalogues() {
  std::vector<std::unique_ptr<Catalogue>> all;
  for (const auto& path : files_below("templates/machines", ".yaml")) {
    INFO(path.filename());
    all.push_back(std::make_unique<Catalogue>(path));
  }
  return all;
}

}  // namespace

TEST_CASE("every machine says what it is and where that is known from") {
  std::size_t count = 0;
  for (const auto& catalogue : catalogues()) {
    CHECK(catalogue->decoded.spec->source.given());
    for (const Located<Machine>& machine : *catalogue->decoded.spec->machines) {
      INFO(*machine->name);
      CHECK(machine->name.given());
      CHECK(machine->gpu->model.given());
      CHECK(*machine->gpu->count >= 1);
      CHECK(*machine->gpu->count <= 16);
      CHECK(machine->gpu->memory.given());
      CHECK(machine->fabric.given());
      CHECK(machine->source->size() > 10);
      // What a reader of this repository cannot open is no source.
      CHECK(machine->source->find(".md") == std::string_view::npos);
      ++count;
    }
  }
  CHECK(count >= 55);
}

TEST_CASE("machine names and aliases are unique over all catalogues") {
  std::set<std::string_view> names;
  const auto all = catalogues();
  for (const auto& catalogue : all) {
    for (const Located<Machine>& machine : *catalogue->decoded.spec->machines) {
      INFO(*machine->name);
      CHECK(names.insert(*machine->name).second);
      for (const Text& alias : *machine->aliases) CHECK(names.insert(*alias).second);
    }
  }
}

TEST_CASE("Grace machines are arm64 with four GPUs in one NVLink domain of 18 nodes") {
  std::size_t count = 0;
  for (const auto& catalogue : catalogues()) {
    for (const Located<Machine>& machine : *catalogue->decoded.spec->machines) {
      INFO(*machine->name);
      const bool grace = machine->gpu->model->starts_with("GB");
      CHECK((*machine->architecture == Architecture::Arm64) == grace);
      CHECK((*machine->fabric == "nvl72") == grace);
      CHECK(machine->underlay.given() == grace);
      if (!grace) continue;
      CHECK(*machine->gpu->count == 4);
      CHECK(*machine->nvlink_nodes == 18);
      ++count;
    }
  }
  CHECK(count >= 10);
}

TEST_CASE("an alias finds its machine") {
  const Catalogue gke(repository() / "templates/machines/gke.yaml");
  const Machine* machine = find_machine(gke.decoded, "a4x-highgpu-4g-nolssd");
  REQUIRE(machine != nullptr);
  CHECK(*machine->name == "a4x-highgpu-4g");
  CHECK(find_machine(gke.decoded, "a3-mega") == nullptr);
  CHECK(find_machine(gke.decoded, "") == nullptr);
}

TEST_CASE("the numbers that jobs depend on are those of the facts") {
  const Catalogue aws(repository() / "templates/machines/aws.yaml");
  const Machine* p5 = find_machine(aws.decoded, "p5.48xlarge");
  REQUIRE(p5 != nullptr);
  CHECK(**find(*p5->resources, "vpc.amazonaws.com/efa") == 32);
  CHECK(*p5->allocatable->memory == "1938410Mi");
  const Catalogue gke(repository() / "templates/machines/gke.yaml");
  const Machine* mega = find_machine(gke.decoded, "a3-megagpu-8g");
  REQUIRE(mega != nullptr);
  CHECK(*mega->fabric == "gke-tcpxo");
  CHECK(*mega->nics == 8);
  CHECK(**find(*mega->node_selector, "cloud.google.com/gke-accelerator") ==
        "nvidia-h100-mega-80gb");
}
