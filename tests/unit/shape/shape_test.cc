// The file of shapes, and what is made of it.
#include "shape/shape.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shape/shape_file.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The shapes of a text.
struct Read {
  explicit Read(const std::string& text)
      : trees(read_yaml(sources, sources.add("shapes.yaml", text), sink)), shapes(trees.at(0)) {}
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
  Shapes shapes;
};

}  // namespace

TEST_CASE("a name that no shape has is a fault of the file, and so is a part that is missing") {
  const Read wrong("kinds: [{group: a, kind: B, spec: None}]\nshapes: {C: [{d: Nothing}]}\n");
  REQUIRE(wrong.shapes.faults().size() == 2);
  CHECK(wrong.shapes.faults()[0].find("`Nothing`") != std::string::npos);
  CHECK(wrong.shapes.faults()[1].find("`None`") != std::string::npos);
  CHECK_FALSE(Read("kinds: []\n").shapes.faults().empty());
  CHECK(Read("kinds: [{group: a, kind: B, spec: C}]\nshapes: {C: [d]}\n").shapes.faults().empty());
}

TEST_CASE("a kind has the shape of its group") {
  const Read two(
      "kinds: [{group: a, kind: Job, spec: One}, {group: b, kind: Job, object: Two}]\n"
      "shapes: {One: [x], Two: [y, z: One]}\n");
  const ObjectShape one = two.shapes.of_object("a", "Job");
  CHECK(one.object == FieldShape::Object);
  CHECK(two.shapes.fields_of(one.spec).front().name == "x");
  const ObjectShape other = two.shapes.of_object("b", "Job");
  CHECK(other.spec == FieldShape::Generic);
  CHECK(two.shapes.fields_of(other.object).back().shape == one.spec);
  CHECK(two.shapes.of_object("c", "Job").spec == FieldShape::Generic);
}

TEST_CASE("the file of the program has no fault, and no field or kind twice") {
  const Shapes& shapes = Shapes::builtin();
  for (const std::string& fault : shapes.faults()) FAIL_CHECK(fault);
  CHECK(shapes.size() > 100);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::set<std::string_view> names;
    for (const ShapedField& field : shapes.fields_of(static_cast<FieldShape>(i))) {
      INFO(i << ' ' << field.name);
      CHECK(names.insert(field.name).second);
    }
  }
  const View root(shape_file(), shape_file().root());
  std::set<std::string> kinds;
  for (View kind = root["kinds"].first(); kind; kind = kind.next()) {
    INFO(kind["kind"].text());
    CHECK(kinds.insert(std::string(kind["group"].text()) + "/" + std::string(kind["kind"].text()))
              .second);
  }
}

TEST_CASE("every row of the file of the program has only what its comment describes") {
  const std::set<std::string_view> of_kind = {"group", "kind", "spec", "object", "pods", "noPods"};
  const std::set<std::string_view> of_pods = {"at", "controller", "volumes", "volumesAt"};
  const std::set<std::string_view> of_controllers = {
      "sets-restart-policy", "sets-hostname", "adds-volumes", "adds-images", "adds-containers",
      "adds-claims",         "runs-forever",  "is-pod",       "is-patch"};
  const View root(shape_file(), shape_file().root());
  for (View kind = root["kinds"].first(); kind; kind = kind.next()) {
    INFO(kind["kind"].text());
    for (View field = kind.first(); field; field = field.next()) {
      CHECK(of_kind.contains(field.key()));
    }
    const View pods = kind["pods"];
    for (View each = pods ? pods.first() : View(); each; each = each.next()) {
      CHECK(each["at"]);
      for (View field = each.first(); field; field = field.next()) {
        CHECK(of_pods.contains(field.key()));
      }
      const View words = each["controller"];
      for (View word = words ? words.first() : View(); word; word = word.next()) {
        CHECK(of_controllers.contains(word.text()));
      }
    }
  }
}
