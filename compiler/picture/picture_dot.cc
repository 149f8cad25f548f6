#include "picture/picture_dot.h"

#include "picture/box_ids.h"

namespace trainyard {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

/// Lines that end with `\l` stand at the left.
std::string label_of(const Box& box) {
  std::string label = escaped(box.title) + "\\l";
  for (const std::string& line : box.lines) label += escaped(line) + "\\l";
  return label;
}

/// Graphviz draws arrows between nodes alone, and cuts them at the border of a cluster by `lhead`
/// and `ltail`.
class DotWriter {
 public:
  explicit DotWriter(const Picture& picture) : picture_(picture), ids_(picture) {}

  std::string write() {
    out_ = "digraph {\n  label=\"" + escaped(picture_.title) +
           "\"\n  labelloc=t\n  rankdir=LR\n  compound=true\n  node [shape=box, "
           "fontname=monospace]\n  graph [fontname=monospace]\n  edge [fontname=monospace]\n";
    for (const Box& box : picture_.boxes) add(box, 1);
    for (const Arrow& arrow : picture_.arrows) add(arrow);
    return out_ + "}\n";
  }

 private:
  void add(const Box& box, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    if (box.inside.empty()) {
      out_ += indent + ids_.of(box) + " [label=\"" + label_of(box) + "\"" +
              (box.kind == BoxKind::Volume ? ", shape=cylinder" : "") + "]\n";
      return;
    }
    out_ += indent + "subgraph cluster_" + ids_.of(box) + " {\n" + indent + "  label=\"" +
            label_of(box) + "\"\n" + indent + "  labeljust=l\n";
    for (const Box& each : box.inside) add(each, depth + 1);
    out_ += indent + "}\n";
  }

  static const Box& first_leaf(const Box& box) {
    return box.inside.empty() ? box : first_leaf(box.inside.front());
  }

  void add(const Arrow& arrow) {
    const Box* const from = ids_.box(arrow.from);
    const Box* const to = ids_.box(arrow.to);
    if (from == nullptr || to == nullptr) return;
    std::string attributes;
    const auto attribute = [&](std::string_view name, const std::string& value) {
      attributes += (attributes.empty() ? "" : ", ") + std::string(name) + "=\"" + value + "\"";
    };
    if (!arrow.label.empty()) attribute("label", escaped(arrow.label));
    if (!from->inside.empty()) attribute("ltail", "cluster_" + ids_.of(*from));
    if (!to->inside.empty()) attribute("lhead", "cluster_" + ids_.of(*to));
    out_ += "  " + ids_.of(first_leaf(*from)) + " -> " + ids_.of(first_leaf(*to));
    if (!attributes.empty()) out_ += " [" + attributes + "]";
    out_ += "\n";
  }

  const Picture& picture_;
  BoxIds ids_;
  std::string out_;
};

}  // namespace

std::string picture_dot(const Picture& picture) {
  return DotWriter(picture).write();
}

}  // namespace trainyard
