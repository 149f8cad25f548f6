#include "shell/command_line.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "shell/kept_words.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "source/number_text.h"
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

using Words = std::span<const ShellWord>;
using SharedScript = std::shared_ptr<const Script>;

/// The words of a command line. None is copied, but for those that a variable holds.
class Line {
 public:
  explicit Line(const std::vector<View>& arguments, View container = {}) : container_(container) {
    words_.reserve(arguments.size());
    for (View each : arguments) add(each);
  }
  std::span<const ShellWord> words() const { return words_; }

 private:
  void add(View argument) {
    if (!argument.is_scalar()) return;
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
    if (std::ranges::none_of(argument->text, is_blank)) {
      words_.push_back({argument->text, argument});
    } else {
      add(argument, *scripts_.emplace_back(script_in(argument)));
    }
  }

  /// The commands that it runs itself, with what they read and write as words behind the others,
  /// and of loops and choices the words of their heads.
  void add(View argument, const Script& script) {
    bool is_reached = true;
    for (const ScriptCommand& command : script.commands) {
      if (command.is_output) continue;
      const auto put = [&](std::string_view text, std::size_t begin, std::size_t end) {
        words_.push_back({text, {argument, begin, end}, true, is_reached, command.may_be_left_out});
      };
      const std::string_view head = script.head(command);
      if (!head.empty()) put(head, command.begin, command.begin + head.size());
      for (const ScriptWord& each : command.words) {
        const auto* const kept = KeptWords::may_be(each) ? kept_of(script).of(each) : nullptr;
        if (kept == nullptr) {
          put(text_in(script, each), each.begin, each.end);
        } else {
          for (const KeptWords::Word& one : *kept) put(one.text, one.begin, one.end);
        }
      }
      for (const Redirection& each : command.redirections) {
        if (each.mark == "<<" || each.mark == "<<-") continue;
        put(each.mark, each.word.begin, each.word.end);
        put(text_in(script, each.word), each.word.begin, each.word.end);
      }
      if (script.is_ended(command)) put(kBreak, 0, 0);
      is_reached = is_reached && !script.surely_ends_with(command);
    }
  }

  /// With what the script keeps in the variables of the word, where that is known.
  std::string_view text_in(const Script& script, const ScriptWord& word) {
    const std::string* text = word.expands() ? kept_of(script).text_of(script, word) : nullptr;
    return text == nullptr ? std::string_view(word.text) : std::string_view(*text);
  }

  KeptWords& kept_of(const Script& script) {
    auto& kept = kept_[&script];
    if (kept == nullptr) kept = std::make_unique<KeptWords>(script, container_);
    return *kept;
  }

  View container_;

  std::vector<ShellWord> words_;
  std::vector<SharedScript> scripts_;
  std::map<const Script*, std::unique_ptr<KeptWords>> kept_;
};

/// How a launcher is started.
struct Launcher {
  std::string_view mention;  // a part of a word that each of its calls has, or most
  bool (*starts)(Words words, std::size_t at);
  const LauncherOptions& options;
  std::string_view other = {};  // a part that the others have; "" where there are none
};

bool follows(Words words, std::size_t at, std::string_view a, std::string_view b) {
  return at > 0 && words[at].text == b && words[at - 1].text == a;
}

bool starts_torchrun(Words words, std::size_t at) {
  return program_name(words[at].text) == "torchrun" ||
         follows(words, at, "-m", "torch.distributed.run") ||
         follows(words, at, "-m", "torch.distributed.launch");  // with the same options
}
bool starts_mpirun(Words words, std::size_t at) {
  constexpr auto names = std::to_array<std::string_view>(
      {"mpirun", "mpiexec", "mpiexec.hydra", "mpirun.hydra", "orterun", "prterun"});
  return std::ranges::find(names, program_name(words[at].text)) != names.end();
}
bool starts_accelerate(Words words, std::size_t at) {
  return (at > 0 && words[at].text == "launch" &&
          program_name(words[at - 1].text) == "accelerate") ||
         follows(words, at, "-m", "accelerate.commands.launch");
}

bool starts_deepspeed(Words words, std::size_t at) {
  return (program_name(words[at].text) == "deepspeed" && program_before(words, at) == at) ||
         follows(words, at, "-m", "deepspeed.launcher.runner");
}
bool starts_horovodrun(Words words, std::size_t at) {
  return program_name(words[at].text) == "horovodrun";
}
bool starts_colossalai(Words words, std::size_t at) {
  return at > 0 && words[at].text == "run" && program_name(words[at - 1].text) == "colossalai";
}
bool starts_pdsh(Words words, std::size_t at) {
  return program_name(words[at].text) == "pdsh" && program_before(words, at) == at;
}

constexpr Launcher kTorchrun{"torch", starts_torchrun, torchrun_options};
constexpr Launcher kMpirun{"mpi", starts_mpirun, mpirun_options, "rterun"};
constexpr Launcher kAccelerate{"accelerate", starts_accelerate, accelerate_options};
constexpr Launcher kDeepspeed{"deepspeed", starts_deepspeed, deepspeed_options};
constexpr Launcher kHorovodrun{"horovodrun", starts_horovodrun, horovodrun_options};
constexpr Launcher kColossalai{"colossalai", starts_colossalai, colossalai_options};
constexpr Launcher kPdsh{"pdsh", starts_pdsh, pdsh_options};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

