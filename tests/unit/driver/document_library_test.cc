// Fabrics and transfers of the program fit their schema; those of users are held against it.
#include "driver/session/document_library.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/session/session.h"
#include "source/file_system.h"
#include "spec/known_images.h"

using namespace trainyard;

namespace {

struct Templates {
  MemoryFileSystem disk;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session{env};

  explicit Templates(const std::string& fabric = "") {
    if (fabric.empty()) return;
    disk.files["mine/fabrics/acme.yaml"] = fabric;
    session.templates.add_directory("mine", env, session.sink);
  }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& each : session.sink.sorted()) all += each.message + "\n";
    return all;
  }
};

const std::string kSound =
    "apiVersion: trainyard/v1alpha1\nkind: Fabric\nmetadata: {name: acme}\n"
    "spec: {summary: ours, source: us, profiles: [{name: a, source: us}]}\n";

}  // namespace

TEST_CASE("the fabrics of the program fit their schema") {
  Templates templates;
  Session& session = templates.session;
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Fabric");
  REQUIRE(kind != nullptr);
  const auto names = session.fabrics.names();
  CHECK(names.size() >= 8);
  for (const std::string& name : names) {
    const Fabric* fabric = session.fabrics.find(name);
    REQUIRE(fabric != nullptr);
    const Tree* tree = session.fabrics.tree(fabric->spec.span.file);
    REQUIRE(tree != nullptr);
    report(session.checker.check(kind->schema, *tree, tree->root()), *tree, {}, session.sink);
  }
  CHECK(templates.messages() == "");
}

TEST_CASE("a fabric of --templates is found beside those of the program") {
  Templates templates(kSound);
  REQUIRE(templates.session.fabrics.find("acme") != nullptr);
  CHECK(templates.session.fabrics.find("gke-tcpxo") != nullptr);
  CHECK(templates.session.fabrics.find("nothing") == nullptr);
  CHECK(templates.messages() == "");
}

TEST_CASE("a fabric of --templates takes the place of one of the same name") {
  Templates templates;
  std::string own = kSound;
  own.replace(own.find("acme"), 4, "tcp");
  templates.disk.files["mine/fabrics/tcp.yaml"] = own;
  templates.session.templates.add_directory("mine", templates.env, templates.session.sink);
  REQUIRE(templates.session.fabrics.find("tcp") != nullptr);
  CHECK(*templates.session.fabrics.find("tcp")->spec->summary == "ours");
}

TEST_CASE("a fabric of --templates that does not fit its schema is none, and says why") {
  std::string wrong = kSound;
  wrong.replace(wrong.find("summary"), 7, "sumary_");
  Templates templates(wrong);
  CHECK(templates.session.fabrics.find("acme") == nullptr);
  CHECK(templates.session.sink.has_errors());
  // It is read once, and stays unusable.
  CHECK(templates.session.fabrics.find("acme") == nullptr);
}

TEST_CASE("a fabric is called as its file is") {
  std::string wrong = kSound;
  wrong.replace(wrong.find("acme"), 4, "acne");
  Templates templates(wrong);
  CHECK(templates.session.fabrics.find("acme") == nullptr);
  CHECK(templates.messages() == "`name` must be `acme`, as the file is called\n");
}

TEST_CASE("the images of the program fit their schema") {
  Templates templates;
  Session& session = templates.session;
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "ImageCatalogue");
  REQUIRE(kind != nullptr);
  const Tree& tree = image_catalogue();
  REQUIRE(tree.children(View(tree, tree.root())["spec"]["images"].id()).begin() !=
          tree.children(View(tree, tree.root())["spec"]["images"].id()).end());
  report(session.checker.check(kind->schema, tree, tree.root()), tree, {}, session.sink);
  CHECK(templates.messages() == "");
}

TEST_CASE("the transfers of the program fit their schema, and say what a container needs") {
  Templates templates;
  Session& session = templates.session;
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Transfer");
  REQUIRE(kind != nullptr);
  const auto names = session.transfers.names();
  CHECK(names == std::vector<std::string>{"hf", "ngc", "s3"});
  for (const std::string& name : names) {
    const Transfer* transfer = session.transfers.find(name);
    REQUIRE(transfer != nullptr);
    const Tree* tree = session.transfers.tree(transfer->spec.span.file);
    REQUIRE(tree != nullptr);
    report(session.checker.check(kind->schema, *tree, tree->root()), *tree, {}, session.sink);
    CHECK(transfer->spec->cpu);
    CHECK(transfer->spec->memory);
    CHECK(transfer->spec->user);
  }
  CHECK(templates.messages() == "");
}
