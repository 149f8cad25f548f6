// A key or a text of a node that is an argument beside a call that makes nodes: compilers may take
// the node's place first and read it when the nodes have moved. Folders that build a tree out of
// one they read hand over a copy, a view or an id instead.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "folders.h"

namespace fs = std::filesystem;

namespace {

const fs::path kCompiler = trainyard::testing::repository() / "compiler";

/// Without comments, and with empty literals.
std::string bare(const std::string& source) {
  static const std::regex kComment("//[^\n]*");
  static const std::regex kLiteral(R"re("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)')re");
  return std::regex_replace(std::regex_replace(source, kLiteral, "\"\""), kComment, "");
}

/// The arguments of the call whose parenthesis opens at `open`; none where it does not close.
std::vector<std::string> arguments(const std::string& text, std::size_t open) {
  std::vector<std::string> result{""};
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ';') return {};  // the head of a loop
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0) return result;
    if (c == ',' && depth == 1) {
      result.emplace_back();
    } else if (at != open) {
      result.back() += c;
    }
  }
  return {};
}

bool reads_node(const std::string& argument) {
  static const std::regex kMember(R"(\s*[\w.\[\]()]+(->|\]\.|\)\.)(key|text)\s*)");
  return std::regex_match(argument, kMember);
}

bool makes_nodes(const std::string& argument) {
  static const std::regex kCall(
      R"(\b(map_at|list_at|map|list|text|number|truth|copy|storage|fields|run|rendezvous|own_\w+|add(_\w+)?|upsert_\w+)\()");
  return std::regex_search(argument, kCall);
}

std::vector<std::string> dangerous_calls(const std::string& source) {
  std::vector<std::string> found;
  const std::string text = bare(source);
  for (std::size_t open = text.find('('); open != text.npos; open = text.find('(', open + 1)) {
    const auto all = arguments(text, open);
    for (const std::string& one : all) {
      if (!reads_node(one)) continue;
      for (const std::string& other : all) {
        if (&other != &one && makes_nodes(other)) found.push_back(one + " beside " + other);
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("no key or text of a node is an argument beside a call that makes nodes") {
  std::string wrong;
  std::size_t files = 0;
  for (const char* folder : {"convert", "effective"}) {
    for (const auto& entry : fs::directory_iterator(kCompiler / folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      REQUIRE(in.good());
      ++files;
      for (const std::string& each : dangerous_calls({std::istreambuf_iterator<char>(in), {}})) {
        wrong += entry.path().filename().string() + ": " + each + "\n";
      }
    }
  }
  CHECK(wrong == "");
  CHECK(files > 50);
}

TEST_CASE("such arguments are found, and those that are safe are not") {
  CHECK(dangerous_calls("put(map_at(own, field), tree_[each].key, each);").size() == 1);
  CHECK(dangerous_calls("carry(storage(mount, volume), source->key, source);").size() == 1);
  CHECK(dangerous_calls("put(job_.map_at(a, \"b\"), \"(\", view(x)->text);").size() == 1);
  CHECK(dangerous_calls("put(maker.map_at(a, \"b\"), \"c\", value.text());").empty());
  CHECK(dangerous_calls("put(map, tree_[each].key, each);").empty());
  CHECK(dangerous_calls("share(path, job.text(name->text), name);").empty());
  CHECK(dangerous_calls("put(map_at(own, field), each);  // not node->key").empty());
}
