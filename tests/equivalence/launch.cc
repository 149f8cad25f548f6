#include "equivalence/launch.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace trainyard::testing {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

/// `$(NAME)` as Kubernetes expands it: unknown names stay, `$$` is `$`.
std::string expanded(const std::string& text, const json& known) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      result += '$';
      ++i;
      continue;
    }
    const std::size_t close = text[i + 1] == '(' ? text.find(')', i) : std::string::npos;
    if (close == std::string::npos) {
      result += text[i];
      continue;
    }
    const std::string name = text.substr(i + 2, close - i - 2);
    result += known.contains(name) ? known[name].get<std::string>() : text.substr(i, close - i + 1);
    i = close;
  }
  return result;
}

/// `metadata.annotations['key']`, `metadata.name` and the like.
std::string field_of(const json& pod, const std::string& path) {
  const std::size_t open = path.find("['");
  if (open == std::string::npos) {
    json::json_pointer at;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t dot = std::min(path.find('.', from), path.size());
      at /= path.substr(from, dot - from);
      from = dot + 1;
    }
    return pod.contains(at) && pod[at].is_string() ? pod[at].get<std::string>() : "<" + path + ">";
  }
  const std::string key = path.substr(open + 2, path.size() - open - 4);
  const std::string group = path.substr(0, open).substr(std::string("metadata.").size());
  const json none = json::object();
  const json& entries = pod["metadata"].contains(group) ? pod["metadata"][group] : none;
  return entries.contains(key) ? entries[key].get<std::string>() : "";
}

std::string value_of(const json& pod, const json& variable, const json& before) {
  if (!variable.contains("valueFrom")) return expanded(variable.value("value", ""), before);
  const json& from = variable["valueFrom"];
  if (from.contains("fieldRef")) return field_of(pod, from["fieldRef"]["fieldPath"]);
  if (from.contains("secretKeyRef")) {
    const json& secret = from["secretKeyRef"];
    return "secret:" + secret.value("name", "") + "/" + secret.value("key", "");
  }
  return from.dump();
}

/// Options of a command, taken off until the program begins.
class Options {
 public:
  explicit Options(Words words) : rest_(std::move(words)) {}

