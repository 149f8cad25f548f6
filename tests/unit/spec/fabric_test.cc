#include "spec/fabric.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "file_text.h"
#include "spec/machine.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

struct File {
  Document document;
  Fabric fabric;
  explicit File(const std::filesystem::path& path) : document(read_file(path)) {
    Sink sink;
    fabric = decode_fabric(document.tree(), document.root(), sink);
    CHECK(sink.all().empty());
    CHECK(*fabric.metadata->name == path.stem().string());
  }
};

std::vector<std::unique_ptr<File>> fabrics() {
  std::vector<std::unique_ptr<File>> all;
  for (const auto& path : files_below("templates/fabrics", ".yaml")) {
    INFO(path.filename());
    all.push_back(std::make_unique<File>(path));
  }
  return all;
}

/// Numbers, and images, which are not below a map that says where it is from.
void without_source(const Tree& tree, NodeId node, bool sourced, std::string& found) {
  if (tree[node].is_map() && tree.find(node, "source") != kNoNode) sourced = true;
  for (NodeId child : tree.children(node)) {
    const Node& value = tree[child];
    const bool number = value.kind == Kind::Int || value.kind == Kind::Float;
    if ((number || value.key == "image" || value.key == "sidecarTag") && !sourced) {
      found += std::string(value.key) + ": " + std::string(value.text) + "\n";
    }
    without_source(tree, child, sourced, found);
  }
}

/// As above, where the source of the whole file does not count.
std::string without_source(const File& file) {
  const Tree& tree = file.document.tree();
  std::string found;
  const NodeId spec = tree.find(tree.root(), "spec");
  for (NodeId part : tree.children(spec)) without_source(tree, part, false, found);
  return found;
}

const Fabric* find_fabric(const std::vector<std::unique_ptr<File>>& all, std::string_view name) {
  for (const auto& file : all) {
    if (*file->fabric.metadata->name == name) return &file->fabric;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("every number and image of a fabric says where it is known from") {
  const auto all = fabrics();
  CHECK(all.size() >= 8);
  for (const auto& file : all) {
    INFO(*file->fabric.metadata->name);
    CHECK(without_source(*file) == "");
    for (const auto& profile : *file->fabric.spec->profiles) {
      CHECK(profile->source->size() > 10);
      // What a reader of this repository cannot open is no source.
      CHECK(profile->source->find(".md") == std::string_view::npos);
    }
  }
}

TEST_CASE("a number without a source is found") {
  const Document bare(
      "kind: Fabric\nmetadata: {name: x}\n"
      "spec: {source: us, needs: {gpus: 8}, profiles: [{name: a, sidecar: {image: b}}]}\n");
  std::string found;
  const Tree& tree = bare.tree();
  for (NodeId part : tree.children(tree.find(tree.root(), "spec"))) {
    without_source(tree, part, false, found);
  }
  CHECK(found == "gpus: 8\nimage: b\n");
}

TEST_CASE("a profile mounts only volumes that it brings along") {
  for (const auto& file : fabrics()) {
    const Tree& tree = file->document.tree();
    for (const auto& profile : *file->fabric.spec->profiles) {
      INFO(*file->fabric.metadata->name << " " << *profile->name);
      std::set<std::string_view> volumes;
      for (NodeId volume : tree.children(profile->volumes.node)) {
        CHECK(volumes.insert(View(tree, volume)["name"].text()).second);
      }
      for (const Shape& mounts : {profile->mounts, profile->sidecar->mounts}) {
        for (NodeId mount : tree.children(mounts.node)) {
          CHECK(volumes.contains(View(tree, mount)["name"].text()));
        }
      }
    }
  }
}

TEST_CASE("libraries of the node are mounted as their path on the node is called") {
  std::size_t seen = 0;
  for (const auto& file : fabrics()) {
    const Tree& tree = file->document.tree();
    for (const auto& profile : *file->fabric.spec->profiles) {
      for (NodeId volume : tree.children(profile->volumes.node)) {
        const std::string_view path = View(tree, volume)["hostPath"]["path"].text();
        if (!path.starts_with("/home/kubernetes/bin/nvidia")) continue;
        for (const Shape& mounts : {profile->mounts, profile->sidecar->mounts}) {
          for (NodeId mount : tree.children(mounts.node)) {
            const View at(tree, mount);
            if (at["name"].text() != View(tree, volume)["name"].text()) continue;
            INFO(*file->fabric.metadata->name);
            CHECK(at["mountPath"].text().ends_with("/lib64") == path.ends_with("/lib64"));
            ++seen;
          }
        }
      }
    }
  }
  CHECK(seen >= 8);
}

TEST_CASE("the versions of TCPXO pair each plugin with its daemon") {
  const auto all = fabrics();
  const Fabric* tcpxo = find_fabric(all, "gke-tcpxo");
  REQUIRE(tcpxo != nullptr);
  const auto& known = *tcpxo->spec->versions->known;
  CHECK(known.size() == 14);
  const auto daemon_of = [&](std::string_view version) {
    const auto found =
        std::ranges::find_if(known, [&](const auto& row) { return *row->version == version; });
    return found == known.end() ? std::string_view() : *(*found)->sidecar_tag;
  };
  CHECK(daemon_of("v1.0.0") == "v1.0.6-sctp");
  CHECK(daemon_of("v1.0.7") == "v1.0.13_1");
  CHECK(daemon_of("v1.0.8-1") == "v1.0.14");
  CHECK(daemon_of("v1.0.14") == "v1.0.20");
  CHECK(*known.back()->version == "v1.0.15");
  CHECK(*known.back()->sidecar_tag == "v1.0.21");
}

TEST_CASE("every fabric of a machine is there, and has a profile for it") {
  const auto all = fabrics();
  std::size_t seen = 0;
  for (const auto& path : files_below("templates/machines", ".yaml")) {
    const Document document(read_file(path));
    Sink sink;
    const MachineCatalogue catalogue =
        decode_machine_catalogue(document.tree(), document.root(), sink);
    for (const auto& machine : *catalogue.spec->machines) {
      for (const Text& name : {machine->fabric, machine->underlay}) {
        if (!name || *name == "none") continue;
        INFO(*machine->name << " " << *name);
        const Fabric* fabric = find_fabric(all, *name);
        REQUIRE(fabric != nullptr);
        const auto& profiles = *fabric->spec->profiles;
        CHECK(std::ranges::any_of(profiles, [&](const auto& profile) {
          return profile->machines->empty() ||
                 std::ranges::any_of(*profile->machines,
                                     [&](const Text& known) { return *known == *machine->name; });
        }));
        ++seen;
      }
    }
  }
  CHECK(seen > 50);
}

TEST_CASE("machines that a fabric names are in the catalogue") {
  std::set<std::string, std::less<>> machines;
  for (const auto& path : files_below("templates/machines", ".yaml")) {
    const Document document(read_file(path));
    Sink sink;
    const MachineCatalogue catalogue =
        decode_machine_catalogue(document.tree(), document.root(), sink);
    for (const auto& machine : *catalogue.spec->machines) machines.emplace(*machine->name);
  }
  for (const auto& file : fabrics()) {
    for (const auto& profile : *file->fabric.spec->profiles) {
      for (const Text& name : *profile->machines) {
        INFO(*file->fabric.metadata->name << " " << *name);
        CHECK(machines.contains(*name));
      }
    }
  }
}
