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

/// The line with the dash of a block item: the one that it begins in, or one above with a comment
/// behind the dash, as kyaml writes. Nothing for any other.
std::optional<std::uint32_t> dash_line(FileId file, Position begin, const SourceMap& sources) {
  const auto ends_with_dash = [&](std::uint32_t line, std::size_t column) {
    const std::string_view front = sources.line(file, line).substr(0, column);
    return front.find_first_not_of(" -") == front.npos && std::ranges::count(front, '-') == 1;
  };
  const std::size_t column = begin.column - 1;
  if (ends_with_dash(begin.line, column)) return begin.line;
  const std::string_view front = sources.line(file, begin.line).substr(0, column);
  if (front.find_first_not_of(' ') != front.npos) return std::nullopt;
  for (std::uint32_t at = begin.line - 1; at >= 1; --at) {
    const std::string_view line = sources.line(file, at);
    if (is_comment(line)) continue;
    const std::size_t sign = line.find('#');
    if (sign == line.npos || !ends_with_dash(at, sign)) return std::nullopt;
    return at;
  }
  return std::nullopt;
}

/// The lines of a block item; nothing when one of them stands left of it.
std::optional<std::string> cut_out(View item, const SourceMap& sources) {
  const Span span = item->span;
  if (!span.known() || item->style == Style::Flow || span.size() == 0) return std::nullopt;
  const Position begin = sources.position(span.file, span.begin);
  const std::uint32_t last = sources.position(span.file, span.end - 1).line;
  const auto dash = dash_line(span.file, begin, sources);
  if (!dash) return std::nullopt;
  const std::size_t column = begin.column - 1;
  std::uint32_t first = *dash;
  while (first > 1 && is_comment(sources.line(span.file, first - 1))) --first;
  std::string text;
  for (std::uint32_t at = first; at <= last; ++at) {
    std::string_view line = sources.line(span.file, at);
    const bool is_blank = line.find_first_not_of(" \r") == line.npos;
    if (at < *dash) {
      line.remove_prefix(indentation(line));
    } else if (at == *dash) {
      text += "- ";
      line.remove_prefix(std::min(column, line.find('#')));
    } else if (indentation(line) >= column) {
      text += is_blank ? "" : "  ";
      line.remove_prefix(is_blank ? line.size() : column);
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

std::string as_item(std::string_view document) {
  std::string text;
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size());
    const std::string_view line = document.substr(0, end);
    document.remove_prefix(std::min(end + 1, document.size()));
    if (!line.empty()) text += text.empty() ? "- " : "  ";
    text += std::string(line) + "\n";
  }
  return text;
}

std::string kept_text(View item, const SourceMap& sources) {
  const std::string plain = written(item);
  const std::optional<std::string> text = cut_out(item, sources);
  if (!text) return as_item(plain);
  // What was cut out has to be the item and nothing else: an alias may lead out of it.
  SourceMap own;
  Sink sink;
  const auto trees = read_yaml(own, own.add("item", *text), sink, {}, Ambiguity::Kubernetes);
  const bool is_same = !sink.has_errors() && trees.size() == 1 && trees[0].size() != 0 &&
                       trees[0][trees[0].root()].size == 1 &&
                       written(View(trees[0], trees[0].root()).first()) == plain;
  return is_same ? *text : as_item(plain);
}

}  // namespace trainyard
