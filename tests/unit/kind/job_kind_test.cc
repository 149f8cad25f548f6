// The file of kinds, and what is made of it.
#include "kind/job_kind.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "source/source_map.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The kinds of a text.
struct Read {
  explicit Read(const std::string& text)
      : trees(read_yaml(sources, sources.add("kinds.yaml", text), sink)), kinds(trees.at(0)) {}
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
  JobKinds kinds;
};

}  // namespace

TEST_CASE("an unknown phase, a sign of two tests and a kind without signs are faults of the file") {
  CHECK(Read("- of: [{kind: A}]\n  group: g\n  signs: [{phase: pending, condition: B}]\n")
            .kinds.faults()
            .empty());
  CHECK_FALSE(Read("{}\n").kinds.faults().empty());
  CHECK_FALSE(Read("- {of: [{kind: A}], group: g}\n").kinds.faults().empty());
  const Read wrong(
      "- of: [{kind: A}]\n  group: g\n  signs: [{phase: odd, some: a}, {phase: failed}, "
      "{phase: failed, some: a, field: b}]\n");
  REQUIRE(wrong.kinds.faults().size() == 3);
  CHECK(wrong.kinds.faults().front().find("`odd`") != std::string::npos);
}

TEST_CASE("kinds that are told of together differ in what they want alone") {
  const Read two(
      "- of: [{kind: A, wanted: [spec.a]}, {kind: B}]\n  group: g\n  source: o/r p\n"
      "  signs: [{phase: running, some: ready, all: [ready, done]}]\n");
  REQUIRE(two.kinds.all().size() == 2);
  const JobKind& a = two.kinds.all()[0];
  const JobKind& b = two.kinds.all()[1];
  CHECK(a.wanted == std::vector<std::string_view>{"spec.a"});
  CHECK(b.wanted.empty());
  CHECK(b.source == "o/r p");
  CHECK(b.counts == "pods");
  CHECK(b.signs.front().all == std::vector<std::string_view>{"ready", "done"});
}

TEST_CASE("the file of the program has no fault, and no kind twice") {
  const JobKinds& kinds = JobKinds::builtin();
  for (const std::string& fault : kinds.faults()) FAIL_CHECK(fault);
  CHECK(kinds.all().size() >= 13);
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const JobKind& kind : kinds.all()) {
    INFO(kind.kind << " of " << kind.group);
    CHECK(kind.source.find('/') != std::string_view::npos);
    CHECK(seen.emplace(kind.group, kind.kind).second);
    for (const StatusSign& sign : kind.signs) CHECK((sign.all.empty() || !kind.wanted.empty()));
  }
}
