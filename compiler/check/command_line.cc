#include "check/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <forward_list>
#include <span>
#include <utility>

#include "check/read.h"
#include "check/shell_text.h"
#include "source/same_text.h"
#include "source/shell.h"

namespace trainyard {
namespace {

constexpr std::string_view kBreak = "\n";

/// Of a variable. Nearly always the first field of its item, and looked at by lint after lint.
std::string_view name_of(View variable) {
  if (variable->is_map() && variable->size != 0) {
    const View first = variable.first();
    if (first.kind() == Kind::String && same_text(first->key, "name")) return first->text;
  }
  return string_at(variable, "name");
}

/// Where the output of a command ends that stands at `begin` between `$(` and `)` or in back
/// quotes; `begin` when it does not end.
std::size_t end_of_output(std::string_view text, std::size_t begin) {
  if (text[begin] == '`') {
    const std::size_t end = text.find('`', begin + 1);
    return end == std::string_view::npos ? begin : end + 1;
  }
  std::size_t depth = 0;
  OutsideQuotes output(text.substr(begin + 1));
  while (output.next()) {
    if (output.here() == '(') ++depth;
    if (output.here() == ')' && --depth == 0) return begin + 1 + output.at() + 1;
  }
  return begin;
}

/// A word, as it stands in the document or was put together.
struct Word {
  std::string_view text;
  WordView at;
};
using Words = std::vector<Word>;

/// The words of a command line. Most are whole arguments, which are not copied.
class CommandWords {
 public:
  CommandWords() { words_.reserve(16); }

  /// Those of one more argument.
  void add(View argument);
  void add(const WordView& at, std::string&& text) {
    made_.push_front(std::move(text));
    words_.push_back({made_.front(), at});
  }

  const Words& all() const { return words_; }
  std::vector<ShellWord> copies() const {
    std::vector<ShellWord> copies;
    copies.reserve(words_.size());
    for (const Word& word : words_) copies.push_back({std::string(word.text), word.at});
    return copies;
  }

 private:
  Words words_;
  std::forward_list<std::string> made_;  // whose addresses stay
};

/// Splits a script as far as options can be told from it: quotes, comments, joined lines, the
/// output of other commands, and the ends of commands.
class ScriptWords {
 public:
  ScriptWords(View at, CommandWords& out) : at_(at), text_(at->text), out_(out) {}

  void split() {
    while (i_ < text_.size()) {
      if (!in_word_) begin_ = i_;
      step();
      if (in_word_) end_ = i_;
    }
    end_word();
  }

 private:
  void step() {
    if (output()) return;
    const char c = text_[i_++];
    if (c == '\\' && i_ < text_.size()) {
      if (text_[i_] == '\n') {
        end_word();
      } else {
        take(text_[i_]);
      }
      ++i_;
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
    } else if (c == '#' && !in_word_) {
      i_ = std::min(text_.find('\n', i_), text_.size());
    } else if (c == '\n' || c == ';' || c == '&' || c == '|') {
      end_word();
      out_.add(WordView(at_), std::string(kBreak));
    } else {
      take(c);
    }
  }

  /// The output of another command is a part of the word, whatever it is.
  bool output() {
    if (is_broken_ || (text_[i_] != '`' && !text_.substr(i_).starts_with("$("))) return false;
    const std::size_t end = end_of_output(text_, i_);
    is_broken_ = end == i_;
    if (is_broken_) return false;
    word_ += text_.substr(i_, end - i_);
    in_word_ = true;
    i_ = end;
    return true;
  }

  void quoted(char quote) {
    in_word_ = true;
    while (i_ < text_.size() && text_[i_] != quote) {
      if (quote == '"' && output()) continue;
      if (quote == '"' && text_[i_] == '\\' && i_ + 1 < text_.size()) ++i_;
      word_ += text_[i_++];
    }
    ++i_;
  }

