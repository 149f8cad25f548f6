// Names in the documents that the program or the repository must know.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <string>

#include "diag/kind.h"
#include "docs/markdown.h"
#include "driver/session/all_checks.h"
#include "rules/rule.h"
#include "schema/describe.h"
#include "schema/pack.h"

namespace trainyard::docs {
namespace {

bool is_kind(std::string_view name) {
  const auto kinds = all_kinds();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const KindInfo& kind) { return kind.name == name; });
}

/// A field of one of our documents: `spec.run.launcher`, without a value behind it.
bool is_field_path(std::string_view text) {
  return text.starts_with("spec.") && !text.ends_with(".yaml") &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789."
             "[]") == std::string_view::npos;
}

bool is_field(const std::string& path) {
  const SchemaPack& pack = SchemaPack::builtin();
  for (std::string_view kind : {"TrainingJob", "Cluster", "MachineCatalogue", "Fabric", "Transfer",
                                "ImageCatalogue", "Fleet"}) {
    const SchemaKind* found = pack.find("trainyard/v1alpha1", kind);
    if (found != nullptr && describe_field(pack, *found, path).ok()) return true;
  }
  return false;
}

/// A file or folder of this repository, not a pattern for one.
bool is_path(std::string_view text) {
  constexpr std::string_view kFolders[] = {"bench/",    "cmake/",   "compiler/",  "docs/",
                                           "golden/",   "schemas/", "templates/", "scripts/",
                                           "examples/", "tests/"};
  const bool ours = std::any_of(std::begin(kFolders), std::end(kFolders),
                                [&](std::string_view folder) { return text.starts_with(folder); });
  return ours && text.find_first_of("<>*{} $,") == std::string_view::npos;
}

std::string at(const Page& page, const Mention& mention) {
  return page.path + ":" + std::to_string(mention.line) + ": " + mention.text + "\n";
}

}  // namespace

TEST_CASE("every rule, check and kind of diagnostic that a document names is one") {
  std::string wrong;
  std::size_t seen = 0;
  for (const Page& page : all_pages()) {
    for (const Mention& mention : page.code) {
      const bool rule = mention.before == "rule";
      const bool kind = mention.before == "kind";
      const bool check = mention.before == "check" || mention.before == "Check" ||
                         mention.before == "lint" || mention.before == "Lint";
      seen += rule || kind || check ? 1 : 0;
      if (rule && find_rule(mention.text) == nullptr) wrong += at(page, mention);
      if (kind && !is_kind(mention.text)) wrong += at(page, mention);
      if (check && find_check(mention.text) == nullptr) wrong += at(page, mention);
    }
  }
  CHECK(wrong == "");
  CHECK(seen > 20);
}

TEST_CASE("every field that a document names is one") {
  std::string wrong;
  std::size_t seen = 0;
  for (const Page& page : all_pages()) {
    for (const Mention& mention : page.code) {
      if (!is_field_path(mention.text)) continue;
      ++seen;
      if (!is_field(mention.text)) wrong += at(page, mention);
    }
  }
  CHECK(wrong == "");
  CHECK(seen > 20);
}

TEST_CASE("every file that a document names or links to exists") {
  std::string wrong;
  std::size_t seen = 0;
  for (const Page& page : all_pages()) {
    for (const Mention& mention : page.code) {
      if (!is_path(mention.text)) continue;
      ++seen;
      if (!exists(mention.text)) wrong += at(page, mention);
    }
    for (const Mention& link : page.links) {
      if (link.text.find("://") != std::string::npos) continue;
      ++seen;
      const std::size_t slash = page.path.rfind('/');
      const std::string folder = slash == std::string::npos ? "" : page.path.substr(0, slash + 1);
      if (!exists(folder + link.text.substr(0, link.text.find('#')))) wrong += at(page, link);
    }
  }
  CHECK(wrong == "");
  CHECK(seen > 20);
}

}  // namespace trainyard::docs
