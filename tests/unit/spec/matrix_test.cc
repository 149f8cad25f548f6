// Combinations of a matrix, the names of their jobs, and the documents that they make.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

#include "spec/matrix.h"
#include "tree/yaml_writer.h"
#include "unit/spec/support.h"

using namespace trainyard;

namespace {

struct Case {
  testing::Document document;
  Sink sink;
  std::optional<std::vector<Combination>> all;

  explicit Case(const std::string& text) : document(text) {
    all = combinations(document.tree(), matrix(), sink);
  }

  NodeId matrix() const { return document.tree().find(document.root(), "matrix"); }

  /// `lr=1 bs=2` for each combination.
  std::vector<std::string> values() const {
    std::vector<std::string> result;
    for (const Combination& combination : all.value_or(std::vector<Combination>())) {
      std::string text;
      for (const ParameterValue& each : combination) {
        text += (text.empty() ? "" : " ") + std::string(each.name) + "=" +
                std::string(document.tree()[each.value].text);
      }
      result.push_back(text);
    }
    return result;
  }
  std::vector<std::string> endings() const { return name_endings(document.tree(), *all); }

  struct Made {
    Tree tree;
    SpecPlaces places;
    View at(std::string_view a) const { return View(tree, tree.root())[a]; }
  };
  Made made(std::size_t i) {
    Made result;
    CHECK(make(i, endings().at(i), result.tree, result.places));
    return result;
  }
  bool make(std::size_t i, std::string_view ending, Tree& tree, SpecPlaces& places) {
    const SchemaPack& pack = SchemaPack::builtin();
    const SchemaKind* kind = pack.find("trainyard/v1alpha1", "TrainingJob");
    return make_variant(pack, kind->schema, document.tree(), all->at(i), ending, tree, places,
                        sink);
  }
  /// What the references of the document are found to be.
  std::vector<std::string> faults() {
    sink.clear();
    check_references(document.tree(), matrix(), sink);
    std::vector<std::string> result;
    for (const Diagnostic& each : sink.all()) {
      result.push_back(std::string(info(each.kind).name) + " " +
                       std::string(document.at(each.span)));
    }
    return result;
  }
};

using Texts = std::vector<std::string>;

std::string with_values(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
  return "matrix: {x: [" + list + "]}";
}

}  // namespace

TEST_CASE("a matrix has every combination, the last parameter changing fastest") {
  CHECK(Case("matrix: {lr: [1, 2], bs: [a, b]}").values() ==
        Texts{"lr=1 bs=a", "lr=1 bs=b", "lr=2 bs=a", "lr=2 bs=b"});
}

TEST_CASE("exclude leaves out what has all its values") {
  CHECK(Case("matrix: {lr: [1, 2], bs: [3, 4], exclude: [{lr: 1, bs: 4}, {lr: 2, bs: 3}]}")
            .values() == Texts{"lr=1 bs=3", "lr=2 bs=4"});
}

TEST_CASE("include means what it means to GitHub Actions") {
  // The example of its documentation.
  CHECK(Case(R"(matrix:
  fruit: [apple, pear]
  animal: [cat, dog]
  include:
    - {color: green}
    - {color: pink, animal: cat}
    - {fruit: apple, shape: circle}
    - {fruit: banana}
    - {fruit: banana, animal: cat}
)")
            .values() ==
        Texts{"fruit=apple animal=cat color=pink shape=circle",
              "fruit=apple animal=dog color=green shape=circle", "fruit=pear animal=cat color=pink",
              "fruit=pear animal=dog color=green", "fruit=banana", "fruit=banana animal=cat"});
}

TEST_CASE("a matrix of `include` alone has one job for each entry") {
  CHECK(Case("matrix: {include: [{a: 1}, {a: 2, b: 3}]}").values() == Texts{"a=1", "a=2 b=3"});
}

