#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convert/generated_mpirun.h"
#include "convert/job_metadata.h"
#include "convert/numbered_tasks.h"
#include "convert/pod_template_reader.h"
#include "convert/rendezvous.h"
#include "convert/tao_shell.h"
#include "diag/credentials.h"
#include "diag/secrets.h"
#include "shell/launchers.h"
#include "shell/plain_command.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A word of the command line and where it stands; several of a script stand at one place.
struct Word {
  std::string text;
  View at;
  bool expands = false;
};
using Words = std::vector<Word>;

struct LauncherForm {
  std::string_view name;  // as the language calls it
  const LauncherOptions& options;
};

constexpr LauncherForm kTorchrun{"torchrun", torchrun_options};
constexpr LauncherForm kAccelerate{"accelerate", accelerate_options};
constexpr LauncherForm kDeepspeed{"deepspeed", deepspeed_options};

bool begins(const Words& words, std::initializer_list<std::string_view> with) {
  if (words.size() < with.size()) return false;
  return std::ranges::equal(with, std::span(words).first(with.size()), {}, {}, &Word::text);
}

bool is_python(const Words& words) {
  return !words.empty() && (words[0].text == "python" || words[0].text == "python3");
}

/// The launcher that a command line calls, and how many words that takes.
std::optional<std::pair<const LauncherForm*, std::size_t>> launcher_call(const Words& words) {
  if (begins(words, {"torchrun"})) return {{&kTorchrun, 1}};
  // A build for HyperPod starts it in the place of torchrun, whose options it takes.
  if (begins(words, {"hyperpodrun"})) return {{&kTorchrun, 1}};
  if (begins(words, {"accelerate", "launch"})) return {{&kAccelerate, 2}};
  if (begins(words, {"deepspeed"})) return {{&kDeepspeed, 1}};
  if (!is_python(words) || words.size() < 3 || words[1].text != "-m") return std::nullopt;
  if (words[2].text == "torch.distributed.run") return {{&kTorchrun, 3}};
  if (words[2].text == "deepspeed.launcher.launch") return {{&kDeepspeed, 3}};
  if (words[2].text == "accelerate.commands.launch") return {{&kAccelerate, 3}};
  return std::nullopt;
}

class CommandReader {
 public:
  explicit CommandReader(PodParts& parts) : parts_(parts), job_(parts.job), role_(parts.role) {}

  void read() {
    Words words;
    for (View each : arguments_of(parts_.main)) words.push_back({std::string(each->text), each});
    withhold_credentials(words);
    const View command = get(parts_.main, "command");
    if (!has_items(command)) {
      list("args", words);
    } else {
      unwrap(words);
      if (!made_mpirun()) program(words);
    }
    job_.ledger.carried(command);
    job_.ledger.carried(get(parts_.main, "args"));
    if (const View directory = get(parts_.main, "workingDir")) {
      if (directory->text.starts_with('/')) job_.carry(run(), "workingDir", directory);
    }
  }

 private:
  NodeId run() { return job_.map_at(parts_.fields(), "run"); }

  /// A variable of a Secret has to stand in the place of each; of one in a script, a mask does, for
  /// only the reader knows how.
  void withhold_credentials(Words& words) {
    CredentialWords command;
    std::string_view option;
    for (Word& word : words) {
      const std::string_view text = word.at->text;
      const bool by_name = command.holds_one(text);
      const bool is_script = text.find_first_of(" \n") != text.npos;
      const bool by_form = find_credential(text) || (is_script && !find_secrets(text).empty());
      if (by_name || by_form) {
        const std::size_t equals = is_script ? text.npos : text.find('=');
        const std::string name =
            variable_name(equals == text.npos ? option : text.substr(0, equals));
        job_.ledger.withheld(word.at, "put it into a Secret, name that in `secretEnv` as `" + name +
                                          "`, and use the variable here");
        if (!is_script) put_secret_to_name(job_, parts_.fields(), job_.maker.tree.intern(name));
        word.text = is_script ? without_secrets(text)
                              : std::string(text.substr(0, equals == text.npos ? 0 : equals + 1)) +
                                    "$(" + name + ")";
      }
      option = text.starts_with('-') ? text : std::string_view();
    }
  }

  /// `WANDB_KEY` for `--wandb-key`.
  static std::string variable_name(std::string_view option) {
    std::string name = kebab_name(option);
    for (char& c : name) {
      const bool is_lower = c >= 'a' && c <= 'z';
      if (is_lower) c = static_cast<char>(c - 'a' + 'A');
      if (!is_lower && kShellNameCharacters.find(c) == kShellNameCharacters.npos) c = '_';
    }
    return name.empty() || !starts_shell_name(name[0]) ? "CREDENTIAL" : name;
  }