  void take(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) out_.add({at_, begin_, end_}, std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  View at_;
  std::string_view text_;
  CommandWords& out_;
  std::size_t i_ = 0;
  std::string word_;
  std::size_t begin_ = 0;  // of the word, with its quotes
  std::size_t end_ = 0;
  bool in_word_ = false;
  bool is_broken_ = false;  // the output of a command does not end: no more is looked for
};

void CommandWords::add(View argument) {
  if (!argument->is_scalar()) return;
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  if (std::ranges::none_of(argument->text, is_space)) {
    words_.push_back({argument->text, argument});
  } else {
    ScriptWords(argument, *this).split();
  }
}

CommandWords words_of(View container) {
  CommandWords words;
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) words.add(argument);
  }
  return words;
}

std::string option_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string name(word.substr(0, word.find('=')));
  std::ranges::replace(name, '_', '-');
  return name;
}

/// How a launcher is started and which of its options have no value.
struct Launcher {
  std::string_view mention;  // a part of a word that each of its calls has
  bool (*starts)(const Words& words, std::size_t at);
  std::span<const std::string_view> flags;
  std::span<const std::string_view> two_values;
};

bool follows(const Words& words, std::size_t at, std::string_view a, std::string_view b) {
  return at > 0 && words[at].text == b && words[at - 1].text == a;
}

bool starts_torchrun(const Words& words, std::size_t at) {
  return program_name(words[at].text) == "torchrun" ||
         follows(words, at, "-m", "torch.distributed.run") ||
         follows(words, at, "-m", "torch.distributed.launch");  // with the same options
}
bool starts_mpirun(const Words& words, std::size_t at) {
  const std::string_view name = program_name(words[at].text);
  return name == "mpirun" || name == "mpiexec" || name == "mpiexec.hydra";
}
bool starts_accelerate(const Words& words, std::size_t at) {
  return at > 0 && words[at].text == "launch" && program_name(words[at - 1].text) == "accelerate";
}

constexpr auto kTorchrunFlags = std::to_array<std::string_view>(
    {"standalone", "no-python", "run-path", "m", "module", "use-env"});
constexpr auto kMpirunFlags = std::to_array<std::string_view>(
    {"allow-run-as-root", "oversubscribe", "display-map", "display-allocation", "tag-output", "v",
     "verbose", "q", "bynode", "bycore", "byslot", "nooversubscribe", "report-bindings",
     "timestamp-output", "use-hwthread-cpus", "l"});
constexpr auto kMpirunPairs =
    std::to_array<std::string_view>({"mca", "gmca", "prtemca", "pmixmca", "genv", "env"});
constexpr auto kAccelerateFlags = std::to_array<std::string_view>(
    {"multi-gpu", "cpu", "tpu", "use-deepspeed", "use-fsdp", "use-megatron-lm", "m", "module",
     "no-python", "same-network", "debug", "quiet", "q", "use-xpu", "ipex"});

/// Where the program stands of the command that has the word at `at`; no further than that.
std::size_t program_before(const Words& words, std::size_t at) {
  std::size_t program = at;
  while (program > 0 && words[program - 1].text != kBreak) --program;
  for (; program < at; ++program) {
    const std::string_view word = words[program].text;
    if (word == "-v" || word == "-V") break;  // `command -v`
    if (!leads_to_program(word)) break;
  }
  return program;
}

bool starts_deepspeed(const Words& words, std::size_t at) {
  return program_name(words[at].text) == "deepspeed" && program_before(words, at) == at;
}
// deepspeedai/DeepSpeed deepspeed/launcher/runner.py
constexpr auto kDeepspeedFlags = std::to_array<std::string_view>(
    {"no-ssh", "no-ssh-check", "no-local-rank", "no-python", "module", "force-multi", "save-pid",
     "enable-each-rank-log", "elastic-training", "bind-cores-to-rank"});

