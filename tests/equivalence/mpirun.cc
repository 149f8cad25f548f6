#include "equivalence/mpirun.h"

#include <algorithm>
#include <map>

#include "equivalence/launch.h"

namespace trainyard::testing {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

/// What mpirun hands to the processes, without their ranks.
struct Handed {
  json variables = json::object();
  Words words;
};

/// Reads the options of mpirun that are written here; the rest is the program.
Handed read_line(const Words& line, const json& environment) {
  Handed result;
  std::size_t i = 1;
  while (i < line.size() && line[i].starts_with('-')) {
    const std::string& option = line[i++];
    if (option == "--allow-run-as-root") continue;
    const std::string& value = line[i++];
    if (option != "-x") continue;
    const std::size_t equals = value.find('=');
    const std::string name = value.substr(0, equals);
    if (equals != std::string::npos) {
      result.variables[name] = value.substr(equals + 1);
    } else if (environment.contains(name)) {
      result.variables[name] = environment[name];
    }
  }
  result.words.assign(line.begin() + static_cast<std::ptrdiff_t>(i), line.end());
  return result;
}

std::string with_rank(std::string text, const std::string& rank) {
  for (const char* name : {"\"$OMPI_COMM_WORLD_RANK\"", "\"$OMPI_COMM_WORLD_LOCAL_RANK\""}) {
    const std::size_t at = text.find(name);
    if (at != std::string::npos) text.replace(at, std::string(name).size(), rank);
  }
  return text;
}

Words split(const std::string& text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Runs the shell in front of the program, which exports ranks and then becomes the program.
void run_shell(Handed& handed, const std::string& rank) {
  Words& words = handed.words;
  if (words.size() < 4 || words[0] != "/bin/sh" || !words[2].ends_with("\"$@\"\n")) return;
  const std::string script = words[2];
  words.erase(words.begin(), words.begin() + 4);
  for (std::size_t at = 0; at < script.size();) {
    const std::size_t end = script.find('\n', at);
    const std::string line = with_rank(script.substr(at, end - at), rank);
    at = end + 1;
    if (line.starts_with("export ")) {
      const std::size_t equals = line.find('=');
      handed.variables[line.substr(7, equals - 7)] = line.substr(equals + 1);
    } else if (line.starts_with("exec ")) {
      const Words front = split(line.substr(5, line.rfind("\"$@\"") - 5));
      words.insert(words.begin(), front.begin(), front.end());
    }
  }
}

}  // namespace

void follow_mpirun(MadeJob& job) {
  const auto launcher =
      std::find_if(job.pods.begin(), job.pods.end(), [](const SynthesizedPod& each) {
        const Words command = seen_command(each.pod);
        return each.rank < 0 && !command.empty() && command.front() == "mpirun";
      });
  if (launcher == job.pods.end()) return;
  const Handed handed = read_line(seen_command(launcher->pod), seen_environment(launcher->pod));
  for (SynthesizedPod& pod : job.pods) {
    if (pod.rank < 0) continue;
    Handed own = handed;
    run_shell(own, std::to_string(pod.rank));
    json& container = pod.pod["spec"]["containers"][0];
    container["command"] = own.words;
    container.erase("args");
    json variables = json::array();
    for (const auto& [name, value] : own.variables.items()) {
      // Not expanded once more: what the launcher handed over is what arrives.
      std::string text;
      for (char c : value.get<std::string>())
        text += c == '$' ? std::string("$$") : std::string(1, c);
      variables.push_back({{"name", name}, {"value", text}});
    }
    container["env"] = variables;
    // What sshd needs beside the program.
    json& capabilities = container["securityContext"]["capabilities"];
    if (capabilities.is_object()) capabilities.erase("add");
  }
}

}  // namespace trainyard::testing