LauncherCall read_call(Words words, std::size_t at, const Launcher& launcher) {
  LauncherCall call;
  call.at = words[at].at;
  call.options.reserve(8);
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (text.size() < 2 || text[0] != '-') {
      call.may_have_more = text.starts_with('$') || text.starts_with('`');
      break;
    }
    const std::size_t values = launcher.options.values_behind(text);
    const bool is_whole = text.find('=') != text.npos;
    OptionValue value = value_at(words, i);
    if (values == 0 && !is_whole) value = {"true", words[i].at};
    if (values != 0 && value.at) ++i;
    if (values == 2 && value.at && i + 1 < words.size())
      value.text.append(" ").append(words[++i].text);
    call.options.emplace_back(kebab_name(text), std::move(value));
  }
  return call;
}

/// Whether a word is an argument of a program that only looks for the one of this name, or speaks
/// of it: `which torchrun`.
bool is_spoken_of(Words words, std::size_t at) {
  constexpr auto speakers = std::to_array<std::string_view>(
      {"-v", "-V", "which", "type", "hash", "echo", "printf", "grep", "pgrep", "pkill", "killall"});
  const std::size_t program = program_before(words, at);
  return program != at && contains(speakers, program_name(words[program].text));
}

/// The arguments of a container as one text, which lints search for constants. Most of these are
/// not there, and have a pair of letters that is nowhere in it.
class ArgumentText {
 public:
  void read(View container) {
    text_.clear();
    pairs_.reset();
    for (const char* key : {"command", "args"}) {
      for (View argument : items_at(container, key)) text_.append(argument->text) += '\0';
    }
    for (std::size_t i = 1; i < text_.size(); ++i) pairs_[pair(text_[i - 1], text_[i])] = true;
  }

  bool holds(std::string_view part) const {
    for (std::size_t i = 1; i < part.size(); ++i) {
      if (!pairs_[pair(part[i - 1], part[i])]) return false;
    }
    return text_.find(part) != std::string::npos;
  }

 private:
  static constexpr std::size_t kPairs = 1024;
  static std::size_t pair(char a, char b) {
    return (static_cast<unsigned char>(a) * 37U + static_cast<unsigned char>(b)) % kPairs;
  }

  std::string text_;
  std::bitset<kPairs> pairs_;  // several pairs may share a bit
};

using SharedCall = std::shared_ptr<const LauncherCall>;

/// What a script surely makes of its variables, as far as it says it in so many words.
class Assigned {
 public:
  void take(std::string_view word, bool is_certain) {
    const std::string_view name = assigned_name(word);
    if (name.empty()) return;
    const std::string_view value = word.substr(word.find('=') + 1);
    const bool adds = word[name.size()] == '+';
    const auto known = std::ranges::find(values_, name, &Value::name);
    const bool is_plain = is_certain && !adds && value.find_first_of("$`(") == value.npos;
    if (known != values_.end()) {
      known->text = {};
    } else {
      values_.push_back({name, is_plain ? value : std::string_view()});
    }
  }

  /// The text with the values of its variables; as it is where one is not known.
  std::string resolved(const std::string& text) const {
    std::string all;
    std::size_t at = 0;
    const Script script = read_script(text);
    for (const Expansion& each : script.expansions) {
      const auto known = std::ranges::find(values_, each.name, &Value::name);
      const bool is_variable = each.kind == Expansion::Kind::Variable && each.change == 0;
      if (!is_variable || known == values_.end() || known->text.empty()) return text;
      all.append(text, at, each.begin - at).append(known->text);
      at = each.end;
    }
    return all.append(text, at);
  }

 private:
  struct Value {
    std::string_view name;
    std::string_view text;  // "" where it is not certain
  };
  std::vector<Value> values_;
};

