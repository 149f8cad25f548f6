#include "shell/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <forward_list>
#include <span>
#include <utility>

#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "source/text_equal.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kBreak = "\n";

/// Of a variable. Nearly always the first field of its item, and looked at by lint after lint.
std::string_view name_of(View variable) {
  if (variable->is_map() && variable->size != 0) {
    const View first = variable.first();
    if (first.kind() == Kind::String && same_text(first.key(), "name")) return first->text;
  }
  return string_at(variable, "name");
}

/// A word, which stands in the document or in a script that was read.
struct Word {
  std::string_view text;
  WordView at;
  bool is_in_script = false;
  bool is_reached = true;  // the script has not ended before it
  bool may_be_left_out = false;
};
using Words = std::vector<Word>;

/// The words of a command line. None is copied.
class CommandWords {
 public:
  CommandWords() { words_.reserve(16); }
  explicit CommandWords(View container) : CommandWords() {
    for (std::string_view field : {"command", "args"}) {
      for (View argument : items_at(container, field)) add(argument);
    }
  }

  /// Those of one more argument.
  void add(View argument) {
    if (!argument.is_scalar()) return;
    if (argument->text.find_first_of(" \t\n") == argument->text.npos) {
      words_.push_back({argument->text, argument});
    } else {
      scripts_.push_front(read_script(argument->text));
      add(argument, scripts_.front());
    }
  }

  const Words& all() const { return words_; }
  std::vector<ShellWord> copies() const {
    std::vector<ShellWord> copies;
    copies.reserve(words_.size());
    for (const Word& word : words_) copies.push_back({std::string(word.text), word.at});
    return copies;
  }

 private:
  /// The commands that it runs itself, with what they read and write as words behind the others,
  /// and of loops and choices the words of their heads.
  void add(View argument, const Script& script) {
    bool is_reached = true;
    for (const ScriptCommand& command : script.commands) {
      if (command.is_output) continue;
      Word word{"", argument, true, is_reached, command.may_be_left_out};
      const auto put = [&](std::string_view text, std::size_t begin, std::size_t end) {
        word.text = text;
        word.at = WordView(argument, begin, end);
        words_.push_back(word);
      };
      const std::string_view head = script.head(command);
      if (!head.empty()) put(head, command.begin, command.begin + head.size());
      for (const ScriptWord& each : command.words) put(each.text, each.begin, each.end);
      for (const Redirection& each : command.redirections) {
        if (each.mark == "<<" || each.mark == "<<-") continue;
        put(each.mark, each.word.begin, each.word.end);
        put(each.word.text, each.word.begin, each.word.end);
      }
      if (script.is_ended(command)) put(kBreak, 0, 0);
      is_reached = is_reached && !script.surely_ends_with(command);
    }
  }

  Words words_;
  std::forward_list<Script> scripts_;  // whose addresses stay
};

/// How a launcher is started.
struct Launcher {
  std::string_view mention;  // a part of a word that each of its calls has
  bool (*starts)(const Words& words, std::size_t at);
  const LauncherOptions& options;
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

constexpr Launcher kTorchrun{"torch", starts_torchrun, torchrun_options};
constexpr Launcher kMpirun{"mpi", starts_mpirun, mpirun_options};
constexpr Launcher kAccelerate{"accelerate", starts_accelerate, accelerate_options};
constexpr Launcher kDeepspeed{"deepspeed", starts_deepspeed, deepspeed_options};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

LauncherCall read_call(const Words& words, std::size_t at, const Launcher& launcher) {
  LauncherCall call;
  call.at = words[at].at;
  call.options.reserve(8);
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const Word& word = words[i];
    const std::string_view text = word.text;
    if (text.size() < 2 || text[0] != '-') {
      call.may_have_more = text.starts_with('$') || text.starts_with('`');
      break;
    }
    const std::size_t equals = text.find('=');
    OptionValue value{"", word.at};
    const std::size_t values = launcher.options.values_behind(text);
    if (equals != std::string_view::npos) {
      value.text = text.substr(equals + 1);
    } else if (values == 0) {
      value.text = "true";
    } else if (i + 1 < words.size() && words[i + 1].text != kBreak) {
      ++i;
      value = {std::string(words[i].text), words[i].at};
      if (values == 2 && i + 1 < words.size()) value.text.append(" ").append(words[++i].text);
    }
    call.options.emplace_back(kebab_name(text), std::move(value));
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

bool says_anywhere(View container, std::string_view part) {
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      if (argument->text.find(part) != std::string_view::npos) return true;
    }
  }
  return false;
}

