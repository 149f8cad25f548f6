#pragma once

#include <array>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_map.h"

namespace trainyard {

/// A piece of source as it may be shown.
struct RedactedText {
  /// A secret of the source (offsets in the file) that became a mask (offsets in `text`).
  struct Cut {
    std::size_t begin;
    std::size_t end;
    std::size_t mask;
  };

  std::string text;
  std::size_t begin = 0;  // in the file
  std::vector<Cut> cuts;

  /// Where the byte of the file came to stand; the start of the mask for one inside of a secret.
  std::size_t begin_of(std::size_t offset) const;
  /// As `begin_of`, for the end of a range: behind the mask for one inside of a secret.
  std::size_t end_of(std::size_t offset) const;
};

/// What renderers pass every text through before they show it: secrets become `••••`, whatever
/// their length. A secret is what a diagnostic redacts, and what find_secrets sees in a file that a
/// diagnostic points into; neither is shown in the excerpts, messages, notes and fixes of any
/// diagnostic.
class Redaction {
 public:
  Redaction(std::span<const Diagnostic> diagnostics, const SourceMap& sources);

  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  /// `part` of a file, widened within `whole` so that it cuts no secret off.
  Range widened(FileId file, Range part, Range whole) const;
  /// A part of a file that a diagnostic points into.
  RedactedText source(FileId file, Range part) const;
  /// Words of our own, which may quote anything.
  std::string words(std::string_view text) const;

 private:
  std::span<const Range> within(FileId file, Range part) const;
  /// Those of `within`, and where the text of a secret stands once more in or across `part`.
  std::vector<Range> secrets_in(FileId file, Range part) const;
  void search(FileId file);
  void redact(Span span);
  void remember(std::string_view secret);
  void join_ranges();
  static void join(std::vector<Range>& ranges);
  std::size_t secret_at(std::string_view text, std::size_t at) const;

  const SourceMap& sources_;
  std::map<FileId, std::vector<Range>> ranges_;  // sorted and apart
  std::set<std::string_view> texts_;   // of the secrets: a message may quote any, anywhere
  std::deque<std::string> unescaped_;  // of these, those that no source has in this form
  std::size_t longest_ = 0;            // of them
  std::array<bool, 256> firsts_{};     // characters that they begin with
};

/// The message, notes and fixes of a diagnostic, each on a line, without secrets.
std::string full_text(const Diagnostic& diagnostic, const Redaction& redaction);

}  // namespace trainyard