  void list(std::string_view key, std::span<const Word> words) {
    if (words.empty()) return;
    const NodeId items = job_.list_at(run(), key);
    for (const Word& each : words) job_.maker.tree.append(items, copy(each));
  }

  /// The word as it stands in the input; one of a script anew.
  NodeId copy(const Word& word) {
    return word.at->text == word.text ? job_.maker.copy(word.at) : job_.text(word.text);
  }

  // --- what runs before the program, as Trainyard writes it

  void unwrap(Words& words) {
    if (!is_wrapped(words)) return;
    if (preparation(words[2].text)) words.erase(words.begin(), words.begin() + 4);
    if (!job_.ours || !is_wrapped(words)) return;
    const bool reaches = reaches_hosts(as_shell_sees(words[2].text));
    if (reaches && role_.name == "launcher") words.erase(words.begin(), words.begin() + 4);
    if (!is_wrapped(words)) return;
    if (first_is_master(as_shell_sees(words[2].text))) {
      words.erase(words.begin(), words.begin() + 4);
      job_.framework = "paddle";
      return;
    }
    const auto shell = read_rank_shell(as_shell_sees(words[2].text));
    if (!shell || !shell->front.empty()) return;
    words.erase(words.begin(), words.begin() + 4);
    told_rank_ = std::ranges::find(shell->exported, "PET_NODE_RANK") != shell->exported.end();
  }

  /// Paddle's launcher on the first node knows itself by its address.
  static bool first_is_master(std::string_view script) {
    return script.starts_with("if [ \"$NODE_RANK\" = 0 ]; then\n  export PADDLE_MASTER=") &&
           script.ends_with("\nfi\nexec \"$@\"\n");
  }

  static bool is_wrapped(const Words& words) {
    return begins(words, {"/bin/sh", "-c"}) && words.size() >= 5 && words[3].text == "sh";
  }

  bool preparation(std::string_view argument) {
    constexpr std::string_view kBegin = "set -e\n";
    constexpr std::string_view kEnd = "exec \"$@\"\n";
    const std::string script = as_shell_sees(argument);
    std::string_view lines = script;
    if (!lines.starts_with(kBegin) || !lines.ends_with(kEnd)) return false;
    lines.remove_prefix(kBegin.size());
    lines.remove_suffix(kEnd.size());
    wait(lines);
    packages(lines);
    before(lines);
    return true;
  }

  /// For the address of rank 0: a build writes it again.
  void wait(std::string_view& lines) {
    constexpr std::string_view kFirst = "left=300\nuntil ! command -v getent >/dev/null || ";
    constexpr std::string_view kLast = "\ndone\n";
    const std::size_t end = lines.find(kLast);
    if (lines.starts_with(kFirst) && end != lines.npos) lines.remove_prefix(end + kLast.size());
  }

  void packages(std::string_view& lines) {
    constexpr std::string_view kPlace = "[ -w \"${HOME:-/}\" ] || export PYTHONUSERBASE=";
    constexpr std::string_view kPip = "python3 -m pip install --no-cache-dir ";
    if (lines.starts_with(kPlace))
      lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
    const std::size_t end = lines.find('\n');
    if (!lines.starts_with(kPip) || end == lines.npos) return;
    const std::vector<std::string> words = shell_words(lines.substr(kPip.size(), end - kPip.size()))
                                               .value_or(std::vector<std::string>());
    if (words.empty()) return;
    std::size_t at = 0;
    for (; at + 1 < words.size(); at += 2) {
      if (words[at] != "--index-url" && words[at] != "--extra-index-url") break;
      job_.maker.tree.append(job_.list_at(job_.map_at(run(), "pip"), "indexUrls"),
                             job_.text(words[at + 1]));
    }
    std::size_t last_option = at;
    for (std::size_t i = at; i < words.size(); ++i) {
      if (words[i].starts_with('-')) last_option = i + 1;
    }
    for (; at < last_option; ++at) {
      job_.maker.tree.append(job_.list_at(job_.map_at(run(), "pip"), "args"), job_.text(words[at]));
    }
    for (; at < words.size(); ++at) {
      job_.maker.tree.append(job_.list_at(run(), "packages"), job_.text(words[at]));
    }
    lines.remove_prefix(end + 1);
  }

