#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// What stands on a line without a value.
struct NoteLine {
  enum class Kind : std::uint8_t { Comment, Blank, Marker };
  Kind kind = Kind::Blank;
  std::string_view text;     // "# ...", "---", "..."
  std::string_view comment;  // beside a marker
  std::size_t column = 0;    // of a comment
};

/// A comment on a line of its own.
struct Note {
  std::string_view text;
  bool blank_before = false;
};

/// What stands around one value and is no part of it.
struct NodeNotes {
  std::vector<Note> before;   // above the key or dash
  bool blank_before = false;  // between those and the key or dash
  std::string_view beside;    // after the colon, dash or bracket, on its line
  std::vector<Note> inside;   // between that line and the value
  std::string_view after;     // after the value, on its last line
  std::vector<Note> foot;     // below the last child of a collection
  std::size_t column = 0;     // of the key or dash
  std::size_t end = 0;        // of a scalar's text; a kept block scalar owns the empty lines below
  bool flow = false;
  bool noted_flow = false;  // a flow collection with comments inside
};

struct DocumentNotes {
  std::vector<NoteLine> head;    // before the first entry, markers included
  std::vector<NodeNotes> nodes;  // by NodeId
};

/// Everything in a file besides its values.
struct FileNotes {
  std::vector<DocumentNotes> documents;
  std::vector<NoteLine> tail;
  std::vector<std::string_view> comments;  // all of them, as they come
};

/// What keeps a file from being formatted.
struct NotesFault {
  std::size_t at = 0;
  std::string message;
};

/// Collects the notes of a file whose documents have been read from `text`.
std::optional<NotesFault> collect_notes(std::string_view text, const std::vector<Tree>& documents,
                                        FileNotes& result);

}  // namespace trainyard
