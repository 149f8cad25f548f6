// `templates/without.yaml`: what a build does of its own accord, and what tells a manifest without
// it.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "driver/explain/without.h"
#include "driver/session/all_checks.h"
#include "driver/session/session.h"
#include "folders.h"
#include "rules/rule.h"
#include "source/file_system.h"
#include "tree/yaml_reader.h"

namespace fs = std::filesystem;

using namespace trainyard;

namespace {

using Words = std::set<std::string, std::less<>>;

/// Folders whose files are no templates of a job's objects, and files that only describe a target.
const Words kOtherFolders = {"checks", "images",  "machines", "diagnosis",
                             "data",   "fabrics", "cluster"};
const Words kOtherFiles = {"target.yaml", "status.yaml", "limits.yaml"};
/// Who an object is, and keys of the language of templates that hold no value of a field.
const Words kNoField = {"apiVersion", "apiGroup", "kind",  "name", "metadata",
                        "$if",        "$role",    "$each", "$key"};

void collect(View node, std::string_view field, Words& found) {
  if (!node || kNoField.contains(node.key())) return;
  const bool is_own = !node.key().empty() && !node.key().starts_with('$');
  const std::string_view name = is_own ? node.key() : field;
  if (node.is_scalar()) {
    const bool is_constant =
        node.kind() != Kind::Null && node.text().find("${") == std::string_view::npos;
    if (is_constant && !name.empty()) found.emplace(name);
    return;
  }
  for (View each = node.first(); each; each = each.next()) collect(each, name, found);
}

/// The fields to which templates give a value of their own.
Words fields_of_templates(Session& session) {
  Words found;
  const fs::path folder = testing::repository() / "templates";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path path = entry.path().lexically_relative(folder);
    if (entry.path().extension() != ".yaml" || !path.has_parent_path()) continue;
    if (kOtherFolders.contains(path.begin()->string())) continue;
    if (kOtherFiles.contains(path.filename().string())) continue;
    const OwnTable table(session, path.generic_string());
    collect(table.root(), "", found);
  }
  return found;
}

Words keys_of(View map) {
  Words keys;
  for (View each = map.first(); each; each = each.next()) keys.emplace(each.key());
  return keys;
}

Words names_of_rules() {
  Words names;
  for (const Rule* rule : all_rules()) names.emplace(rule->name);
  return names;
}

struct Shipped {
  RealFileSystem files;
  Env env{files, {}};
  Session session{env};
  OwnTable table{session, "without.yaml"};
};

}  // namespace

TEST_CASE("each rule says which checks tell a manifest without what it does, or why none can") {
  const Shipped shipped;
  CHECK(keys_of(shipped.table.root()["rules"]) == names_of_rules());
}

TEST_CASE(
    "each constant of a template says which checks tell a manifest without it, or why none can") {
  Shipped shipped;
  const Words fields = fields_of_templates(shipped.session);
  CHECK(fields.size() > 40);
  CHECK(keys_of(shipped.table.root()["constants"]) == fields);
}

TEST_CASE("a row names checks that exist, or gives one reason") {
  const Shipped shipped;
  for (const char* part : {"rules", "constants"}) {
    const View rows = shipped.table.root()[part];
    REQUIRE(rows);
    for (View row = rows.first(); row; row = row.next()) {
      INFO(row.key());
      const View checks = row["checks"];
      CHECK(bool(checks) != bool(row["because"]));
      CHECK((!checks || checks.first()));
      if (!checks) CHECK(!row["because"].text().empty());
      if (!checks) continue;
      for (View each = checks.first(); each; each = each.next()) {
        INFO(each.text());
        CHECK(find_check(all_checks(), each.text()) != nullptr);
      }
    }
  }
}

TEST_CASE("a check that a rule spares our own output is in the row of that rule") {
  const Shipped shipped;
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) {
      if (check.rule.empty()) continue;
      INFO(check.name << " of " << check.rule);
      const View checks = shipped.table.root()["rules"][check.rule]["checks"];
      REQUIRE(checks);
      bool is_there = false;
      for (View each = checks.first(); each; each = each.next()) {
        is_there = is_there || each.text() == check.name;
      }
      CHECK(is_there);
    }
  }
}
