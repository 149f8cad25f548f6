// The cases of yaml/yaml-test-suite, read from beside the repository when they are there.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "fuzz/readings.h"
#include "tree/scalar.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

const trainyard::testing::Suite kSuite = trainyard::testing::public_suite("yaml-test-suite");

struct Case {
  std::string id;
  std::string yaml;
  std::optional<std::string> tree;
  std::optional<std::string> json;
  bool fail = false;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// The suite shows invisible characters by others.
std::string decode(std::string_view shown) {
  std::string text(shown);
  replace_all(text, "␣", " ");
  replace_all(text, "—", "");  // fills up the width of a tab
  replace_all(text, "»", "\t");
  replace_all(text, "↵", "");
  replace_all(text, "←", "\r");
  replace_all(text, "⇔", "\xef\xbb\xbf");
  if (const std::size_t end = text.find("∎"); end != text.npos) text.resize(end);
  return text;
}

std::vector<Case> cases_in(const fs::path& path) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(path.string(), read_file(path));
  const std::vector<Tree> trees = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  INFO(path.string());
  REQUIRE_FALSE(sink.has_errors());
  REQUIRE(trees.size() == 1);
  const View list(trees[0], trees[0].root());
  std::vector<Case> cases;
  for (NodeId id : trees[0].children(list.id())) {
    const View entry(trees[0], id);
    Case next;
    next.id = path.stem().string();
    if (list->size > 1) next.id += '/' + std::to_string(cases.size());
    next.yaml = decode(entry["yaml"].text());
    next.fail = entry["fail"].text() == "true";
    if (entry["tree"]) next.tree = decode(entry["tree"].text());
    if (entry["json"]) next.json = decode(entry["json"].text());
    const bool inherits = !next.fail && !next.tree && !next.json && !cases.empty();
    if (inherits) {
      next.tree = cases.back().tree;
      next.json = cases.back().json;
    }
    cases.push_back(std::move(next));
  }
  return cases;
}

// --- expected events -----------------------------------------------------------------------------

std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      case 'b':
        result += '\b';
        break;
      default:
        result += text[i];
    }
  }
  return result;
}

std::string scalar_event(Kind kind, std::string_view text) {
  return "=" + std::string(word(kind)) + " " + std::string(text);
}

std::string plain_event(std::string_view text) {
  Arena arena;
  const Kind kind = classify_plain(text).kubernetes;
  switch (kind) {
    case Kind::Null:
      return scalar_event(kind, "");
    case Kind::Bool:
      return scalar_event(kind, true_word(text) ? "true" : "false");
    case Kind::Int:
      return scalar_event(kind, decimal_text(text, arena));
    case Kind::Float:
      return scalar_event(kind, float_text(text, arena));
    default:
      return scalar_event(kind, text);
  }
}

/// A tag decides the kind; `!` makes a string.
std::string tagged_event(std::string_view tag, std::string_view text) {
  if (tag.ends_with(":str>") || tag == "<!>") return scalar_event(Kind::String, text);
  return plain_event(text);
}

struct Event {
  std::string_view anchor;
  std::string_view tag;
  std::string text;
};

/// `=VAL &a <tag> :text` without the properties.
Event parse_event(std::string_view line) {
  Event event;
  event.text = line.substr(0, 4);
  line.remove_prefix(std::min<std::size_t>(5, line.size()));
  while (!line.empty()) {
    const std::size_t space = std::min(line.find(' '), line.size());
    if (line[0] == '&') {
      event.anchor = line.substr(1, space - 1);
    } else if (line[0] == '<') {
      event.tag = line.substr(0, space);
    } else if (event.text == "=VAL") {
      const std::string text = unescape(line.substr(1));
      event.text = line[0] == ':' || !event.tag.empty() ? tagged_event(event.tag, text)
                                                        : scalar_event(Kind::String, text);
      return event;
    } else if (event.text == "=ALI") {
      event.anchor = line.substr(1);
      return event;
    }
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  return event;
}

/// The events of all documents that are not empty, with aliases expanded.
std::vector<std::string> expected_events(std::string_view tree) {
  std::vector<std::string> events;
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> anchors;
  std::vector<std::pair<std::string, std::size_t>> open;
  while (!tree.empty()) {
    const std::size_t end = std::min(tree.find('\n'), tree.size());
    std::string_view line = tree.substr(0, end);
    tree.remove_prefix(std::min(end + 1, tree.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line.starts_with("+STR") || line.starts_with("-STR")) continue;
    const Event event = parse_event(line);
    const std::size_t begin = events.size();
    if (event.text == "=ALI") {
      const auto range = anchors.find(event.anchor)->second;
      for (std::size_t i = range.first; i < range.second; ++i) {
        const std::string copy = events[i];
        events.push_back(copy);
      }
      continue;
    }
    events.push_back(event.text);
    if (event.text[0] == '+') {
      open.emplace_back(event.anchor, begin);
    } else if (event.text[0] == '-') {
      if (!open.back().first.empty()) {
        anchors[open.back().first] = {open.back().second, events.size()};
      }
      open.pop_back();
    } else if (!event.anchor.empty()) {
      anchors[std::string(event.anchor)] = {begin, begin + 1};
    }
  }
  return events;
}

std::vector<std::string> without_empty_documents(const std::vector<std::string>& events) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool empty = events[i] == "+DOC" && i + 2 < events.size() &&
                       events[i + 1] == scalar_event(Kind::Null, "") && events[i + 2] == "-DOC";
    if (empty) {
      i += 2;
    } else {
      result.push_back(events[i]);
    }
  }
  return result;
}