  void before(std::string_view lines) {
    std::vector<std::string> items;
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      const std::string_view line = lines.substr(0, end);
      if (line.empty() && !items.empty()) {
        items.back() += '\n';
      } else {
        items.emplace_back(line);
      }
      lines.remove_prefix(end + 1);
    }
    for (const std::string& each : items) {
      job_.maker.tree.append(job_.list_at(run(), "before"), job_.text(each));
    }
  }

  // --- the program

  void program(Words& words) {
    if (words.empty()) return;
    // Workers start sshd, and mpirun what the job is.
    if (job_.framework == "mpi" && !job_.ours && role_.name == "worker") return own_command(words);
    if (tao(words)) return;
    if (!told_rank_ && (launched(words) || by_mpirun(words))) return;
    if (const auto inner = of_shell(words); inner && (launched(*inner) || by_mpirun(*inner)))
      return;
    if (begins(words, {"/bin/sh", "-c"}) && shell(words)) return;
    if (words[0].text == "python3" && plain_script(words)) return;
    // Nothing starts a second process, whatever the number of GPUs.
    const bool alone = is_python(words) && !launcher_call(words) && job_.framework == "pytorch";
    if (alone && role_.processes == 0) role_.processes = 1;
    own_command(words);
  }

  /// A program in the shell of the TAO SDK, whose exports a build makes again.
  bool tao(const Words& words) {
    if (job_.ours || words.size() != 3 || !is_shell(words[0].text)) return false;
    const auto shell = read_tao_shell(as_shell_sees(words[2].text));
    if (!shell) return false;
    job_.framework = "tao";
    for (const auto& [name, value] : shell->exports) {
      const std::string option = name == "NUM_GPU_PER_NODE" ? "nproc-per-node"
                                 : name == "WORLD_SIZE"     ? "nnodes"
                                                            : kebab_name(lower(name));
      const auto wrong = settle_rendezvous_option(job_, role_, option, value);
      if (!wrong) continue;
      job_.ledger.lost(words[2].at, "`" + name + "`: " + *wrong,
                       "`nodes`, `gpusPerNode` and `run.rendezvous` decide how ranks meet");
    }
    role_.program = ProgramKind::Command;
    if (const auto plain = plain_command(shell->program)) {
      for (const PlainWord& each : *plain) {
        job_.maker.tree.append(job_.list_at(run(), "command"), job_.text(each.text));
      }
    } else {
      role_.program = ProgramKind::Shell;
      job_.maker.put(run(), "shell", job_.text("set -eu\n" + shell->program));
    }
    return true;
  }

  static std::string lower(std::string text) {
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
  }

  /// The command and its arguments, as the container separates them.
  void own_command(const Words& words) {
    role_.program = ProgramKind::Command;
    const View args = get(parts_.main, "args");
    const std::size_t arguments = has_items(args) ? args->size : 0;
    const std::size_t command = words.size() - std::min<std::size_t>(arguments, words.size() - 1);
    list("command", std::span(words).first(command));
    list("args", std::span(words).subspan(command));
  }

  /// `-c`, also with the letters that trace a script or end it early: one program is the same with
  /// and without them.
  static bool takes_script(std::string_view option) {
    return option.starts_with('-') && option.ends_with('c') && option.size() <= 5 &&
           option.find_first_not_of("eux", 1) == option.size() - 1;
  }

  /// The words of a script that does nothing but call a program.
  std::optional<Words> of_shell(const Words& words) const {
    if (words.size() != 3 || !is_shell(words[0].text) || !takes_script(words[1].text)) {
      return std::nullopt;
    }
    // Any name that `is_first_host` knows: a build computes it.
    const std::string host = job_.name + "-worker-0." + job_.name;
    const auto plain = plain_command(with_rank_zero(words[2].text, host));
    if (!plain) return std::nullopt;
    Words result;
    for (const PlainWord& each : *plain) result.push_back({each.text, words[2].at, each.expands});
    return result;
  }

  bool shell(const Words& words) {
    if (words.size() < 3 || (words.size() > 3 && words[3].text != "sh")) return false;
    if (has_kubernetes_variable(words[2].text) || words[2].text.empty()) return false;
    role_.program = ProgramKind::Shell;
    job_.maker.put(run(), "shell", job_.text(as_shell_sees(words[2].text)));
    if (words.size() > 4) list("args", std::span(words).subspan(4));
    return true;
  }

  /// A script that Python starts without a launcher. With the variables of torchrun around it, it
  /// is a command of the user's own.
  bool plain_script(const Words& words) {
    for (View each : items_at(parts_.main, "env")) {
      if (job_.ours && string_at(each, "name") == "PET_NNODES") return false;
    }
    const bool module = words.size() > 2 && words[1].text == "-m";
    const std::size_t at = module ? 2 : 1;
    if (words.size() <= at || words[at].text.starts_with('-')) return false;
    role_.program = ProgramKind::Script;
    job_.maker.put(run(), module ? "module" : "script", copy(words[at]));
    const bool told = job_.framework == "paddle" && words.size() > at + 2 &&
                      words[at + 1].text == "--rank" && words[at + 2].text == "$(NODE_RANK)";
    list("args", std::span(words).subspan(at + (told ? 3 : 1)));
    return true;
  }

  // --- launchers

  struct Option {
    std::string name;
    std::string value;
    Word first;
    std::vector<Word> words;  // that it takes
  };

  /// A build tells torchrun in a DistributedWorkload how many processes to start; a line without is
  /// a command of the user's own.
  bool is_without_processes(const Words& words) const {
    if (!job_.ours || job_.has_template || !job_.several_pods()) return false;
    return words[0].text == "torchrun" &&
           std::ranges::find(words, "--nproc_per_node", &Word::text) == words.end();
  }

  /// Without a word of other machines accelerate starts processes on its own alone; as the launcher
  /// of a spec it would get them.
  bool is_bare(const std::vector<Option>& options) const {
    const bool is_for_several = role_.pods > 1 || job_.framework == "mpi" || job_.by_mpirun;
    return is_for_several && std::ranges::none_of(options, [](const Option& each) {
             return each.name == "num-machines" || each.name == "config-file";
           });
  }

  /// The options from `at` on, which is behind them then.
  static std::vector<Option> options_from(const Words& words, std::size_t& at,
                                          const LauncherOptions& known) {
    std::vector<Option> options;
    for (; at < words.size() && words[at].text.size() > 1 && words[at].text[0] == '-'; ++at) {
      const std::string& text = words[at].text;
      Option option{kebab_name(text), {}, words[at], {words[at]}};
      const std::size_t equals = text.find('=');
      if (equals != text.npos) option.value = text.substr(equals + 1);
      std::size_t values = known.values_behind(text);
      for (; values > 0 && at + 1 < words.size(); --values) {
        option.words.push_back(words[++at]);
        option.value += (option.value.empty() ? "" : " ") + words[at].text;
      }
      options.push_back(std::move(option));
    }
    return options;
  }

  bool launched(const Words& words) {
    const auto call = launcher_call(words);
    const bool of_other = job_.framework == "tensorflow" || job_.framework == "xgboost" ||
                          job_.framework == "paddle" || job_.framework == "jax" ||
                          job_.framework == "ray";
    if (!call || of_other || is_without_processes(words)) return false;
    const LauncherForm& form = *call->first;
    std::size_t at = call->second;
    std::vector<Option> options = options_from(words, at, form.options);
    if (std::ranges::find(options, "no-python", &Option::name) != options.end()) return false;
    const bool module = std::erase_if(options, [](const Option& each) {
                          return each.name == "m" || each.name == "module";
                        }) != 0;
    if (&form == &kAccelerate && is_bare(options)) return false;
    if (at >= words.size()) return false;
    for (std::size_t i = at; i < words.size(); ++i) {
      if (words[i].expands) return false;
    }
    for (const Option& each : options) {
      if (!is_computed(form, each) && is_expanded(each)) return false;
    }
    role_.program = ProgramKind::Script;
    role_.launcher = form.name;
    job_.maker.put(run(), module ? "module" : "script", copy(words[at]));
    for (const Option& each : options) take(form, each);
    list("args", std::span(words).subspan(at + 1));
    if (&form == &kTorchrun && role_.processes == 0) unsaid_processes_ = true;
    role_.one_process_unless_told = unsaid_processes_;
    return true;
  }

  // --- mpirun as a build calls it

  bool made_mpirun() {
    if (!job_.by_mpirun || role_.name != "launcher") return false;
    const auto made = read_made_mpirun(parts_.main);
    if (!made) return false;
    if (!made->preparation.empty()) preparation(made->preparation);
    const View at = *Items(get(parts_.main, "command")).begin();
    Words words;
    for (const std::string& each : made->program) words.push_back({each, at});
    bool each_process = made->starts_each(job_.pods);
    if (!launched(words)) each_process = own_program(words, each_process);
    for (const std::string& each : made->options) {
      job_.maker.tree.append(job_.list_at(run(), "launcherArgs"), job_.text(each));
    }
    job_.processes = each_process ? made->ranks / job_.pods : 0;
    return true;
  }

  /// A program that mpirun starts itself; whether once for each process. A framework that says
  /// nothing leaves no trace.
  bool own_program(Words& words, bool each_process) {
    if (words[0].text == "python3" && plain_script(words)) {
      const bool is_mpi = job_.framework == "none" || job_.framework == "mpi";
      if (is_mpi) job_.framework = "mpi";
      role_.launcher = is_mpi || each_process ? "mpirun" : "none";
      return is_mpi || each_process;
    }
    if (!begins(words, {"/bin/sh", "-c"}) || !shell(words)) own_command(words);
    if (each_process) job_.maker.put(run(), "launcher", job_.text("mpirun"));
    return each_process;
  }

  // --- mpirun as others call it

  bool by_mpirun(const Words& words) {
    if (job_.framework != "mpi" || words.empty() || job_.ours) return false;
    const std::string& name = words[0].text;
    if (name != "mpirun" && name != "mpiexec" && name != "mpiexec.hydra") return false;
    std::size_t at = 1;
    const std::vector<Option> options = options_from(words, at, mpirun_options);
    const auto is_other = [](const Option& each) {
      return each.name == "mpi" || each.name.empty();
    };
    if (std::ranges::any_of(options, is_other)) return false;
    if (at >= words.size() || std::ranges::any_of(words, &Word::expands)) return false;
    Words program(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    // A command of the user's own is not started by an mpirun of the build: the whole line is it.
    if (program[0].text != "python3" || !plain_script(program)) return false;
    role_.launcher = "mpirun";
    for (const Option& each : options) mpirun_option(each);
    return true;
  }

  static bool is_count(const Option& option) { return option.name == "np" || option.name == "n"; }

  void mpirun_option(const Option& option) {
    if (is_count(option)) {
      count_ranks(option);
    } else if (!is_usual_of_mpirun(option)) {
      list("launcherArgs", option.words);
    }
  }

  void count_ranks(const Option& option) {
    const auto ranks = Quantity::parse(option.value);
    const std::int64_t count = ranks ? ranks->whole_units().value_or(0) : 0;
    if (job_.processes == 0 && count % job_.pods == 0) job_.processes = count / job_.pods;
    const std::int64_t slots = std::max<std::int64_t>(job_.processes, 1);
    if (count == job_.pods * slots) return;
    job_.ledger.lost(option.first.at,
                     "`" + option.first.text + " " + option.value +
                         "`: " + std::to_string(job_.pods) +
                         (job_.pods == 1 ? " pod has " : " pods have ") + std::to_string(slots) +
                         (slots == 1 ? " slot each" : " slots each"),
                     "`nodes` and `processesPerNode` decide how many ranks there are");
  }

  /// What a build writes into every line of mpirun.
  bool is_usual_of_mpirun(const Option& option) const {
    if (option.name == "allow-run-as-root") return true;
    if (option.name == "map-by") return option.value == "slot";
    if (option.name == "bind-to") return option.value == "none";
    if (option.name != "x") return option.name == "ppn";
    if (option.value == "PATH" || option.value == "LD_LIBRARY_PATH") return true;
    for (View each : items_at(parts_.main, "env")) {
      if (string_at(each, "name") == option.value) return true;
    }
    return false;
  }

  static bool is_expanded(const Option& option) {
    return std::ranges::any_of(option.words, &Word::expands);
  }

  bool is_computed(const LauncherForm& form, const Option& option) const {
    if (&form == &kAccelerate) {
      if (option.name == "multi-gpu") return role_.gpus > 0;
      if (option.name == "cpu") return role_.gpus == 0;
      if (option.name == "deepspeed-multinode-launcher") return option.value == "standard";
    }
    return is_rendezvous_option(option.name);
  }

  void take(const LauncherForm& form, const Option& option) {
    if (!is_computed(form, option)) {
      list("launcherArgs", option.words);
      return;
    }
    const auto why = settle_rendezvous_option(job_, role_, option.name, option.value);
    const bool in_list = option.first.text == option.first.at->text;
    if (why) {
      job_.ledger.lost(option.first.at, "`" + option.first.text + "`: " + *why,
                       "`nodes`, `processesPerNode` and `run.rendezvous` decide how ranks meet");
    } else if (in_list) {
      for (const Word& each : option.words) job_.ledger.derived(each.at);
    }
  }

  PodParts& parts_;
  Conversion& job_;
  ConvertedRole& role_;
  bool unsaid_processes_ = false;
  bool told_rank_ = false;  // of a command of the user's own, in which torchrun may be called
};

}  // namespace

void read_command(PodParts& parts) {
  CommandReader(parts).read();
}

}  // namespace trainyard
