#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/word_view.h"
#include "tree/tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

struct Script;

/// A word of a command line, and the argument that it stands in.
struct ShellWord {
  std::string_view text;  // without quotes; "\n" where a command of a script ends
  WordView at;
  bool is_in_script = false;
  bool is_reached = true;  // the script has not ended before it
  bool may_be_left_out = false;
};

/// Words of a command line, whose texts live as long as this and the document do.
struct ShellWords : std::span<const ShellWord> {
  std::shared_ptr<const void> kept;
};

/// The words of a container's `command` and `args`. An argument that holds spaces is taken for a
/// script: its words come one by one, without comments.
ShellWords command_words(View container);
/// Those of some arguments.
ShellWords argument_words(const std::vector<View>& arguments);
/// The script that an argument is taken for.
std::shared_ptr<const Script> script_in(View argument);

/// Whether any word of `command` and `args` is one that `is` says yes to, before a script is read.
template <class Is>
bool any_argument(View container, Is is) {
  return std::ranges::any_of(items_at(container, "command"), is) ||
         std::ranges::any_of(items_at(container, "args"), is);
}

/// Where the program stands of the command that has the word at `at`; no further than that.
std::size_t program_before(std::span<const ShellWord> words, std::size_t at);

/// A text that is a number and nothing else.
std::optional<std::int64_t> plain_number(std::string_view text);

/// A value of an option of a launcher; `text` is "" where the option is not given.
struct OptionValue {
  std::string text;
  WordView at;

  explicit operator bool() const { return !text.empty(); }
  /// As a plain number; nothing for `auto`, `$N` and the like.
  std::optional<std::int64_t> number() const { return plain_number(text); }
};

/// The value of the option that is the word at `at`: behind its `=`, or the next word.
OptionValue value_at(std::span<const ShellWord> words, std::size_t at);

/// `torchrun --version`: whether the word behind a program is no more than a question to it.
bool asks_about_itself(std::string_view word);

/// A call of a launcher with the options that lints ask for; names are in kebab-case without
/// dashes: `nproc-per-node`.
class LauncherCall {
 public:
  WordView at;
  std::vector<std::pair<std::string, OptionValue>> options;
  /// A variable stands behind them, as in `torchrun $ARGS a.py`, which may hold more.
  bool may_have_more = false;

  /// The last value that is given; an empty one for none.
  const OptionValue& option(std::string_view name) const;
};

// The one call of a launcher in a container; null when there is none, or several, when it is
// not known which is taken. Many lints ask for the same one, so it is shared.

/// Of torchrun, or `python -m torch.distributed.run`.
std::shared_ptr<const LauncherCall> torchrun_call(View container);
/// Of mpirun or mpiexec.
std::shared_ptr<const LauncherCall> mpirun_call(View container);
/// Of `accelerate launch`.
std::shared_ptr<const LauncherCall> accelerate_call(View container);
/// Of `deepspeed`.
std::shared_ptr<const LauncherCall> deepspeed_call(View container);

/// Whether `command` or `args` hold `part`, which is a constant: a glance before they are taken
/// apart, for most containers have nothing of what lints look for.
bool contains_text(View container, std::string_view part);

/// While this lives, nothing changes in the trees whose containers are asked about on this thread,
/// so that what was found out, a call of a launcher, a variable, is known by the container alone.
class CallsStay {
 public:
  CallsStay();
  ~CallsStay();
  CallsStay(const CallsStay&) = delete;
  CallsStay& operator=(const CallsStay&) = delete;
};

/// Whether a shell sees the arguments of a container: it is the program, or another program starts
/// it, as in `tini -- bash -c`. True too where the image says what the program is.
bool may_run_shell(View container);

/// The last variable of this name in `env`, as the one that counts; an empty view for none.
View variable(View container, std::string_view name);
/// Its `value`, when it has one and it is literal.
View variable_value(View container, std::string_view name);

}  // namespace trainyard
