#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "diag/redaction.h"
#include "driver/session/session.h"

namespace trainyard {

/// The texts that causes point into, as they may be shown: with masks in place of secrets, and
/// nothing that a terminal obeys. Of the files that a map names, those below the root of `asked`.
class CauseTexts {
 public:
  CauseTexts(Session& session, std::string asked) : session_(session), asked_(std::move(asked)) {}

  /// Reads the file, unless it is known already. All files are needed before a line is shown: a
  /// secret of one may stand in another.
  void need(const std::string& file);
  /// A text of our own; the same holds.
  FileId add(std::string_view name, std::string_view text);

  /// A line of a file that was needed; nothing where there is none, it is empty, or it may not be
  /// shown.
  std::optional<std::string> line(const std::string& file, std::uint32_t line);
  std::optional<std::string> line(FileId file, std::uint32_t line,
                                  std::size_t longest = kLongestLine);
  /// A name or a path.
  std::string words(std::string_view text);

 private:
  static constexpr std::size_t kLongestLine = 400;  // code points

  FileId read(const std::string& file);
  const Redaction& redaction();

  Session& session_;
  std::string asked_;
  std::map<std::string, FileId, std::less<>> files_;
  std::optional<Redaction> redaction_;
};

/// What a rule, or a step of a Cluster's objects, makes sure of; "" for no such name.
std::string_view sentence_of_rule(std::string_view name);

}  // namespace trainyard
