// What lints know of machines by their labels is what the catalogue has.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/session/session.h"
#include "manifest/fabric_features.h"
#include "source/file_system.h"

using namespace trainyard;

namespace {

/// Labels that name a machine, and no more than one with a fabric of its own.
bool names_machine(std::string_view label) {
  return label == "node.kubernetes.io/instance-type" || label == "node.coreweave.cloud/type" ||
         label == "cloud.google.com/gke-accelerator";
}

}  // namespace

TEST_CASE("lints know the fabric of each machine whose label names it") {
  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  std::size_t known = 0;
  for (const std::string& name : session.machines.names()) {
    const Machine& machine = *session.machines.find(name);
    if (*machine.fabric == "none") continue;
    for (const auto& label : *machine.node_selector) {
      // Four sizes of machines have this one; only the whole one has networks.
      const bool ambiguous = *label.value == "nvidia-h100-80gb";
      // A single GPU is a whole node, whose pods need no others.
      const bool alone = *machine.gpu->count == 1;
      if (!names_machine(label.key) || ambiguous || alone) continue;
      INFO(name << " by " << *label.value);
      const MachineFabric* found = machine_with_fabric(*label.value);
      REQUIRE(found != nullptr);
      ++known;
      CHECK(found->whole == *machine.gpu->count);
      CHECK(found->arm ==
            (machine.architecture.value_or(Architecture::Amd64) == Architecture::Arm64));
      const std::string_view fabric = machine.underlay ? *machine.underlay : *machine.fabric;
      const bool is_gke = fabric.starts_with("gke-");
      CHECK(words_of(found->fabric).on_gke == is_gke);
      CHECK((found->fabric == NodeFabric::Efa) == (fabric == "aws-efa"));
      // Of the one with Grace CPUs sources say different numbers.
      if (found->fabric == NodeFabric::Efa && !found->arm) {
        const auto* devices = find(*machine.resources, "vpc.amazonaws.com/efa");
        REQUIRE(devices != nullptr);
        CHECK(found->efa == **devices);
      } else {
        CHECK(found->efa == 0);
      }
      // Where devices come by claims, there are no networks to be on.
      const bool by_claims = !machine.claims->empty();
      CHECK(found->nics == (is_gke && !by_claims ? machine.nics.value_or(0) : 0));
    }
  }
  CHECK(known > 30);
}

TEST_CASE("lints know the daemon of each release of GPUDirect-TCPXO that builds know") {
  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  const Fabric* fabric = session.fabrics.find("gke-tcpxo");
  REQUIRE(fabric != nullptr);
  const auto& known = *fabric->spec->versions->known;
  CHECK(known.size() >= 14);
  for (const auto& row : known) {
    INFO(*row->version);
    CHECK(tcpxo_daemon_for(*row->version) == *row->sidecar_tag);
  }
  CHECK(tcpxo_daemon_for("v9.9.9").empty());
}
