#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

inline constexpr std::size_t kNoCommand = static_cast<std::size_t>(-1);

/// A place where the shell, or Kubernetes before it, puts something in.
struct Expansion {
  enum class Kind : std::uint8_t { Variable, Output, Sum };

  Kind kind = Kind::Variable;
  char change = 0;  // what stands beside the name in braces: `:`, `-`, `%`...
  /// Of a variable; also `1`, `@`, `#`. Of an output, where the command is one name: to Kubernetes
  /// `$(NAME)` is a variable.
  std::string_view name;
  bool is_in_document = false;  // in the text of a here-document
  std::size_t begin = 0;        // in the script
  std::size_t end = 0;
  std::size_t from = 0;  // in the text of its word, unless that is a list
  std::size_t to = 0;
};

/// A word of a script.
struct ScriptWord {
  std::string text;       // without quotes; an expansion as it is written
  std::size_t begin = 0;  // in the script, with its quotes
  std::size_t end = 0;
  bool is_quoted = false;           // in part at least
  bool has_pattern = false;         // `*`, `~`, `{a,b}` outside quotes
  bool is_list = false;             // `NAME=(a b)`
  std::size_t first_expansion = 0;  // in those of the script
  std::size_t last_expansion = 0;   // behind the last one

  bool expands() const { return first_expansion != last_expansion; }
};

/// `2>&1`, `< file`. Of a here-document, the word is what ends it.
struct Redirection {
  std::string_view mark;  // without the number in front
  ScriptWord word;
};

/// A command of a script: a simple one, or a compound one, which other commands stand in.
struct ScriptCommand {
  enum class Kind : std::uint8_t { Simple, If, Loop, Case, Group, Subshell, Function, Sum };
  enum class Joint : std::uint8_t { Line, Background, Pipe, And, Or };

  Kind kind = Kind::Simple;
  std::size_t around = kNoCommand;  // the command that it stands in
  bool is_output = false;           // within `$(...)`: the script only takes what it prints
  bool may_be_left_out = false;     // within a branch of `if` or `case`, or a function
  Joint before = Joint::Line;       // between it and the one in front
  Joint behind = Joint::Line;       // `;` is a Line too
  std::size_t begin = 0;            // in the script
  std::size_t end = 0;
  /// Of `for`, its variable and words; of `case`, its word and patterns; of a function, its name.
  std::vector<ScriptWord> words;
  std::vector<Redirection> redirections;

  bool is_simple() const { return kind == Kind::Simple; }
};

/// What a shell cannot read of a script, and where.
struct ShellFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string what;  // a sentence without a full stop
};

/// A script as sh and bash read it (POSIX 1003.1, Shell Command Language, with what bash adds).
/// It looks into the text, which has to outlive it.
struct Script {
  std::string_view text;
  std::vector<ScriptCommand> commands;  // as they begin; those of `$(...)` too
  std::vector<Expansion> expansions;    // as they begin; of here-documents too
  std::vector<std::size_t> comments;    // where they begin
  /// The first thing for which a shell refuses the script before it runs any of it. Commands are
  /// read behind it as well as can be.
  std::optional<ShellFault> fault;

  /// Those of a word that stand in no other one of it.
  std::vector<Expansion> expansions_of(const ScriptWord& word) const;
  /// Behind the name, within the braces.
  std::size_t end_of_name(const Expansion& expansion) const {
    return static_cast<std::size_t>(expansion.name.data() - text.data()) + expansion.name.size();
  }
  /// The word that begins a loop or a choice: `for`, `while`, `case`; "" for another command.
  std::string_view head(const ScriptCommand& command) const;
  /// Whether a `;`, an end of line or another command follows.
  bool is_ended(const ScriptCommand& command) const;
  /// Whether nothing behind a command is reached: it is `exit`, or `exec` with a program.
  bool surely_ends_with(const ScriptCommand& command) const;
};

/// Reads any text. Of two `$` in a row, the first one stands for itself, as in an argument of
/// Kubernetes. No fault is reported if blocks stand more than a hundred deep.
Script read_script(std::string_view text);

}  // namespace trainyard