TEST_CASE("a matrix makes at most a thousand jobs, told before they are made") {
  CHECK(Case(with_values(1000)).values().size() == 1000);
  const Case more(with_values(1001));
  CHECK_FALSE(more.all);
  REQUIRE(more.sink.all().size() == 1);
  CHECK(more.sink.all()[0].message == "the matrix has 1001 values; expected at most 1000");
  const Case many(
      "matrix: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], b: [1, 2, 3, 4, 5, 6, 7, 8, 9, "
      "10], c: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}");
  CHECK_FALSE(many.all);
}

TEST_CASE("what makes no job or has no effect is an error") {
  for (const char* text : {"matrix: {a: [1], exclude: [{a: 1}]}", "matrix: {exclude: []}",
                           "matrix: {a: [1], exclude: [{a: 2}]}", "matrix: {a: [1, 1]}",
                           "matrix: {a: [1], exclude: [{b: 2}]}", "matrix: {a-: [1]}",
                           "matrix: {1a: [1]}", "matrix: {a.b: [1]}"}) {
    const Case bad(text);
    INFO(text);
    CHECK_FALSE(bad.all);
    CHECK(bad.sink.error_count() == 1);
  }
}

TEST_CASE("names say what a job has, and no two are the same") {
  CHECK(Case("matrix: {lr: ['3e-4', 0.001], opt: [adam]}").endings() ==
        Texts{"-lr3e-4-opt-adam", "-lr0-001-opt-adam"});
  CHECK(Case("matrix: {x: [-1, 1, '1e+3', '1e-3'], Amp: [true]}").endings() ==
        Texts{"-x-minus1-amp-true", "-x1-amp-true", "-x1e3-amp-true", "-x1e-3-amp-true"});
  const Texts alike = Case("matrix: {data: ['a/b', 'a-b', c]}").endings();
  CHECK(alike[2] == "-data-c");
  CHECK(alike[0].starts_with("-data-a-b-"));
  CHECK(std::set<std::string>(alike.begin(), alike.end()).size() == 3);
  CHECK(Case("metadata: {name: 'n-${{ matrix.a }}'}\nmatrix: {a: [1, 2]}").endings() ==
        Texts{"", ""});
}

TEST_CASE("a reference that is all of a value keeps the type and the place of the parameter") {
  Case typed(R"(metadata: {name: job}
matrix: {k: [4], flag: [true], text: ["5"]}
spec: {a: "${{ matrix.k }}", b: "${{matrix.flag}}", c: "${{ matrix.text }}", d: "x${{ matrix.k }}y"}
)");
  const Case::Made made = typed.made(0);
  const View spec = made.at("spec");
  CHECK(spec["a"]->kind == Kind::Int);
  CHECK(typed.document.at(spec["a"]->span) == "4");
  CHECK(typed.document.at(spec["a"]->key_span) == "a");
  CHECK(spec["b"]->kind == Kind::Bool);
  CHECK(spec["c"]->kind == Kind::String);
  CHECK(spec["d"].text() == "x4y");
  CHECK(typed.document.at(spec["d"]->span) == "\"x${{ matrix.k }}y\"");
  CHECK_FALSE(made.at("matrix"));
}

TEST_CASE("where only a text can stand, a parameter comes as its text") {
  Case texts(R"(metadata: {name: job, labels: {seed: "${{ matrix.seed }}"}}
matrix: {seed: [7.50]}
spec:
  nodes: ${{ matrix.seed }}
  run: {command: ["${{ matrix.seed }}"], args: ["${{ matrix.seed }}"]}
  pod: {spec: {containers: [{name: main, env: [{name: A, value: "${{ matrix.seed }}"}]}]}}
)");
  const Case::Made made = texts.made(0);
  const auto first = [](View list) { return View(list.tree(), list->first); };
  CHECK(made.at("metadata")["labels"]["seed"]->kind == Kind::String);
  CHECK(made.at("spec")["nodes"]->kind == Kind::Float);
  CHECK(first(made.at("spec")["run"]["command"])->kind == Kind::Float);
  CHECK(first(made.at("spec")["run"]["args"])->kind == Kind::Float);
  const View container = first(made.at("spec")["pod"]["spec"]["containers"]);
  CHECK(first(container["env"])["value"]->kind == Kind::String);
}