constexpr Launcher kTorchrun{"torch", starts_torchrun, kTorchrunFlags, {}};
constexpr Launcher kMpirun{"mpi", starts_mpirun, kMpirunFlags, kMpirunPairs};
constexpr Launcher kAccelerate{"accelerate", starts_accelerate, kAccelerateFlags, {}};
constexpr Launcher kDeepspeed{"deepspeed", starts_deepspeed, kDeepspeedFlags, {}};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

LauncherCall read_call(const Words& words, std::size_t at, const Launcher& launcher) {
  LauncherCall call;
  call.at = words[at].at;
  call.options.reserve(8);
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.text.size() < 2 || word.text[0] != '-') {
      call.may_have_more = word.text.starts_with('$') || word.text.starts_with('`');
      break;
    }
    const std::string name = option_name(word.text);
    const std::size_t equals = word.text.find('=');
    OptionValue value{"", word.at};
    if (equals != std::string_view::npos) {
      value.text = word.text.substr(equals + 1);
    } else if (contains(launcher.flags, name)) {
      value.text = "true";
    } else if (i + 1 < words.size() && words[i + 1].text != kBreak) {
      ++i;
      value = {std::string(words[i].text), words[i].at};
      if (contains(launcher.two_values, name) && i + 1 < words.size()) {
        value.text.append(" ").append(words[++i].text);
      }
    }
    call.options.emplace_back(name, std::move(value));
  }
  return call;
}

/// `torchrun --version`: nothing is started.
bool asks_about_itself(const Words& words, std::size_t at) {
  constexpr auto questions = std::to_array<std::string_view>({"--version", "--help", "-h", "-V"});
  return at + 1 < words.size() && contains(questions, words[at + 1].text);
}

/// Whether a word is an argument of a program that only looks for the one of this name, or speaks
/// of it: `which torchrun`.
bool is_spoken_of(const Words& words, std::size_t at) {
  constexpr auto speakers = std::to_array<std::string_view>(
      {"-v", "-V", "which", "type", "hash", "echo", "printf", "grep", "pgrep", "pkill", "killall"});
  const std::size_t program = program_before(words, at);
  return program != at && contains(speakers, program_name(words[program].text));
}

/// Most containers have no such call, which is seen without taking their texts apart.
bool mentions(View container, std::string_view part) {
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      if (argument->text.find(part) != std::string_view::npos) return true;
    }
  }
  return false;
}

std::optional<LauncherCall> only_call(View container, const Launcher& launcher) {
  if (!mentions(container, launcher.mention)) return std::nullopt;
  const CommandWords command = words_of(container);
  const Words& words = command.all();
  std::optional<LauncherCall> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!launcher.starts(words, i) || asks_about_itself(words, i)) continue;
    if (is_spoken_of(words, i)) continue;
    if (found) return std::nullopt;
    found = read_call(words, i, launcher);
  }
  return found;
}

/// The CallsStay that lives now; 0 for none.
constinit thread_local std::uint64_t current_stay = 0;

/// A call that was found shortly before: lint after lint asks for that of the same container, and
/// to take its texts apart costs more than most of them do otherwise.
class LastCall {
 public:
  /// Whether it is that of this container as it stands now: the same nodes with the same texts.
  bool is_of(View container) const {
    if (!container.is_at(container_)) return false;
    if (current_stay != 0) return stay_ == current_stay;
    if (stay_ != 0) return false;
    std::size_t count = 0;
    for (std::string_view field : {"command", "args"}) {
      for (View argument : items_at(container, field)) {
        if (count == arguments_.size()) return false;
        const Argument& known = arguments_[count++];
        if (known.id != argument.id() || known.text != argument->text) return false;
      }
    }
    return count == arguments_.size();
  }

  void take(View container, std::optional<LauncherCall> call) {
    container_ = container;
    stay_ = current_stay;
    arguments_.clear();
    if (stay_ == 0) take_arguments(container);
    call_ = call ? std::make_shared<const LauncherCall>(*std::move(call)) : nullptr;
  }

  const std::shared_ptr<const LauncherCall>& call() const { return call_; }