// --- what we read --------------------------------------------------------------------------------

void add_events(const Tree& tree, NodeId id, std::vector<std::string>& events) {
  const Node& node = tree[id];
  if (node.is_scalar()) {
    events.push_back(scalar_event(node.kind, node.text));
    return;
  }
  const std::string name = node.is_map() ? "MAP" : "SEQ";
  events.push_back("+" + name);
  for (NodeId child : tree.children(id)) {
    if (node.is_map()) events.push_back("key " + std::string(tree[child].key));
    add_events(tree, child, events);
  }
  events.push_back("-" + name);
}

/// Keys have lost their kind in the tree, so they are compared by text.
void mark_keys(std::vector<std::string>& events) {
  std::vector<int> counts;  // children so far of each open map; -1 for lists
  for (std::string& event : events) {
    if (event[0] == '-') {
      counts.pop_back();
      continue;
    }
    const bool is_key = !counts.empty() && counts.back() >= 0 && counts.back() % 2 == 0;
    if (!counts.empty() && counts.back() >= 0) ++counts.back();
    if (event == "+MAP" || event == "+SEQ" || event == "+DOC") {
      counts.push_back(event == "+MAP" ? 0 : -1);
    } else if (is_key) {
      event = "key " + event.substr(event.find(' ') + 1);
    }
  }
}

nlohmann::json to_json(const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  switch (node.kind) {
    case Kind::Null:
      return nullptr;
    case Kind::Bool:
      return node.text == "true";
    case Kind::Int:
    case Kind::Float:
      return std::strtod(std::string(node.text).c_str(), nullptr);
    case Kind::String:
      return std::string(node.text);
    case Kind::Seq: {
      nlohmann::json list = nlohmann::json::array();
      for (NodeId child : tree.children(id)) list.push_back(to_json(tree, child));
      return list;
    }
    case Kind::Map:
      break;
  }
  nlohmann::json map = nlohmann::json::object();
  for (NodeId child : tree.children(id)) map[std::string(tree[child].key)] = to_json(tree, child);
  return map;
}

/// The documents that follow each other in one text.
std::vector<nlohmann::json> json_documents(const std::string& text) {
  std::vector<nlohmann::json> documents;
  std::istringstream in(text);
  while (in >> std::ws && !in.eof()) {
    nlohmann::json document;
    in >> document;
    if (!document.is_null()) documents.push_back(std::move(document));
  }
  return documents;
}

/// What is wrong with our reading of a case; "" for nothing.
std::string complaint(const Case& test) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(test.id, test.yaml);
  const std::vector<Tree> trees = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  bool failed = false;
  std::string message;
  for (const Diagnostic& diagnostic : sink.all()) {
    if (diagnostic.kind == DiagnosticKind::EmptyDocument) continue;
    failed = true;
    message = std::string(info(diagnostic.kind).name) + ": " + diagnostic.message;
  }
  if (test.fail) return failed ? "" : "accepted, but is not YAML";
  if (failed) return "refused: " + message;
  std::vector<std::string> events;
  std::vector<nlohmann::json> documents;
  for (const Tree& tree : trees) {
    events.push_back("+DOC");
    add_events(tree, tree.root(), events);
    events.push_back("-DOC");
    documents.push_back(to_json(tree, tree.root()));
  }
  if (test.tree) {
    std::vector<std::string> expected = without_empty_documents(expected_events(*test.tree));
    mark_keys(expected);
    if (without_empty_documents(events) != expected) return "read as other events";
  }
  if (test.json) {
    std::erase_if(documents, [](const nlohmann::json& document) { return document.is_null(); });
    const auto expected = json_documents(*test.json);
    if (documents != expected) {
      return "read as other JSON: " + nlohmann::json(documents).dump() + " not " +
             nlohmann::json(expected).dump();
    }
  }
  return "";
}

std::map<std::string, std::string> exceptions() {
  std::map<std::string, std::string> result;
  std::ifstream in(testing::repository() / "tests/unit/tree/yaml_suite_exceptions.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    REQUIRE(space != line.npos);
    result[line.substr(0, space)] = line.substr(space + 1);
  }
  return result;
}

}  // namespace

TEST_CASE("every case of the yaml-test-suite reads as it says or is listed with a reason") {
  if (!kSuite.missing.empty()) SKIP(kSuite.missing);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSuite.folder / "src")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 300);
  const auto listed = exceptions();
  std::size_t met = 0;
  for (const fs::path& path : files) {
    for (const Case& test : cases_in(path)) {
      const std::string wrong = complaint(test);
      const bool is_listed = listed.count(test.id) != 0;
      INFO(test.id << ": " << wrong);
      CHECK((wrong.empty() || is_listed));
      if (is_listed) {
        ++met;
        INFO("a stale entry: this case now reads as the suite says");
        CHECK_FALSE(wrong.empty());
      }
    }
  }
  CHECK(met == listed.size());
}

TEST_CASE("every case of the yaml-test-suite reads the same by the fast reader and by yaml-cpp") {
  if (!kSuite.missing.empty()) SKIP(kSuite.missing);
  for (const auto& entry : fs::directory_iterator(kSuite.folder / "src")) {
    if (entry.path().extension() != ".yaml") continue;
    for (const Case& test : cases_in(entry.path())) {
      INFO(test.id);
      CHECK(readings::difference(test.yaml, {}, Ambiguity::Kubernetes) == "");
      CHECK(readings::difference(test.yaml, {}, Ambiguity::Refuse) == "");
    }
  }
}
