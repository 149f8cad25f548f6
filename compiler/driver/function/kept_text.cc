#include "driver/function/kept_text.h"

#include <algorithm>
#include <optional>

#include "diag/sink.h"
#include "tree/yaml_reader.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

std::string written(View item) {
  std::string text;
  write_yaml(item.tree(), item.id(), text);
  return text;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != line.npos && line[first] == '#';
}

/// The lines of a block item without its dash; nothing when one of them stands left of it.
std::optional<std::string> cut_out(View item, const SourceMap& sources) {
  const Span span = item->span;
  if (!span.known() || item->style == Style::Flow || span.size() == 0) return std::nullopt;
  const Position begin = sources.position(span.file, span.begin);
  const std::uint32_t last = sources.position(span.file, span.end - 1).line;
  const std::size_t column = begin.column - 1;
  const std::string_view dash = sources.line(span.file, begin.line).substr(0, column);
  if (dash.find_first_not_of(" -") != dash.npos || std::ranges::count(dash, '-') != 1) {
    return std::nullopt;
  }
  std::uint32_t first = begin.line;
  while (first > 1 && is_comment(sources.line(span.file, first - 1))) --first;
  std::string text;
  for (std::uint32_t at = first; at <= last; ++at) {
    std::string_view line = sources.line(span.file, at);
    const bool is_blank = line.find_first_not_of(" \r") == line.npos;
    if (at < begin.line) {
      line.remove_prefix(indentation(line));
    } else if (at == begin.line || indentation(line) >= column) {
      line.remove_prefix(column);
    } else if (is_blank) {
      line = {};
    } else {
      return std::nullopt;
    }
    text += std::string(line) + "\n";
  }
  return text;
}

}  // namespace

std::string kept_text(View item, const SourceMap& sources) {
  std::string plain = written(item);
  const std::optional<std::string> text = cut_out(item, sources);
  if (!text) return plain;
  // What was cut out has to be the item and nothing else: an alias may lead out of it.
  SourceMap own;
  Sink sink;
  const auto trees = read_yaml(own, own.add("item", *text), sink, {}, Ambiguity::Kubernetes);
  const bool is_same =
      !sink.has_errors() && trees.size() == 1 && written(View(trees[0], trees[0].root())) == plain;
  return is_same ? *text : plain;
}

}  // namespace trainyard
