#include "driver/explain/page.h"

#include "driver/format/text_layout.h"

namespace trainyard {
namespace {

constexpr std::size_t kWidth = 100;

/// `  label   text`, the text wrapped below itself.
void print(const std::vector<Page::Fact>& facts, std::string& out) {
  constexpr std::size_t kIndent = 12;
  for (const Page::Fact& each : facts) {
    std::string wrapped;
    append_wrapped(each.text, kIndent, kWidth, wrapped);
    out += "  " + each.label + wrapped.substr(2 + each.label.size());
  }
}

void print(std::string_view title, const std::vector<Page::Limit>& rows, bool planned,
           std::string& out) {
  bool is_first = true;
  for (const Page::Limit& row : rows) {
    if (row.planned != planned) continue;
    if (is_first) out += "\n" + std::string(title) + ":\n";
    is_first = false;
    out += "  " + row.phrase + "\n";
    append_wrapped(row.because, 6, kWidth, out);
  }
}

void put(Tree& tree, NodeId map, std::string_view key, std::string_view text) {
  if (!text.empty()) tree.append(map, tree.intern(key), tree.add_string(tree.intern(text)));
}

void put(Tree& tree, NodeId map, const std::vector<Page::Fact>& facts) {
  const NodeId all = tree.add_map();
  for (const Page::Fact& each : facts) put(tree, all, each.label, each.text);
  tree.append(map, "facts", all);
}

}  // namespace

std::string page_text(const Page& page) {
  if (!page.text.empty()) return page.text;
  std::string out = page.sort + " " + page.name + "\n\n";
  if (!page.sentence.empty()) {
    append_wrapped(page.sentence, 2, kWidth, out);
    out += "\n";
  }
  print(page.facts, out);
  print("cannot express", page.limits, false, out);
  print("not written yet", page.limits, true, out);
  for (const Page::Part& part : page.parts) {
    out += "\n" + part.sort + " " + part.name + "\n";
    print(part.facts, out);
  }
  return out;
}

NodeId add_page(Tree& tree, const Page& page) {
  const NodeId root = tree.add_map();
  put(tree, root, "sort", page.sort);
  put(tree, root, "name", page.name);
  put(tree, root, "description", page.sentence);
  put(tree, root, page.facts);
  if (!page.limits.empty()) {
    const NodeId list = tree.add_seq();
    for (const Page::Limit& each : page.limits) {
      const NodeId limit = tree.add_map();
      put(tree, limit, "field", each.phrase);
      put(tree, limit, "because", each.because);
      tree.append(limit, "planned", tree.add_bool(each.planned));
      tree.append(list, limit);
    }
    tree.append(root, "limits", list);
  }
  if (!page.parts.empty()) {
    const NodeId list = tree.add_seq();
    for (const Page::Part& each : page.parts) {
      const NodeId part = tree.add_map();
      put(tree, part, "sort", each.sort);
      put(tree, part, "name", each.name);
      put(tree, part, each.facts);
      tree.append(list, part);
    }
    tree.append(root, "parts", list);
  }
  return root;
}

}  // namespace trainyard
