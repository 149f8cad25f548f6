#include <algorithm>
#include <array>
#include <span>

#include "convert/numbered_tasks.h"
#include "convert/seen_values.h"
#include "convert/tao_shell.h"
#include "shell/launchers.h"
#include "shell/plain_command.h"
#include "shell/shell_words.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

using Words = std::vector<std::string>;

bool begins(const Words& words, std::initializer_list<std::string_view> with) {
  return words.size() >= with.size() && std::equal(with.begin(), with.end(), words.begin());
}

std::string joined(std::span<const std::string> words) {
  std::string line;
  for (const std::string& each : words) {
    line += line.empty() ? "" : " ";
    line += each;
  }
  return line;
}

/// `$NAME` and `${NAME}` as a shell fills them in; unknown ones stay.
std::string shell_expanded(std::string_view text, const Variables& variables) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    result += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.size() < 2) break;
    const bool braced = text[1] == '{';
    const std::size_t begin = braced ? 2 : 1;
    const std::size_t end =
        std::min(text.find_first_not_of(kShellNameCharacters, begin), text.size());
    const auto known = variables.find(text.substr(begin, end - begin));
    const bool closed = !braced || (end < text.size() && text[end] == '}');
    const std::size_t length = end + (braced && closed ? 1 : 0);
    const std::size_t taken = known != variables.end() && closed ? length : 1;
    result += taken == 1 ? "$" : known->second;
    text.remove_prefix(taken);
  }
  return result + std::string(text);
}

/// Launchers whose options say where ranks meet.
struct LauncherForm {
  std::initializer_list<std::string_view> call;
  std::string_view name;
  const LauncherOptions& options;
};
const LauncherForm kForms[] = {
    {{"torchrun"}, "torchrun", torchrun_options},
    {{"python", "-m", "torch.distributed.run"}, "torchrun", torchrun_options},
    {{"python3", "-m", "torch.distributed.run"}, "torchrun", torchrun_options},
    {{"hyperpodrun"}, "hyperpodrun", torchrun_options},
    {{"accelerate", "launch"}, "accelerate", accelerate_options},
    {{"python", "-m", "accelerate.commands.launch"}, "accelerate", accelerate_options},
    {{"deepspeed"}, "deepspeed", deepspeed_options},
    {{"python3", "-m", "deepspeed.launcher.launch"}, "deepspeed", deepspeed_options},
    {{"mpirun"}, "mpirun", mpirun_options},
    {{"mpiexec"}, "mpirun", mpirun_options},
};

/// What torchrun sets for its processes, and what only its own options are made of.
constexpr auto kToldByLauncher = std::to_array<std::string_view>(
    {"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NNODES",
     "NODE_RANK", "NPROC_PER_NODE"});

class ProgramSeer {
 public:
  ProgramSeer(Words words, const Variables& variables, std::int64_t gpus,
              std::vector<SeenValue>& values, std::vector<std::string>& told)
      : words_(std::move(words)),
        variables_(variables),
        gpus_(gpus),
        values_(values),
        told_(told) {}

  void see() {
    while (unwrap()) {
    }
    for (const LauncherForm& form : kForms) {
      if (begins(words_, form.call)) return launched(form);
    }
    if (!words_.empty()) put("program", joined(words_));
  }

 private:
  void put(std::string path, std::string text) {
    values_.push_back({std::move(path), std::move(text), {}});
  }

  /// Takes off a shell that prepares the pod, or does nothing but start a program.
  bool unwrap() {
    if (words_.size() < 3 || !is_shell(words_[0]) || !words_[1].starts_with('-') ||
        !words_[1].ends_with('c')) {
      return false;
    }
    std::string_view script = words_[2];
    while (script.ends_with('\n')) script.remove_suffix(1);
    if (words_.size() > 4 && script.ends_with("exec \"$@\"")) {
      prepared(script);
      words_.erase(words_.begin(), words_.begin() + 4);
      return true;
    }
    if (const auto tao = read_tao_shell(script); tao && words_.size() == 3) {
      for (const auto& [name, value] : tao->exports) {
        const std::size_t otherwise = value.find(":-");
        const auto index = variables_.find("JOB_COMPLETION_INDEX");
        const bool is_rank = name == "NODE_RANK" && otherwise != value.npos;
        put("env[" + name + "]", is_rank ? (index == variables_.end() ? "0" : index->second)
                                         : shell_expanded(value, variables_));
      }
      words_[2] = tao->program;
      return true;
    }
    const auto plain =
        words_.size() == 3 ? plain_command(with_rank_zero(script, kItself)) : std::nullopt;
    if (!plain) return false;
    words_.clear();
    for (const PlainWord& each : *plain) {
      words_.push_back(each.expands ? shell_expanded(each.text, variables_) : each.text);
      const std::size_t itself = words_.back().find(kItself);
      if (itself != std::string::npos) words_.back().replace(itself, kItself.size(), "<rank 0>");
    }
    return true;
  }

  /// Stands for what TorchX says of rank 0, until the line is taken apart.
  static constexpr std::string_view kItself = "the-host-of-rank-0";

