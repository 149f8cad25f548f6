#include "editor/document_shape.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "editor/yaml_outline.h"
#include "tree/utf8.h"

namespace trainyard {
namespace {

using Kind = OutlineNode::Kind;

/// `SymbolKind` of the protocol.
enum SymbolKind : int { kFile = 1, kField = 8, kList = 18, kMap = 19, kKey = 20 };

constexpr std::size_t kMostSymbols = 20'000;  // a client shows no more
constexpr std::size_t kDeepest = 24;          // of what is shown below each other

std::string shown_name(const Outline& outline, std::uint32_t node) {
  const OutlineNode& each = outline[node];
  std::string name;
  if (each.kind == Kind::Document) {
    name = outline.heading(node, "kind");
    const auto metadata = outline.child(node, "metadata");
    const auto own = metadata ? outline.child(*metadata, "name") : std::nullopt;
    if (own) name += (name.empty() ? "" : " ") + std::string(outline.value(*own));
  } else if (each.kind == Kind::Item) {
    const auto own = outline.child(node, "name");
    name = own ? outline.value(*own) : outline.value(node);
  } else {
    name = outline.key(node);
  }
  if (name.empty()) name = each.kind == Kind::Item ? std::to_string(each.number) : "document";
  name = name.substr(0, std::min(name.find_first_of("\r\n"), std::size_t{80}));
  return is_utf8_text(name) ? name : "text";
}

/// The children of each node, and where each node ends with all that is below it.
struct Nesting {
  explicit Nesting(const Outline& outline) : children(outline.nodes().size()) {
    const auto& nodes = outline.nodes();
    for (const OutlineNode& each : nodes) ends.push_back(std::max(each.last, each.value_end));
    for (auto node = static_cast<std::uint32_t>(nodes.size()); node-- > 0;) {
      const std::uint32_t parent = nodes[node].parent;
      if (parent == OutlineNode::kNone) continue;
      ends[parent] = std::max(ends[parent], ends[node]);
      children[parent].push_back(node);
    }
    for (auto& each : children) std::ranges::reverse(each);
  }

  std::vector<std::vector<std::uint32_t>> children;
  std::vector<std::size_t> ends;
};

class Symbols {
 public:
  Symbols(const OpenDocument& document, const Outline& outline, PositionUnit unit)
      : document_(document), outline_(outline), nesting_(outline), unit_(unit) {}

  Json all() {
    Json list = Json::array();
    for (std::uint32_t node = 0; node < outline_.nodes().size(); ++node) {
      const bool has_content = !nesting_.children[node].empty();
      if (outline_[node].kind == Kind::Document && has_content) list.push_back(symbol(node, 0));
    }
    return list;
  }

 private:
  Json symbol(std::uint32_t node, std::size_t depth) {
    ++count_;
    const OutlineNode& each = outline_[node];
    Json result = {{"name", shown_name(outline_, node)},
                   {"kind", static_cast<int>(kind_of(node))},
                   {"range", range(each.begin, nesting_.ends[node])},
                   {"selectionRange", range(each.begin, each.end)}};
    Json below = Json::array();
    for (const std::uint32_t child : nesting_.children[node]) {
      if (count_ < kMostSymbols && depth < kDeepest) below.push_back(symbol(child, depth + 1));
    }
    if (!below.empty()) result["children"] = std::move(below);
    return result;
  }

  SymbolKind kind_of(std::uint32_t node) const {
    const auto& below = nesting_.children[node];
    if (outline_[node].kind == Kind::Document) return kFile;
    if (below.empty()) return outline_[node].kind == Kind::Item ? kKey : kField;
    return outline_[below.front()].kind == Kind::Item ? kList : kMap;
  }

  Json range(std::size_t begin, std::size_t end) const {
    return range_json(document_.lines, document_.text, begin, std::max(begin, end), unit_);
  }

  const OpenDocument& document_;
  const Outline& outline_;
  Nesting nesting_;
  PositionUnit unit_;
  std::size_t count_ = 0;
};

void add_fold(std::size_t first, std::size_t last, const char* kind, Json& folds) {
  if (last <= first) return;
  Json fold = {{"startLine", first}, {"endLine", last}};
  if (kind != nullptr) fold["kind"] = kind;
  folds.push_back(std::move(fold));
}

void add_comments(const OpenDocument& document, Json& folds) {
  const std::size_t count = document.lines.count();
  std::size_t first = 0;  // of the comment lines in a row
  for (std::size_t line = 0; line <= count; ++line) {
    const std::string_view text =
        std::string_view(document.text).substr(document.lines.start(line));
    const std::size_t word = text.find_first_not_of(" \t");
    if (line < count && word != text.npos && text[word] == '#') continue;
    if (line > first) add_fold(first, line - 1, "comment", folds);
    first = line + 1;
  }
}

}  // namespace

Json document_symbols(const OpenDocument& document, PositionUnit unit) {
  const Outline outline(document.text);
  return Symbols(document, outline, unit).all();
}

Json folding_ranges(const OpenDocument& document) {
  const Outline outline(document.text);
  const Nesting nesting(outline);
  Json folds = Json::array();
  for (std::uint32_t node = 0; node < outline.nodes().size(); ++node) {
    add_fold(document.lines.line_of(outline[node].begin),
             document.lines.line_of(nesting.ends[node]), nullptr, folds);
  }
  add_comments(document, folds);
  return folds;
}

}  // namespace trainyard
