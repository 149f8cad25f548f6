#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "file_text.h"
#include "folders.h"
#include "plan/fields.h"

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

std::string root_of(std::string_view path) {
  return std::string(path.substr(0, path.find('.')));
}

}  // namespace

TEST_CASE("fields and loops of a platform are sorted by path, unique, and found by it") {
  const FieldSet& set = platform_fields();
  for (std::size_t i = 0; i < set.fields.size(); ++i) {
    INFO(set.fields[i].path);
    if (i > 0) CHECK(set.fields[i - 1].path < set.fields[i].path);
    CHECK(set.field(set.fields[i].path) == &set.fields[i]);
    CHECK(set.fields[i].sentence.back() == '.');
  }
  for (std::size_t i = 0; i < set.loops.size(); ++i) {
    INFO(set.loops[i].path);
    if (i > 0) CHECK(set.loops[i - 1].path < set.loops[i].path);
    CHECK(set.loop(set.loops[i].path) == &set.loops[i]);
  }
}

TEST_CASE(
    "jobs and platforms have no field in common, so that no template takes one for the other") {
  for (const PlanField& field : platform_fields().fields) {
    INFO(field.path);
    CHECK(job_fields().field(field.path) == nullptr);
  }
}

TEST_CASE("every field of a platform is the platform's own or that of a loop's item") {
  const FieldSet& set = platform_fields();
  std::set<std::string> roots;
  for (std::string_view root : set.roots) roots.emplace(root);
  for (const PlanLoop& loop : set.loops) roots.emplace(loop.item);
  for (const PlanLoop& loop : set.loops) CHECK(roots.count(root_of(loop.path)) == 1);
  for (const PlanField& field : set.fields) {
    INFO(field.path);
    CHECK(roots.count(root_of(field.path)) == 1);
  }
}

TEST_CASE("templates/cluster/FIELDS.md lists these very fields") {
  std::string expected =
      "# Fields of a platform\n\n"
      "What the holes of the templates in `cluster/` can name. A test compares this page with the "
      "table in\n"
      "`compiler/plan/platform_fields.cc`; structures stand alone in a value, other fields also "
      "within text.\n\n"
      "| field | | what it is |\n|---|---|---|\n";
  for (const PlanField& field : platform_fields().fields) {
    expected += "| `" + std::string(field.path) + "` | " + (field.structure ? "structure" : "") +
                " | " + std::string(field.sentence) + " |\n";
  }
  expected +=
      "\n## Lists to loop over\n\n"
      "With `$each`; the item is in scope below.\n\n"
      "| list | item |\n|---|---|\n";
  for (const PlanLoop& loop : platform_fields().loops) {
    expected += "| `" + std::string(loop.path) + "` | `" + std::string(loop.item) + "` |\n";
  }
  CHECK(read_file(repository() / "templates/cluster/FIELDS.md") == expected);
}