SharedCall find_call(Words words, const Launcher& launcher) {
  Assigned assigned;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    if (!word.is_reached) continue;
    if (word.is_in_script && !found) assigned.take(word.text, !word.may_be_left_out);
    if (!launcher.starts(words, i)) continue;
    if (i + 1 < words.size() && asks_about_itself(words[i + 1].text)) continue;
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
  bool is_of(View container) const {
    return current_stay != 0 && stay_ == current_stay && container.is_at(container_);
  }

  void start(View container) {
    container_ = container;
    stay_ = current_stay;
    has_variables_ = false;
    has_text_ = false;
    calls_.clear();
    words_.reset();
  }

  const ShellWords& words() {
    if (words_) return *words_;
    const auto line = std::make_shared<const Line>(arguments_of(container_), container_);
    return words_.emplace(ShellWords{line->words(), line});
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

  bool contains_text(std::string_view part) {
    if (!has_text_) text_.read(container_);
    has_text_ = true;
    return text_.holds(part);
  }

  const SharedCall& call(const Launcher& launcher) {
    for (const Call& each : calls_) {
      if (each.launcher == &launcher) return each.call;
    }
    const bool may = contains_text(launcher.mention) ||
                     (!launcher.other.empty() && contains_text(launcher.other));
    SharedCall call = may ? find_call(words(), launcher) : nullptr;
    return calls_.emplace_back(Call{&launcher, std::move(call)}).call;
  }

 private:
  struct Named {
    std::string_view name;
    View variable;
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
  bool has_text_ = false;
  ArgumentText text_;
  std::vector<Call> calls_;
  std::optional<ShellWords> words_;
};

/// What is known of a container; nothing but the container where no CallsStay lives.
KnownContainer& known(View container) {
  constinit thread_local KnownContainer* newest = nullptr;
  if (newest != nullptr && newest->is_of(container)) return *newest;
  thread_local std::array<KnownContainer, 4> last;  // as many as a job has sorts of pods
  thread_local std::size_t oldest = 0;
  const auto found = std::ranges::find_if(
      last, [container](const KnownContainer& each) { return each.is_of(container); });
  newest = found != last.end() ? &*found : &last[oldest++ % last.size()];
  if (found == last.end()) newest->start(container);
  return *newest;
}

}  // namespace

CallsStay::CallsStay() {
  constinit thread_local std::uint64_t last = 0;
  current_stay = ++last;
}
CallsStay::~CallsStay() {
  current_stay = 0;
}

ShellWords command_words(View container) {
  return known(container).words();
}

ShellWords argument_words(const std::vector<View>& arguments) {
  const auto line = std::make_shared<const Line>(arguments);
  return {line->words(), line};
}

std::shared_ptr<const Script> script_in(View argument) {
  struct Read {
    View argument;
    std::uint64_t stay = 0;
    SharedScript script;
  };
  thread_local std::array<Read, 4> last;
  thread_local std::size_t oldest = 0;
  for (const Read& each : last) {
    const bool is_of_now = current_stay != 0 && each.stay == current_stay;
    if (is_of_now && argument.is_at(each.argument)) return each.script;
  }
  auto script = std::make_shared<const Script>(read_script(argument->text));
  if (current_stay != 0) last[oldest++ % last.size()] = {argument, current_stay, script};
  return script;
}

std::size_t program_before(Words words, std::size_t at) {
  std::size_t program = at;
  while (program > 0 && words[program - 1].text != kBreak) --program;
  for (; program < at; ++program) {
    const std::string_view word = words[program].text;
    if (word == "-v" || word == "-V") break;  // `command -v`
    if (!is_before_program(word)) break;
  }
  return program;
}

OptionValue value_at(Words words, std::size_t at) {
  const std::string_view word = words[at].text;
  const std::size_t equals = word.find('=');
  if (equals != word.npos) return {std::string(word.substr(equals + 1)), words[at].at};
  if (at + 1 == words.size() || words[at + 1].text == kBreak) return {};
  return {std::string(words[at + 1].text), words[at + 1].at};
}

bool asks_about_itself(std::string_view word) {
  return word == "--version" || word == "--help" || word == "-h" || word == "-V";
}

std::optional<std::int64_t> plain_number(std::string_view text) {
  return read_number(text);
}

const OptionValue& LauncherCall::option(std::string_view name) const {
  static const OptionValue none;
  for (auto each = options.rbegin(); each != options.rend(); ++each) {
    if (each->first == name) return each->second;
  }
  return none;
}

bool contains_text(View container, std::string_view part) {
  return known(container).contains_text(part);
}

std::shared_ptr<const LauncherCall> torchrun_call(View container) {
  return known(container).call(kTorchrun);
}

std::shared_ptr<const LauncherCall> mpirun_call(View container) {
  return known(container).call(kMpirun);
}

std::shared_ptr<const LauncherCall> accelerate_call(View container) {
  return known(container).call(kAccelerate);
}

std::shared_ptr<const LauncherCall> deepspeed_call(View container) {
  return known(container).call(kDeepspeed);
}

std::shared_ptr<const LauncherCall> horovodrun_call(View container) {
  return known(container).call(kHorovodrun);
}

std::shared_ptr<const LauncherCall> colossalai_call(View container) {
  return known(container).call(kColossalai);
}

std::shared_ptr<const LauncherCall> pdsh_call(View container) {
  return known(container).call(kPdsh);
}

bool may_run_shell(View container) {
  const Items command = items_at(container, "command");
  if (command.begin() == command.end()) return true;
  // `/usr/bin/env bash`, `ssh`, `eval` in one text, scripts that re-read their arguments.
  return program_name((*command.begin())->text).ends_with(".sh") ||
         any_argument(container, [](View argument) { return is_shell(argument->text); });
}

View variable(View container, std::string_view name) {
  return known(container).variable(name);
}

View variable_value(View container, std::string_view name) {
  const View value = get(variable(container, name), "value");
  return value && value->is_scalar() ? value : View();
}

}  // namespace trainyard
