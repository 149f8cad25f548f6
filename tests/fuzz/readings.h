#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/fast_reader.h"
#include "tree/yaml_reader.h"

/// The fast reader and yaml-cpp over the same text: what one gives, the other has to give.
namespace trainyard::readings {

inline std::string shown(const Span& span) {
  return std::to_string(span.begin) + "-" + std::to_string(span.end);
}

inline std::string shown(const Node& node) {
  std::string text(word(node.kind));
  text += " `" + std::string(node.text) + "` key `" + std::string(node.key) + "` at ";
  text += shown(node.span) + ", key at " + (node.key_span.known() ? shown(node.key_span) : "-");
  return text + ", style " + std::to_string(static_cast<int>(node.style)) + ", " +
         std::to_string(node.size) + " children";
}

inline bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.style == b.style && a.text == b.text && a.key == b.key &&
         a.span == b.span && a.key_span == b.key_span && a.size == b.size && a.origin == b.origin;
}

/// The first nodes that are not the same in everything, or "".
inline std::string difference(const Tree& a, NodeId a_id, const Tree& b, NodeId b_id) {
  if (!same(a[a_id], b[b_id])) return shown(a[a_id]) + "\n  and " + shown(b[b_id]);
  NodeId i = a[a_id].first;
  NodeId j = b[b_id].first;
  for (; i != kNoNode && j != kNoNode; i = a[i].next, j = b[j].next) {
    if (std::string found = difference(a, i, b, j); !found.empty()) return found;
  }
  return i == j ? "" : "lists of children that end differently";
}

inline std::string difference(const std::vector<Tree>& a, const std::vector<Tree>& b) {
  if (a.size() != b.size()) {
    return std::to_string(a.size()) + "\n  and " + std::to_string(b.size()) + " documents";
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::string found = difference(a[i], a[i].root(), b[i], b[i].root());
    if (!found.empty()) return "document " + std::to_string(i) + ": " + found;
  }
  return "";
}

inline std::string shown(const Sink& sink) {
  std::string text;
  for (const Diagnostic& each : sink.sorted()) {
    text += shown(each.span) + " " + each.path + " " + each.message + "\n";
  }
  return text;
}

/// What the two ways disagree in, or "".
inline std::string difference(std::string_view text, const ReadLimits& limits,
                              Ambiguity ambiguity) {
  SourceMap sources;
  const FileId file = sources.add("both.yaml", std::string(text));
  ReadLimits reference = limits;
  reference.reference_reader = true;
  Sink fast_sink;
  Sink reference_sink;
  const auto a = read_yaml(sources, file, fast_sink, limits, ambiguity);
  const auto b = read_yaml(sources, file, reference_sink, reference, ambiguity);
  const std::string fast_messages = shown(fast_sink);
  const std::string reference_messages = shown(reference_sink);
  if (fast_messages != reference_messages) {
    return "messages\n" + fast_messages + "  and\n" + reference_messages;
  }
  return difference(a, b);
}

/// Whether the fast reader takes all of a text that has nothing wrong in its characters; else where
/// the document begins that it declines.
inline bool accepted(std::string_view text, Ambiguity ambiguity, std::size_t* where = nullptr) {
  const YamlInput input{text, 0, 0, {}, ambiguity};
  FastReader reader(input);
  Tree tree;
  FastReader::Result result = FastReader::Result::Document;
  while (result == FastReader::Result::Document) result = reader.next(tree);
  if (where != nullptr) *where = reader.document_begin();
  return result == FastReader::Result::End;
}

}  // namespace trainyard::readings
