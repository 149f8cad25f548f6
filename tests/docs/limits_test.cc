// docs/limits.md has the figures of the code.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"

using namespace trainyard;

namespace {

/// A row of the document, by its beginning, and a constant that it states.
struct ExplicitNumber {
  const char* row;
  const char* file;
  const char* constant;
};

constexpr ExplicitNumber kStated[] = {
    {"bytes of one input file", "tree/yaml_reader.h", "bytes"},
    {"values of one file, over all", "tree/yaml_reader.h", "nodes"},
    {"nesting of lists and maps", "tree/yaml_reader.h", "depth"},
    {"values of one TrainingJob", "driver/session/document_size.cc", "kMostValues"},
    {"values of one file that is extended", "driver/session/document_size.cc", "kMostValues"},
    {"files that extend one another", "driver/session/layer_files.cc", "kDeepest"},
    {"jobs of one matrix", "spec/matrix.h", "kMostCombinations"},
    {"length of a YAML directive", "tree/yaml_reader.cc", "kMaxDirective"},
    {"directories below a directory", "driver/session/inputs.cc", "kDeepest"},
    {"files of one job", "driver/build/staged_files.cc", "kMostFiles"},
    {"one staged file", "driver/build/staged_files.cc", "kLargestFile"},
    {"one staged file", "rules/staged_files.cc", "kLargest"},
    {"one template, machine or fabric", "driver/session/template_store.cc", "kLargest"},
    {"instructions of all patterns", "schema/patterns.h", "kMost"},
    {"steps of one policy", "policy/json_schema.h", "kMostSteps"},
    {"nesting of a policy", "policy/json_schema.h", "kMostDepth"},
    {"steps of one rule", "schema/rule_run.cc", "kStepsOfRule"},
    {"steps of all rules", "schema/rule_run.cc", "kStepsOfObject"},
    {"a pattern of more than", "cel/library_regex.cc", "kUsualProgram"},
    {"nesting of an expression", "cel/parser.cc", "kMostNesting"},
    {"nesting of an expression", "cel/parser.cc", "kMostDepth"},
    {"a guess at a misspelt name", "diag/suggest.cc", "kMostCandidates"},
    {"a guess at a misspelt name", "diag/suggest.cc", "kLongest"},
    {"options that a script keeps", "shell/kept_words.cc", "kMostText"},
    {"options that a script keeps", "shell/kept_words.cc", "kMostVariables"},
    {"a typo of a variable", "lints/launch/unset_names.cc", "kLongestScript"},
    {"a typo of a variable", "lints/launch/unset_names.cc", "kMostNames"},
    {"problems that are printed", "diag/sink.h", "kMost"},
    {"columns of an excerpt", "diag/render_text.cc", "kColumns"},
    {"lines of a note", "diag/render_text.cc", "kMostRemarkLines"},
    {"bytes of a value that a message quotes", "diag/words.cc", "kLongestShown"},
    {"lines of an answer of `why`", "driver/why/why.cc", "kMostLines"},
    {"lines of an answer of `why`", "driver/why/cause_texts.h", "kLongestLine"},
    {"causes above one another", "emit/provenance.h", "kDeepestCause"},
    {"difference of `--check`", "driver/format/difference.cc", "kLargestTable"},
};

/// The row of a table that begins so; "" where there is none.
std::string row(const std::string& document, const std::string& beginning) {
  const std::size_t at = document.find("\n| " + beginning);
  if (at == std::string::npos) return {};
  return document.substr(at + 1, document.find('\n', at + 1) - at - 1);
}

/// The value of ` name = 64 * 1024;` in a file of the compiler; 0 where there is none.
std::uint64_t constant(const ExplicitNumber& stated) {
  const std::string text = testing::read_file(testing::repository() / "compiler" / stated.file);
  const std::string before = std::string(" ") + stated.constant + " = ";
  std::size_t at = text.find(before);
  if (at == std::string::npos) return 0;
  at += before.size();
  std::string sum = text.substr(at, text.find(';', at) - at);
  std::erase(sum, '\'');
  std::replace(sum.begin(), sum.end(), '*', ' ');
  std::istringstream factors(sum);
  std::uint64_t product = 1;
  for (std::uint64_t factor = 0; factors >> factor;) product *= factor;
  return factors.eof() ? product : 0;
}

/// As the document writes it: `2,000,000`, `64 MiB`.
std::vector<std::string> spellings(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  std::vector<std::string> result = {text};
  if (value % (1024 * 1024) == 0) result.push_back(std::to_string(value >> 20U) + " MiB");
  return result;
}

bool has_number(const std::string& row, const std::string& number) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == ','; };
  for (std::size_t at = row.find(number); at != std::string::npos; at = row.find(number, at + 1)) {
    const std::size_t end = at + number.size();
    const bool ends = end + 1 >= row.size() || !is_part(row[end]) || !is_part(row[end + 1]);
    if (!is_part(row[at - 1]) && ends) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the page on limits has the figures of the code") {
  const std::string document = testing::read_file(testing::repository() / "docs/limits.md");
  for (const ExplicitNumber& stated : kStated) {
    INFO(stated.row << ": " << stated.file << " " << stated.constant);
    const std::string found = row(document, stated.row);
    REQUIRE_FALSE(found.empty());
    const std::uint64_t value = constant(stated);
    REQUIRE(value != 0);
    INFO(found);
    const auto spelt = spellings(value);
    CHECK(std::ranges::any_of(spelt, [&](const auto& each) { return has_number(found, each); }));
  }
}
