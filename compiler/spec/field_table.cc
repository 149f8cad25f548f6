#include "spec/field_table.h"

#include <string>
#include <vector>

#include "spec/duration.h"
#include "tree/tree.h"

namespace trainyard {
namespace {

bool find_way(const Tree& tree, NodeId from, NodeId node, std::vector<NodeId>& way) {
  if (from == node) return true;
  for (NodeId child : tree.children(from)) {
    way.push_back(child);
    if (find_way(tree, child, node, way)) return true;
    way.pop_back();
  }
  return false;
}

std::size_t index_of(const Tree& tree, NodeId list, NodeId item) {
  std::size_t index = 0;
  for (NodeId child : tree.children(list)) {
    if (child == item) break;
    ++index;
  }
  return index;
}

/// The path of `node` below `root`, as people write it: `spec.run.args[0]`. For diagnostics only:
/// it searches the tree.
std::string field_path(const Tree& tree, NodeId root, NodeId node) {
  std::vector<NodeId> way;
  if (root == kNoNode || !find_way(tree, root, node, way)) return {};
  std::string path;
  NodeId parent = root;
  for (NodeId step : way) {
    if (tree[parent].is_seq()) {
      path.append("[").append(std::to_string(index_of(tree, parent, step))).append("]");
    } else {
      if (!path.empty()) path += '.';
      path += tree[step].key;
    }
    parent = step;
  }
  return path;
}

const FieldRow* find_field(const FieldTable& table, std::string_view name) {
  for (const FieldRow& field : table.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::string choices(const FieldTable& table) {
  std::string names;
  for (const FieldRow& field : table.fields) {
    if (!field.choice) continue;
    if (!names.empty()) names += ", ";
    names.append("`").append(field.name).append("`");
  }
  return names;
}

void report_two(const Decoding& in, const FieldTable& table, NodeId first, NodeId second) {
  const Node& a = in.tree[first];
  const Node& b = in.tree[second];
  in.sink
      .report(DiagnosticKind::ExclusiveFields, b.key_span,
              "found `" + std::string(b.key) + "` beside `" + std::string(a.key) +
                  "`, where only one of " + choices(table) + " may be given")
      .at(field_path(in.tree, in.root, second))
      .also(a.key_span, "the other one");
}

void report_none(const Decoding& in, const FieldTable& table, NodeId node) {
  in.sink
      .report(DiagnosticKind::MissingChoice, in.tree[node].span,
              "found none of " + choices(table) + ", where one of them is needed")
      .at(field_path(in.tree, in.root, node));
}

}  // namespace

bool read_group(const Decoding& in, NodeId node, const FieldTable& table, void* owner) {
  if (!in.tree[node].is_map()) return false;
  NodeId chosen = kNoNode;
  for (NodeId child : in.tree.children(node)) {
    const FieldRow* field = find_field(table, in.tree[child].key);
    if (field == nullptr || in.tree[child].kind == Kind::Null) continue;
    if (field->choice && chosen != kNoNode) report_two(in, table, chosen, child);
    if (field->choice && chosen == kNoNode) chosen = child;
    field->set(in, child, owner);
  }
  if (table.choice == Choice::ExactlyOne && chosen == kNoNode) report_none(in, table, node);
  return true;
}

bool read_value(const Decoding& in, NodeId node, std::string_view& out) {
  const Node& at = in.tree[node];
  if (!at.is_scalar() || at.kind == Kind::Null) return false;
  out = at.text;
  return true;
}

bool read_value(const Decoding& in, NodeId node, std::int64_t& out) {
  const Node& at = in.tree[node];
  if (at.kind != Kind::Int) return false;
  const auto number = as_int64(at);
  if (number) {
    out = *number;
    return true;
  }
  in.sink
      .report(DiagnosticKind::OutOfRange, at.span,
              "found `" + std::string(at.text) + "`, which does not fit into 64 bits")
      .at(field_path(in.tree, in.root, node));
  return false;
}

bool read_value(const Decoding& in, NodeId node, bool& out) {
  const Node& at = in.tree[node];
  if (at.kind != Kind::Bool) return false;
  out = at.text == "true";
  return true;
}

bool read_value(const Decoding& in, NodeId node, Seconds& out) {
  const Node& at = in.tree[node];
  if (at.kind != Kind::Int && at.kind != Kind::String) return false;
  const auto seconds = parse_duration(at.text);
  if (seconds) {
    out = *seconds;
    return true;
  }
  const bool is_length = at.text.find_first_not_of("0123456789dhms") == std::string_view::npos;
  in.sink
      .report(DiagnosticKind::BadDuration, at.span,
              "found `" + std::string(at.text) +
                  (is_length ? "`, which is longer than 68 years, the most that is taken"
                             : "`, which is not a length of time such as `90s`, `30m`, `12h` or "
                               "`7d`"))
      .at(field_path(in.tree, in.root, node));
  return false;
}

}  // namespace trainyard