  /// Takes leading options. Those in `flags` have no value.
  void take(const std::vector<std::string>& flags) {
    while (!rest_.empty() && rest_.front().starts_with("--")) {
      std::string word = next();
      const std::size_t equals = word.find('=');
      std::string name = word.substr(0, equals);
      std::replace(name.begin(), name.end(), '_', '-');
      if (equals != std::string::npos) {
        values_[name] = word.substr(equals + 1);
      } else if (std::find(flags.begin(), flags.end(), name) != flags.end()) {
        values_[name] = "";
        if (name == "--module") break;  // the program is next
      } else {
        values_[name] = rest_.empty() ? "" : next();
      }
    }
  }
  std::string value(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  std::string next() {
    std::string word = rest_.front();
    rest_.erase(rest_.begin());
    return word;
  }
  /// The program and its arguments.
  const Words& rest() const { return rest_; }

 private:
  Words rest_;
  std::map<std::string, std::string> values_;
};

std::string text_at(const json& environment, const std::string& name,
                    const std::string& otherwise = "") {
  return environment.value(name, otherwise);
}

/// A shell that prepares and then becomes the program.
Words without_shell(Words words) {
  if (words.size() < 5 || words[1] != "-c" || !words[2].ends_with("exec \"$@\"\n")) return words;
  words.erase(words.begin(), words.begin() + 4);
  return words;
}

// pytorch/pytorch torch/distributed/run.py
Launch torchrun(Options options, const json& env) {
  options.next();
  options.take({"--module", "--standalone", "--no-python"});
  Launch result;
  result.launcher = "torchrun";
  result.nodes = options.value("--nnodes", text_at(env, "PET_NNODES", "1"));
  result.processes = options.value("--nproc-per-node", text_at(env, "PET_NPROC_PER_NODE", "1"));
  result.backend = options.value("--rdzv-backend", text_at(env, "PET_RDZV_BACKEND", "static"));
  const std::string endpoint =
      options.value("--rdzv-endpoint", text_at(env, "PET_RDZV_ENDPOINT", ""));
  if (endpoint.empty()) {
    result.master = options.value("--master-addr", text_at(env, "PET_MASTER_ADDR", "127.0.0.1"));
    result.port = options.value("--master-port", text_at(env, "PET_MASTER_PORT", "29500"));
  } else {
    const std::size_t colon = endpoint.rfind(':');
    result.master = endpoint.substr(0, colon);
    result.port = endpoint.substr(colon + 1);
  }
  if (result.backend == "static") {
    result.rank = options.value("--node-rank", text_at(env, "PET_NODE_RANK", "0"));
  }
  result.program = options.rest();
  return result;
}

// huggingface/accelerate src/accelerate/commands/launch.py
Launch accelerate(Options options) {
  options.next();
  options.next();
  options.take({"--module", "--multi-gpu", "--cpu"});
  Launch result;
  result.launcher = "accelerate";
  result.nodes = options.value("--num-machines", "1");
  result.processes = options.value("--num-processes", "1");  // in all
  result.rank = options.value("--machine-rank", "0");
  result.master = options.value("--main-process-ip", "");
  result.port = options.value("--main-process-port", "");
  result.program = options.rest();
  return result;
}

// microsoft/DeepSpeed deepspeed/launcher/launch.py
Launch deepspeed(Options options) {
  for (int i = 0; i < 3; ++i) options.next();
  options.take({"--module"});
  Launch result;
  result.launcher = "deepspeed";
  result.nodes = options.value("--world-info", "");  // nodes and processes in one
  result.rank = options.value("--node-rank", "0");
  result.master = options.value("--master-addr", "");
  result.port = options.value("--master-port", "");
  result.program = options.rest();
  return result;
}

Launch unlaunched(Words words, const json& env, const std::string& framework) {
  Launch result;
  result.program = std::move(words);
  if (framework == "jax") {
    const std::string address = text_at(env, "JAX_COORDINATOR_ADDRESS");
    const std::size_t colon = address.rfind(':');
    result.nodes = text_at(env, "JAX_NUM_PROCESSES", text_at(env, "NUM_PROCESSES", "1"));
    result.rank = text_at(env, "JAX_PROCESS_ID", text_at(env, "PROCESS_ID", "0"));
    result.master =
        colon == std::string::npos ? text_at(env, "COORDINATOR_ADDRESS") : address.substr(0, colon);
    result.port =
        colon == std::string::npos ? text_at(env, "COORDINATOR_PORT") : address.substr(colon + 1);
    return result;
  }
  result.nodes = text_at(env, "WORLD_SIZE", "1");
  result.rank = text_at(env, "NODE_RANK", text_at(env, "RANK", "0"));
  result.master = text_at(env, "MASTER_ADDR");
  result.port = text_at(env, "MASTER_PORT");
  if (framework == "tao") result.processes = text_at(env, "NUM_GPU_PER_NODE", "1");
  return result;
}

/// A shell in front that gives variables of the controller other names: the program sees both.
void take_exports(Words& words, json& environment) {
  const std::string begin = "export ";
  if (words.size() < 5 || words[0] != "/bin/sh" || !words[2].starts_with(begin)) return;
  std::istringstream script(words[2]);
  for (std::string line; std::getline(script, line) && line.starts_with(begin);) {
    const std::size_t equals = line.find("=\"$");
    if (equals == std::string::npos) return;
    const std::string from = line.substr(equals + 3, line.size() - equals - 4);
    environment[line.substr(begin.size(), equals - begin.size())] = environment.value(from, "");
  }
  words.erase(words.begin(), words.begin() + 4);
}

}  // namespace

const json& main_container(const json& pod) {
  return pod["spec"]["containers"][0];
}

json seen_environment(const json& pod) {
  json seen = json::object();
  const json& container = main_container(pod);
  if (!container.contains("env")) return seen;
  for (const json& variable : container["env"]) {
    seen[variable["name"].get<std::string>()] = value_of(pod, variable, seen);
  }
  return seen;
}

std::vector<std::string> seen_command(const json& pod) {
  const json environment = seen_environment(pod);
  Words words;
  for (const char* list : {"command", "args"}) {
    const json& container = main_container(pod);
    if (!container.contains(list)) continue;
    for (const json& word : container[list]) {
      words.push_back(expanded(word.get<std::string>(), environment));
    }
  }
  return words;
}

Launch launch_in(const json& pod, const std::string& framework) {
  json environment = seen_environment(pod);
  Words words = seen_command(pod);
  take_exports(words, environment);
  words = without_shell(std::move(words));
  take_exports(words, environment);  // behind what prepares the pod
  const auto starts = [&words](std::initializer_list<const char*> wanted) {
    return words.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), words.begin());
  };
  if (starts({"torchrun"})) return torchrun(Options(words), environment);
  if (starts({"hyperpodrun"})) {
    // Its operator tells it rank and address, and nothing in the pod does.
    Launch result = torchrun(Options(words), environment);
    result.launcher = "hyperpodrun";
    return result;
  }
  if (starts({"accelerate", "launch"})) return accelerate(Options(words));
  if (starts({"python3", "-m", "deepspeed.launcher.launch"})) return deepspeed(Options(words));
  return unlaunched(std::move(words), environment, framework);
}

}  // namespace trainyard::testing
