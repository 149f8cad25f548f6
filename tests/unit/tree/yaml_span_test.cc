// Property: whatever document is read, the text of every span is the value that stands there.

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// Writes random documents in all styles that people use.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string document() {
    out_.clear();
    if (chance(4)) out_ += "# " + word() + "\n---\n";
    block_map(0, 3);
    return out_;
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  bool chance(std::size_t one_in) { return pick(one_in) == 0; }

  std::string word() {
    static const std::vector<std::string> kWords = {
        "alpha", "nvcr.io/nvidia:25.07", "ünï", "a b", "--flag=1", "日本", "x#y", "1.2.3", "😀",
        "k"};
    return kWords[pick(kWords.size())];
  }

  std::string quoted() {
    switch (pick(4)) {
      case 0:
        return "'it''s " + word() + "'";
      case 1:
        return "\"a\\n\\\"" + word() + "\\\"\"";
      case 2:
        return "\"\"";
      default:
        return "'# " + word() + " : '";
    }
  }

  std::string plain() {
    static const std::vector<std::string> kPlain = {"true", "null", "~", "12", "-7", "1.5", ".inf"};
    return chance(2) ? word() : kPlain[pick(kPlain.size())];
  }

  std::string flow(int depth) {
    if (depth == 0 || chance(2)) return chance(2) ? quoted() : plain();
    std::string items;
    const std::size_t count = pick(4);
    const bool map = chance(2);
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) items += chance(3) ? " ,\n        " : ", ";
      if (map) items += "f" + std::to_string(i) + ": ";
      items += flow(depth - 1);
    }
    if (count != 0 && chance(4)) items += ",";
    return map ? "{" + items + "}" : "[ " + items + " ]";
  }

  void end_line() {
    if (chance(4)) out_ += "   # " + word();
    out_ += "\n";
    if (chance(6)) out_ += "\n";
    if (chance(8)) out_ += "# note\n";
  }

  void block_text(std::size_t indent) {
    static const std::vector<std::string> kHeaders = {"|", "|-", "|+", ">", ">-"};
    out_ += " " + kHeaders[pick(kHeaders.size())] + "\n";
    const std::string margin(indent + 1 + pick(3), ' ');
    for (std::size_t i = 0; i <= pick(4); ++i) out_ += margin + word() + ": [ \"\n";
    if (chance(3)) out_ += "\n";
  }

  void value(std::size_t indent, int depth) {
    switch (pick(depth == 0 ? 5 : 8)) {
      case 0:
        return end_line();
      case 1:
        return block_text(indent);
      case 2:
        out_ += " " + word() + "\n" + std::string(indent + 2, ' ') + word();
        return end_line();
      case 3:
        out_ += " " + quoted();
        return end_line();
      case 4:
        out_ += "  " + plain();
        return end_line();
      case 5:
        out_ += " " + flow(2);
        return end_line();
      case 6:
        end_line();
        return block_map(indent + 2, depth - 1);
      default:
        end_line();
        return block_list(indent, depth - 1);
    }
  }

  void block_map(std::size_t indent, int depth) {
    for (std::size_t i = 0; i <= pick(4); ++i) {
      out_ += std::string(indent, ' ') +
              (chance(4) ? "\"k" + std::to_string(i) + "\"" : "k" + std::to_string(i)) + ":";
      value(indent, depth);
    }
  }

  void block_list(std::size_t indent, int depth) {
    for (std::size_t i = 0; i <= pick(3); ++i) {
      out_ += std::string(indent, ' ') + "-";
      value(indent, depth);
    }
  }

  std::mt19937 random_;
  std::string out_;
};

bool same_scalar(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  if (a.style != Style::Literal && a.style != Style::Folded) return a.text == b.text;
  // A span ends with the last content line, so the blank lines after it are not part of it.
  const auto trimmed = [](std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return text;
  };
  return trimmed(a.text) == trimmed(b.text);
}

void check_node(const SourceMap& sources, const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  const std::string text(sources.text(node.span));
  INFO("span text: " << text);
  NodeId before = kNoNode;
  for (NodeId child : tree.children(id)) {
    CHECK(tree[child].span.begin >= node.span.begin);
    CHECK(tree[child].span.end <= node.span.end);
    if (before != kNoNode) CHECK(tree[child].span.begin >= tree[before].span.end);
    if (node.is_map()) {
      CHECK(tree[child].key_span.end < tree[child].span.begin + 1);
      std::string_view key = sources.text(tree[child].key_span);
      if (key.starts_with('"')) key = key.substr(1, key.size() - 2);
      CHECK(key == tree[child].key);
    }
    check_node(sources, tree, child);
    before = child;
  }
  if (!node.is_scalar() && node.style == Style::Block) {
    CHECK(node.span.end == tree[node.last].span.end);
    return;
  }
  if (text.empty()) {
    CHECK(node.kind == Kind::Null);
    CHECK(std::string_view(":-").find(sources.text(node.span.file)[node.span.begin - 1]) !=
          std::string_view::npos);
    return;
  }
  SourceMap own;
  Sink sink;
  const FileId file = own.add("span", text + "\n");
  const std::vector<Tree> again = read_yaml(own, file, sink);
  CHECK_FALSE(sink.has_errors());
  REQUIRE(again.size() == 1);
  if (node.is_scalar()) {
    CHECK(same_scalar(node, again[0][again[0].root()]));
  } else {
    CHECK(equal(tree, id, again[0], again[0].root()));
  }
}

}  // namespace

TEST_CASE("the text of every span reads again as the same value") {
  std::size_t nodes = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    const std::string text = Generator(seed).document();
    SourceMap sources;
    Sink sink;
    const FileId file = sources.add("random", text);
    const std::vector<Tree> trees = read_yaml(sources, file, sink);
    INFO("seed " << seed << "\n" << text);
    REQUIRE_FALSE(sink.has_errors());
    REQUIRE(trees.size() == 1);
    check_node(sources, trees[0], trees[0].root());
    nodes += trees[0].size();
  }
  CHECK(nodes > 4000);
}