TEST_CASE("text that a reference puts in is never read as YAML") {
  Case sly(
      "metadata: {name: job}\nmatrix: {x: ['a\", b: c', '${{ matrix.x }}']}\n"
      "spec: {v: 'is ${{ matrix.x }}', w: '$${{ matrix.x }}'}\n");
  CHECK(sly.made(0).at("spec")["v"].text() == "is a\", b: c");
  CHECK(sly.made(1).at("spec")["v"].text() == "is ${{ matrix.x }}");
  CHECK(sly.made(0).at("spec")["w"].text() == "${{ matrix.x }}");
}

TEST_CASE("labels hold the parameters in the form that labels have") {
  const std::string longest(63, 'x');
  Case labels(
      "metadata: {name: job, labels: {team: a, matrix.trainyard/own: mine}}\n"
      "matrix: {a: ['s3://b c/'], b: [-1], c: [" +
      longest + "], d: [" + longest + "y], own: [1]}\n");
  const Case::Made made = labels.made(0);
  const View found = made.at("metadata")["labels"];
  CHECK(found["team"].text() == "a");
  CHECK(found["trainyard/matrix"].text() == "job");
  CHECK(found["matrix.trainyard/a"].text() == "s3---b-c");
  CHECK(found["matrix.trainyard/b"].text() == "minus1");
  CHECK(found["matrix.trainyard/c"].text() == longest);
  CHECK(found["matrix.trainyard/d"].text().size() == 63);
  CHECK(found["matrix.trainyard/d"].text() != longest);
  CHECK(found["matrix.trainyard/own"].text() == "mine");
}

TEST_CASE("references must fit the parameters, both ways") {
  CHECK(Case("matrix: {a: [1]}\nspec: {x: '${{ matrix.a }}'}").faults().empty());
  CHECK(Case("matrix: {a: [1], b: [2]}\nspec: {x: '${{ matrix.a }}'}").faults() ==
        Texts{"unused-parameter b"});
  CHECK(Case("matrix: {a: [1]}\nspec: {x: '${{ matrix.a }} ${{ matrix.c }}'}").faults() ==
        Texts{"unknown-parameter '${{ matrix.a }} ${{ matrix.c }}'"});
  CHECK(Case("matrix: {a: [1]}\nspec: {'${{ matrix.a }}': '${{ matrix.a }}'}").faults() ==
        Texts{"bad-hole '${{ matrix.a }}'"});
  CHECK(Case("matrix: {a: [1]}\nspec: {x: '${{ a }}', z: '${{ matrix.a }}'}").faults() ==
        Texts{"bad-hole '${{ a }}'"});
  CHECK(Case("matrix: {a: [1]}\nspec: {x: '${{ matrix.a', z: '${{ matrix.a }}'}").faults() ==
        Texts{"bad-hole '${{ matrix.a'"});
}

TEST_CASE("without a matrix, only what names one is a reference") {
  const auto faults = [](const std::string& text) {
    const testing::Document document(text);
    Sink sink;
    check_references(document.tree(), kNoNode, sink);
    return sink.error_count();
  };
  CHECK(faults("spec: {x: '${{ matrix.a }}'}") == 1);
  CHECK(faults("spec: {x: '${{ secrets.a }} ${a} ${{'}") == 0);
}

TEST_CASE("a parameter that some jobs lack is an error where it is used") {
  Case some(
      "metadata: {name: job}\nmatrix: {include: [{a: 1}, {a: 1, b: 2}]}\n"
      "spec: {x: '${{ matrix.a }}${{ matrix.b }}'}\n");
  Tree tree;
  SpecPlaces places;
  CHECK_FALSE(some.make(0, "", tree, places));
  CHECK(some.make(1, "", tree, places));
}
