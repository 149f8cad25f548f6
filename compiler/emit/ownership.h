#pragma once

#include <string>
#include <string_view>

namespace trainyard {

// Each file of an output directory names its source and the digest of its text, so that a
// later run knows what it may change. Its second line, below `kHeader`, is that record:
//
//   # trainyard: source=../specs/nlp/a.yaml sha256=<64 digits>
//   # trainyard: fleet=ml source=../specs/nlp/a.yaml sha256=<64 digits>
//
// `fleet` is the name of the Fleet whose tree the file is in; `build` writes none.
// `source` is the path of the spec from the output directory, so it depends neither on the machine
// nor on the directory of the call; bytes other than printable ASCII and `%` are written as in a
// URL. `-` is standard input, `.` the output directory itself. `sha256` is over the text without
// this line, with line breaks as we write them: a checkout by Git may change those.

inline constexpr std::string_view kStreamSource = "-";
inline constexpr std::string_view kDirectorySource = ".";

/// How the text of a file of ours begins: header and record. `seal` completes it. `fleet` is "" for
/// a file of no fleet.
std::string owned_beginning(std::string_view source, std::string_view fleet = {});
/// Puts the digest into a text that begins so.
void seal(std::string& text);

/// What a text says of who may change it.
struct Owner {
  enum class Mark {
    None,      // no header: not ours
    Header,    // no record: a stream, or a file of trainyard 0.1.0
    Recorded,  // header and record
  } mark = Mark::None;
  std::string source;   // when it is recorded
  std::string fleet;    // the same; "" when there is none
  bool intact = false;  // the text is still the recorded one
};
Owner owner_of(std::string_view text);
/// Whether that is Mark::Recorded, by header and record alone.
bool has_record(std::string_view text);

/// Marks a text with a record as one side of a merge that Git could not do, and seals it. So the
/// next run replaces it, as any stale file, and `unmerged_mark` finds it until then.
void mark_unmerged(std::string& text);

/// The line of that mark in a text; "" if it has none.
std::string_view unmerged_mark(std::string_view text);

/// A text without its record, which may have none.
std::string without_record(std::string_view text);

/// With `\n` for `\r\n`.
std::string with_plain_breaks(std::string_view text);

}  // namespace trainyard
