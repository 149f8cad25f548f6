#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "diag/sink.h"
#include "source/source_map.h"

namespace trainyard {

/// How documents are laid out.
struct FormatOptions {
  std::size_t width = 100;  // up to which a short flow collection stays on its line

  /// The rank of a key in the map at `path` ("spec.run", list items as "spec.roles[]", "" for the
  /// document); lower comes first, equal ones stay in their order. None: every key stays.
  std::function<std::size_t(std::string_view path, std::string_view key)> rank;
};

/// Lays out YAML documents as our writer would and keeps what a writer cannot know: comments,
/// document markers, one empty line between groups, multi-line texts, short flow collections.
/// The result reads back as the same values, and formatting it again gives the same bytes.
///
/// Nothing when the text is not YAML, or uses what would be lost (anchors, aliases, merge keys,
/// tags,
/// `? ` keys, directives: `cannot-format`); `sink` then says what, and the text should be left
/// alone.
std::optional<std::string> format_yaml(const SourceMap& sources, FileId file, Sink& sink,
                                       const FormatOptions& options = {});

}  // namespace trainyard