 private:
  void take_arguments(View container) {
    for (std::string_view field : {"command", "args"}) {
      for (View argument : items_at(container, field)) {
        arguments_.push_back({argument.id(), std::string(argument->text)});
      }
    }
  }

  struct Argument {
    NodeId id;
    std::string text;
  };
  View container_;
  std::uint64_t stay_ = 0;  // in which it was found; outside of all, its arguments say it
  std::vector<Argument> arguments_;
  std::shared_ptr<const LauncherCall> call_;
};

/// The variables of a container by name, while nothing changes: lint after lint asks for some, and
/// most of them are not there.
class KnownVariables {
 public:
  /// The last one of this name.
  View find(View container, std::string_view name) {
    if (!container.is_at(container_) || stay_ != current_stay) read(container);
    if ((bits_ & key_bit(name)) == 0) return {};
    for (auto each = named_.rbegin(); each != named_.rend(); ++each) {
      if (same_text(each->name, name)) return each->variable;
    }
    return {};
  }

 private:
  struct Named {
    std::string_view name;
    View variable;
  };

  void read(View container) {
    container_ = container;
    stay_ = current_stay;
    bits_ = 0;
    named_.clear();
    for (View each : items_at(container, "env")) {
      named_.push_back({name_of(each), each});
      bits_ |= key_bit(named_.back().name);
    }
  }

  View container_;
  std::uint64_t stay_ = 0;
  KeyBits bits_ = 0;
  std::vector<Named> named_;
};

}  // namespace

CallsStay::CallsStay() {
  constinit thread_local std::uint64_t last = 0;
  current_stay = ++last;
}
CallsStay::~CallsStay() {
  current_stay = 0;
}

CallsPause::CallsPause() : stay_(std::exchange(current_stay, 0)) {}
CallsPause::~CallsPause() {
  current_stay = stay_;
}

std::vector<ShellWord> command_words(View container) {
  return words_of(container).copies();
}

std::vector<ShellWord> argument_words(View argument) {
  CommandWords words;
  words.add(argument);
  return words.copies();
}

std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

const OptionValue& LauncherCall::option(std::string_view name) const {
  static const OptionValue none;
  for (auto each = options.rbegin(); each != options.rend(); ++each) {
    if (each->first == name) return each->second;
  }
  return none;
}

std::shared_ptr<const LauncherCall> torchrun_call(View container) {
  thread_local std::array<LastCall, 4> last;  // as many as a job has sorts of pods
  thread_local std::size_t oldest = 0;
  for (const LastCall& each : last) {
    if (each.is_of(container)) return each.call();
  }
  LastCall& taken = last[oldest++ % last.size()];
  taken.take(container, only_call(container, kTorchrun));
  return taken.call();
}

std::optional<LauncherCall> mpirun_call(View container) {
  return only_call(container, kMpirun);
}

std::optional<LauncherCall> accelerate_call(View container) {
  return only_call(container, kAccelerate);
}

std::optional<LauncherCall> deepspeed_call(View container) {
  return only_call(container, kDeepspeed);
}

bool may_run_shell(View container) {
  const Items command = items_at(container, "command");
  if (command.begin() == command.end()) return true;
  bool first = true;
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      if (is_shell(argument->text)) return true;
      // `/usr/bin/env bash`, `ssh`, `eval` in one text, scripts that re-read their arguments.
      if (first && program_name(argument->text).ends_with(".sh")) return true;
      first = false;
    }
  }
  return false;
}

View variable(View container, std::string_view name) {
  thread_local KnownVariables known;
  if (current_stay != 0) return known.find(container, name);
  View last;
  for (View each : items_at(container, "env")) {
    if (same_text(name_of(each), name)) last = each;
  }
  return last;
}

View variable_value(View container, std::string_view name) {
  const View value = get(variable(container, name), "value");
  return value && value->is_scalar() ? value : View();
}

}  // namespace trainyard
