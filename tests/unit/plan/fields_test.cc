#include "plan/fields.h"
#include "file_text.h"
#include "folders.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

using namespace trainyard;
using trainyard::testing::read_file;
using trainyard::testing::repository;

namespace {

bool is_camel_path(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == path.size()) return false;
  return std::all_of(path.begin(), path.end(), [](char c) {
    return c == '.' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::string root_of(std::string_view path) {
  return std::string(path.substr(0, path.find('.')));
}

}  // namespace

TEST_CASE("fields and loops are sorted by path, unique, and found by it") {
  const auto fields = plan_fields();
  const auto loops = plan_loops();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    INFO(fields[i].path);
    CHECK(is_camel_path(fields[i].path));
    if (i > 0) CHECK(fields[i - 1].path < fields[i].path);
    CHECK(find_plan_field(fields[i].path) == &fields[i]);
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    INFO(loops[i].path);
    if (i > 0) CHECK(loops[i - 1].path < loops[i].path);
    CHECK(find_plan_loop(loops[i].path) == &loops[i]);
  }
  CHECK(find_plan_field("") == nullptr);
  CHECK(find_plan_field("role.imag") == nullptr);
  CHECK(find_plan_field("zzz") == nullptr);
  CHECK(find_plan_loop("job.role") == nullptr);
}

TEST_CASE("every field has a sentence") {
  for (const PlanField& field : plan_fields()) {
    INFO(field.path);
    REQUIRE(field.sentence.size() > 10);
    CHECK((field.sentence.front() >= 'A' && field.sentence.front() <= 'Z'));
    CHECK(field.sentence.back() == '.');
  }
}

TEST_CASE("every field is the job's own or that of a loop's item") {
  std::set<std::string> roots = {"elastic",    "gang",  "job",   "lifecycle", "mpirun",   "ray",
                                 "rendezvous", "runai", "serve", "topology",  "workspace"};
  for (const PlanLoop& loop : plan_loops()) {
    // Those that come before and after the others are roles, too.
    CHECK((roots.insert(std::string(loop.item)).second || loop.item == "role"));
  }
  for (const PlanLoop& loop : plan_loops()) CHECK(roots.count(root_of(loop.path)) == 1);
  for (const PlanField& field : plan_fields()) {
    INFO(field.path);
    CHECK(roots.count(root_of(field.path)) == 1);
  }
}

TEST_CASE("a field of an untouched plan has no value, and never breaks") {
  Plan plan;
  Role role;
  EnvVar env;
  VolumeMount mount;
  ConfigMapPlan config_map;
  ClaimPlan claim;
  NamedValue pair;
  Scope scope{.plan = &plan, .role = &role, .env = &env, .mount = &mount};
  scope.config_map = &config_map;
  scope.claim = &claim;
  scope.pair = &pair;
  ExitRule exit;
  scope.exit = &exit;
  DeviceClaimPlan device_claim;
  Fragment sidecar;
  scope.device_claim = &device_claim;
  scope.sidecar = &sidecar;
  DataPlan data;
  scope.data = &data;
  RoleWait wait;
  scope.wait = &wait;
  IsolationPlan isolation;
  scope.isolation = &isolation;
  GroupPlan group;
  scope.group = &group;
  const std::set<std::string_view> always_there = {
      "role.pod",   "env.value",        "role.trains", "annotation.value", "label.value",
      "port.index", "toleration.index", "exit.code",   "group.minMember"};
  for (const PlanField& field : plan_fields()) {
    INFO(field.path);
    CHECK(field.get(scope).present() == always_there.contains(field.path));
  }
  for (const PlanLoop& loop : plan_loops()) CHECK(loop.size(scope) == 0);
}

TEST_CASE("a field says truly whether it is a list or a map") {
  Plan plan;
  plan.labels = {{"a", "b", kNoOrigin}};
  Role role;
  role.image = {"i", kNoOrigin, true};
  role.args = {{"x", kNoOrigin}};
  role.affinity = {0, kNoOrigin, true};
  Scope scope{&plan, &role};
  const auto is_structure = [&](std::string_view path) {
    const PlanValue found = find_plan_field(path)->get(scope);
    REQUIRE(found.present());
    return !std::holds_alternative<std::string_view>(found.value) &&
           !std::holds_alternative<std::int64_t>(found.value) &&
           !std::holds_alternative<bool>(found.value);
  };
  for (std::string_view path : {"job.labels", "role.image", "role.args", "role.affinity"}) {
    INFO(path);
    CHECK(is_structure(path) == find_plan_field(path)->structure);
  }
}

TEST_CASE("templates/FIELDS.md lists these very fields") {
  std::string expected =
      "# Fields of the plan\n\n"
      "What the holes of a template can name. A test compares this page with the table in\n"
      "`compiler/plan/fields.cc`; structures stand alone in a value, other fields also within "
      "text.\n\n"
      "| field | | what it is |\n|---|---|---|\n";
  for (const PlanField& field : plan_fields()) {
    expected += "| `" + std::string(field.path) + "` | " + (field.structure ? "structure" : "") +
                " | " + std::string(field.sentence) + " |\n";
  }
  expected +=
      "\n## Lists to loop over\n\n"
      "With `$each`; the item is in scope below.\n\n"
      "| list | item |\n|---|---|\n";
  for (const PlanLoop& loop : plan_loops()) {
    expected += "| `" + std::string(loop.path) + "` | `" + std::string(loop.item) + "` |\n";
  }
  CHECK(read_file(repository() / "templates/FIELDS.md") == expected);
}