using SharedCall = std::shared_ptr<const LauncherCall>;

/// What a script surely makes of its variables, as far as it says it in so many words.
class Assigned {
 public:
  void take(std::string_view word, bool is_certain) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals == 0) return;
    std::string_view name = word.substr(0, equals);
    const bool adds = name.ends_with('+');
    if (adds) name.remove_suffix(1);
    if (name.find_first_not_of(kShellNameCharacters) != name.npos) return;
    const std::string_view value = word.substr(equals + 1);
    const auto known = std::ranges::find(values_, name, &Value::name);
    const bool is_plain = is_certain && !adds && value.find_first_of("$`(") == value.npos;
    if (known != values_.end()) {
      known->text = {};
    } else {
      values_.push_back({name, is_plain ? value : std::string_view()});
    }
  }

  /// The text with the values of its variables; as it is where one is not known.
  std::string resolved(std::string_view text) const {
    std::string all;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] != '$') {
        all += text[i++];
        continue;
      }
      const bool braced = text.substr(i + 1).starts_with('{');
      const std::size_t begin = i + (braced ? 2 : 1);
      const std::size_t end =
          std::min(text.find_first_not_of(kShellNameCharacters, begin), text.size());
      const auto known = std::ranges::find(values_, text.substr(begin, end - begin), &Value::name);
      const bool is_whole = !braced || text.substr(end).starts_with('}');
      if (known == values_.end() || known->text.empty() || !is_whole) return std::string(text);
      all += known->text;
      i = end + (braced ? 1 : 0);
    }
    return all;
  }

 private:
  struct Value {
    std::string_view name;
    std::string_view text;  // "" where it is not certain
  };
  std::vector<Value> values_;
};

SharedCall find_call(const Words& words, const Launcher& launcher) {
  Assigned assigned;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (!word.is_reached) continue;
    if (word.is_in_script && !found) assigned.take(word.text, !word.may_be_left_out);
    if (!launcher.starts(words, i) || asks_about_itself(words, i)) continue;
    if (is_spoken_of(words, i)) continue;
    if (found || word.may_be_left_out) return nullptr;
    found = i;
  }
  if (!found) return nullptr;
  LauncherCall call = read_call(words, *found, launcher);
  for (auto& [name, value] : call.options) {
    if (value.text.find('$') != value.text.npos) value.text = assigned.resolved(value.text);
  }
  return std::make_shared<const LauncherCall>(std::move(call));
}

/// The CallsStay that lives now; 0 for none.
constinit thread_local std::uint64_t current_stay = 0;

/// What lint after lint asks of the same container, while nothing changes: to find it out costs
/// more than most of them do otherwise.
class KnownContainer {
 public:
  bool is_of(View container) const { return container.is_at(container_) && stay_ == current_stay; }

  void start(View container) {
    container_ = container;
    stay_ = current_stay;
    has_variables_ = false;
    said_.clear();
    calls_.clear();
    words_.reset();
  }

  const CommandWords& words() {
    if (!words_) words_.emplace(container_);
    return *words_;
  }

