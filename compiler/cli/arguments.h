#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainyard {

/// What the value of an argument is: what a shell completes there.
enum class ValueKind {
  Free,
  File,       // a document, or a directory of documents
  Directory,  // of any files
  Target,     // a name of an available target
  Topic,      // what `explain` knows by name
  Word,       // one of `CallArgument::words`
};

/// One option or operand of a command: the one row that the parser, the help, the shell completions
/// and the manual are made from.
struct CallArgument {
  std::string name = {};   // `cluster` for `--cluster`; of an operand the word in the usage: `FILE`
  char letter = 0;         // `c` for `-c`; 0 for none
  std::string value = {};  // what help calls the value: `FILE`; "" for a flag
  std::string help = {};   // a sentence without its full stop
  ValueKind kind = ValueKind::Free;
  std::vector<std::string> words = {};
  /// The value where the option stands alone: of `--wait[=PHASE]` it is `finished`. Then another
  /// value stands behind `=` only. "" where the option needs one.
  std::string alone = {};
  bool operand = false;   // takes its place on the line and not a name
  bool required = false;  // of an operand
  std::variant<std::monostate, bool*, std::string*, std::vector<std::string>*> into = {};

  bool is_flag() const { return !operand && value.empty(); }
  bool repeats() const { return std::holds_alternative<std::vector<std::string>*>(into); }
};

/// The arguments of a command, in the order in which help lists them.
using Arguments = std::vector<CallArgument>;

/// Fills what the rows of `table` point to from the words of a call. Otherwise says what is wrong
/// with the call, in words that do not depend on the library that parses.
std::optional<std::string> parse_arguments(const Arguments& table, std::string_view command,
                                           const std::vector<std::string>& words);

/// "`a`, `b` or `c`".
std::string choices(const std::vector<std::string>& words);
/// ": did you mean `X`?", or nothing when no candidate is near.
std::string guess(std::string_view typo, const std::vector<std::string>& candidates);

}  // namespace trainyard
