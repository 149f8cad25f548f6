// CEL against the API server's own: the values of expressions, and what rules make of values.

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cel/evaluate.h"
#include "cel/evaluation_context.h"
#include "file_text.h"
#include "folders.h"
#include "property/oracle.h"
#include "schema/rule_text.h"
#include "tree/json.h"
#include "tree/yaml_reader.h"
#include "unit/cel/evaluated.h"

using namespace trainyard;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Our value of an expression in the oracle's words.
std::string answer(const std::string& expression) {
  const cel::Compiled compiled = cel::compile(expression, {});
  if (!compiled.program) return "error";
  cel::Context context(check_rule_format);
  context.set_budget(1'000'000);
  const std::string shown =
      trainyard::testing::shown(cel::evaluate(*compiled.program, {}, context));
  return shown.starts_with("error: ") ? "error" : shown;
}

std::string collapsed(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

std::string json_of(const Tree& tree, NodeId id) {
  std::string text;
  if (id == kNoNode) return "null";
  write_json(tree, id, text, 0);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// The questions of one row of the table of collected rules, and the answers that we expect.
struct Questions {
  std::string lines;
  std::vector<std::string> wanted;
  std::vector<std::string> names;
};

void add_questions(const std::vector<std::string>& row, View values, const std::string& wanted,
                   Questions& out) {
  const Tree& tree = values.tree();
  for (NodeId each : tree.children(values.id())) {
    nlohmann::json question;
    question["file"] = (trainyard::testing::shared_folder() / row[0]).string();
    question["version"] = row[2];
    question["path"] = row[3];
    question["rule"] = row[5];
    question["self"] = nlohmann::json::parse(json_of(tree, tree.find(each, "self")));
    question["oldSelf"] = nlohmann::json::parse(json_of(tree, tree.find(each, "oldSelf")));
    out.lines += question.dump() + "\n";
    out.wanted.push_back(wanted);
    out.names.push_back(row[1] + " " + row[3] + ": " + row[5] + " of " + question["self"].dump());
  }
}

}  // namespace

TEST_CASE("expressions have the values that the API server gives them", "[go]") {
  const Oracle oracle = cel_oracle("expressions");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  const std::string text = read_file(testing::repository() / "tests/property/cel_expressions.txt");
  const auto expressions = lines_of(text);
  const auto answers = ask(oracle, "cel-expressions", text);
  REQUIRE(answers.size() == expressions.size());
  REQUIRE(expressions.size() > 200);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    INFO(expressions[i]);
    CHECK(answer(expressions[i]) == answers[i]);
  }
}

TEST_CASE("the API server finds rules kept and broken by the values that we say", "[go]") {
  const fs::path table = trainyard::testing::shared_folder() / "crds" / "CEL.tsv";
  if (!fs::exists(table)) SKIP(trainyard::testing::missing_definitions(table));
  const Oracle oracle = cel_oracle("rules");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  SourceMap sources;
  Sink sink;
  const FileId file =
      sources.add("cases", read_file(testing::repository() / "tests/unit/schema/rule_cases.yaml"));
  const std::vector<Tree> cases = read_yaml(sources, file, sink);
  REQUIRE(cases.size() == 1);
  std::map<std::string, View> by_rule;
  for (NodeId each : cases[0].children(cases[0].root())) {
    const View one(cases[0], each);
    by_rule[collapsed(one["rule"].text())] = one;
  }
  Questions questions;
  std::vector<std::size_t> ends;
  auto rows = lines_of(read_file(table));
  rows.erase(rows.begin());
  for (const std::string& line : rows) {
    std::vector<std::string> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    const View one = by_rule[collapsed(row[5])];
    REQUIRE(one);
    add_questions(row, one["pass"], "holds", questions);
    add_questions(row, one["fail"], "broken", questions);
    ends.push_back(questions.wanted.size());
  }
  const auto answers = ask(oracle, "cel-rules", questions.lines);
  REQUIRE(answers.size() == questions.wanted.size());
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    int kept = 0;
    int broken = 0;
    for (; at < end; ++at) {
      INFO(questions.names[at]);
      CHECK((answers[at] == questions.wanted[at] || answers[at] == "unfit"));
      kept += answers[at] == "holds" ? 1 : 0;
      broken += answers[at] == "broken" ? 1 : 0;
    }
    INFO(questions.names[end - 1]);
    CHECK((kept > 0 && broken > 0));
  }
}