  /// The last variable of this name; most of them are not there.
  View variable(std::string_view name) {
    if (!has_variables_) read_variables();
    if ((bits_ & key_bit(name)) == 0) return {};
    for (auto each = named_.rbegin(); each != named_.rend(); ++each) {
      if (same_text(each->name, name)) return each->variable;
    }
    return {};
  }

  /// `part` is a constant, known by its place.
  bool mentions(std::string_view part) {
    for (const Said& each : said_) {
      if (each.part == part.data()) return each.is_there;
    }
    return said_.emplace_back(Said{part.data(), says_anywhere(container_, part)}).is_there;
  }

  const SharedCall& call(const Launcher& launcher) {
    for (const Call& each : calls_) {
      if (each.launcher == &launcher) return each.call;
    }
    const bool may = mentions(launcher.mention);
    SharedCall call = may ? find_call(words().all(), launcher) : nullptr;
    return calls_.emplace_back(Call{&launcher, std::move(call)}).call;
  }

 private:
  struct Named {
    std::string_view name;
    View variable;
  };
  struct Said {
    const char* part;
    bool is_there;
  };
  struct Call {
    const Launcher* launcher;
    SharedCall call;
  };

  void read_variables() {
    has_variables_ = true;
    bits_ = 0;
    named_.clear();
    for (View each : items_at(container_, "env")) {
      named_.push_back({name_of(each), each});
      bits_ |= key_bit(named_.back().name);
    }
  }

  View container_;
  std::uint64_t stay_ = 0;
  bool has_variables_ = false;
  KeyBits bits_ = 0;
  std::vector<Named> named_;
  std::vector<Said> said_;
  std::vector<Call> calls_;
  std::optional<CommandWords> words_;
};

/// Only while a CallsStay lives.
KnownContainer& known(View container) {
  constinit thread_local KnownContainer* newest = nullptr;
  if (newest != nullptr && newest->is_of(container)) return *newest;
  thread_local std::array<KnownContainer, 4> last;  // as many as a job has sorts of pods
  thread_local std::size_t oldest = 0;
  for (KnownContainer& each : last) {
    if (each.is_of(container)) return *(newest = &each);
  }
  newest = &last[oldest++ % last.size()];
  newest->start(container);
  return *newest;
}

SharedCall only_call(View container, const Launcher& launcher) {
  if (current_stay != 0) return known(container).call(launcher);
  return says_anywhere(container, launcher.mention)
             ? find_call(CommandWords(container).all(), launcher)
             : nullptr;
}

}  // namespace

CallsStay::CallsStay() {
  constinit thread_local std::uint64_t last = 0;
  current_stay = ++last;
}
CallsStay::~CallsStay() {
  current_stay = 0;
}

std::vector<ShellWord> command_words(View container) {
  return current_stay != 0 ? known(container).words().copies() : CommandWords(container).copies();
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

bool mentions(View container, std::string_view part) {
  return current_stay != 0 ? known(container).mentions(part) : says_anywhere(container, part);
}

std::shared_ptr<const LauncherCall> torchrun_call(View container) {
  return only_call(container, kTorchrun);
}

std::shared_ptr<const LauncherCall> mpirun_call(View container) {
  return only_call(container, kMpirun);
}

std::shared_ptr<const LauncherCall> accelerate_call(View container) {
  return only_call(container, kAccelerate);
}

std::shared_ptr<const LauncherCall> deepspeed_call(View container) {
  return only_call(container, kDeepspeed);
}

bool may_run_shell(View container) {
  const Items command = items_at(container, "command");
  if (command.begin() == command.end()) return true;
  bool first = true;
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      const bool is_first = std::exchange(first, false);
      if (is_shell(argument->text)) return true;
      // `/usr/bin/env bash`, `ssh`, `eval` in one text, scripts that re-read their arguments.
      if (is_first && program_name(argument->text).ends_with(".sh")) return true;
    }
  }
  return false;
}

View variable(View container, std::string_view name) {
  if (current_stay != 0) return known(container).variable(name);
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