  /// What a build runs first is of the spec alone if nothing of it waits, exports or stops.
  void prepared(std::string_view script) {
    script.remove_suffix(std::string_view("exec \"$@\"").size());
    if (script.starts_with("set -e\n")) script.remove_prefix(7);
    if (script.find_first_not_of(" \n") != script.npos) put("program.before", std::string(script));
  }

  void launched(const LauncherForm& form) {
    std::size_t at = form.call.size();
    for (; at < words_.size() && words_[at].size() > 1 && words_[at][0] == '-'; ++at) {
      const std::string word = words_[at];
      const std::size_t equals = word.find('=');
      std::string value = equals == word.npos ? "" : word.substr(equals + 1);
      for (std::size_t more = form.options.values_behind(word); more > 0 && at + 1 < words_.size();
           --more) {
        value += (value.empty() ? "" : " ") + words_[++at];
      }
      option(form, kebab_name(word), value);
    }
    if (form.name == "torchrun") torchrun();
    if (form.name == "accelerate") accelerate();
    if (form.name == "deepspeed")
      forget({"world-info", "hostfile", "num-nodes", "num-gpus", "node-rank", "master-addr",
              "master-port", "no-ssh"});
    put("launch", std::string(form.name));
    for (const auto& [name, value] : options_) put("launch." + name, value);
    put("program", joined(std::span(words_).subspan(std::min(at, words_.size()))));
  }

  void option(const LauncherForm& form, std::string name, const std::string& value) {
    if (name == "m") name = "module";
    if (form.name == "mpirun") return mpirun(name, value);
    options_[name] = value;
  }

  /// What a build writes into each line of mpirun says nothing of the program.
  void mpirun(const std::string& name, const std::string& value) {
    if (is_one_of(name, {"allow-run-as-root", "hostfile", "ppn"})) return;
    if (name == "map-by" && value == "slot") return;
    if (name == "bind-to" && value == "none") return;
    const bool passed = is_one_of(value, {"PATH", "LD_LIBRARY_PATH"}) || variables_.contains(value);
    if (name == "x" && passed) return;
    if (name == "np" || name == "n") {
      options_["np"] = value;
    } else {
      options_[name + "[" + value + "]"] = "given";
    }
  }

  void forget(std::initializer_list<std::string_view> names) {
    for (std::string_view each : names) options_.erase(std::string(each));
  }

  void default_of(const std::string& name, const std::string& text) {
    options_.try_emplace(name, text);
  }

  // pytorch/pytorch torch/distributed/run.py: each option has a variable `PET_...`
  void torchrun() {
    for (const auto& [name, value] : variables_) {
      if (!name.starts_with("PET_")) continue;
      told_.push_back(name);
      default_of(kebab_name(lower(name.substr(4))), value);
    }
    told_.insert(told_.end(), kToldByLauncher.begin(), kToldByLauncher.end());
    default_of("nnodes", "1");
    default_of("nproc-per-node", "1");
    std::string& processes = options_["nproc-per-node"];
    const bool counted = processes == "auto" || processes == "gpu";
    if (counted && gpus_ > 0) processes = std::to_string(gpus_);
    std::string& nodes = options_["nnodes"];
    const std::size_t colon = nodes.find(':');
    if (colon != nodes.npos && nodes.substr(0, colon) == nodes.substr(colon + 1)) {
      nodes = nodes.substr(0, colon);
    }
    forget({"rdzv-id", "rdzv-conf"});
    if (nodes == "1") {
      return forget({"rdzv-backend", "rdzv-endpoint", "master-addr", "master-port", "node-rank",
                     "standalone"});
    }
    default_of("rdzv-backend", "static");
    endpoint();
    if (options_["rdzv-backend"] != "static") options_.erase("node-rank");
  }

  void endpoint() {
    const auto given = options_.find("rdzv-endpoint");
    if (given != options_.end() && !given->second.empty()) {
      const std::size_t colon = std::min(given->second.rfind(':'), given->second.size());
      options_["master-addr"] = given->second.substr(0, colon);
      if (colon < given->second.size()) options_["master-port"] = given->second.substr(colon + 1);
    }
    options_.erase("rdzv-endpoint");
    default_of("master-port", "29500");
  }

  // huggingface/accelerate src/accelerate/commands/launch.py
  void accelerate() {
    told_.insert(told_.end(), kToldByLauncher.begin(), kToldByLauncher.end());
    default_of("num-machines", "1");
    if (gpus_ > 0) options_.erase("multi-gpu");
    if (options_["num-machines"] != "1") return;
    forget(
        {"machine-rank", "main-process-ip", "main-process-port", "deepspeed-multinode-launcher"});
  }

  static std::string lower(std::string text) {
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
  }

  Words words_;
  const Variables& variables_;
  std::int64_t gpus_;
  std::vector<SeenValue>& values_;
  std::vector<std::string>& told_;
  std::map<std::string, std::string> options_;
};

}  // namespace

void see_program(std::vector<std::string> words, const Variables& variables, std::int64_t gpus,
                 std::vector<SeenValue>& values, std::vector<std::string>& told) {
  ProgramSeer(std::move(words), variables, gpus, values, told).see();
}

}  // namespace trainyard
