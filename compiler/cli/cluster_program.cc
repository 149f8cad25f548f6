#include "cli/cluster_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "diag/foreign_text.h"

namespace trainyard {
namespace {

constexpr ClusterCommand kCommands[] = {
    {"plan", "Show what applying specs or manifests would change on a cluster",
     "--old --git --live"},
    {"apply", "Put the objects of specs or manifests on a cluster"},
    {"status", "Show how far jobs on a cluster are, and what they wait for", "--from"},
    {"logs", "Print the logs of a job"},
    {"diagnose", "Show why a job on a cluster fails or waits, and what to do", "--from"},
    {"doctor", "Check whether a cluster is as its Cluster document says, and whether jobs fit now",
     "--offline", true},
    {"discover", "Write the Cluster document of a cluster, or compare it", "--from"},
    {"wait", "Wait until a job runs, has ended or is gone"},
    {"cancel", "Stop a job, and keep its objects"},
    {"resume", "Start a job that was suspended"},
    {"delete", "Delete a job and all that was applied with it"},
    {"ping", "Check whether a cluster can be reached, as whom, and with which rights"},
    {.name = "completion",
     .summary = "Print the completion script of a shell",
     .is_here_too = true},
    {.name = "man", .summary = "Print the manual page", .is_here_too = true},
};

/// Options may stand in front of the command: `--color never`.
std::size_t place_of_command(const std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with('-')) {
    at += arguments[at] == "--color" ? 2U : 1U;
  }
  return std::min(at, arguments.size());
}

bool has_option(const std::vector<std::string>& arguments, std::string_view option) {
  const auto end = std::ranges::find(arguments, "--");
  return std::any_of(arguments.begin(), end, [option](const std::string& word) {
    return word == option || (word.starts_with(option) && word.substr(option.size())[0] == '=');
  });
}

/// One of some options, which stand in one text.
bool has_option_of(const std::vector<std::string>& arguments, std::string_view options) {
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(' '));
    if (has_option(arguments, option)) return true;
    options.remove_prefix(std::min(option.size() + 1, options.size()));
  }
  return false;
}

/// What a command that is here, too, needs for that.
std::string without_cluster(const std::string& name) {
  const auto* const found = std::ranges::find(kCommands, name, &ClusterCommand::name);
  if (found == std::end(kCommands) || found->here_with.empty()) return {};
  const std::string_view options = found->here_with;
  const bool one = options.find(' ') == options.npos;
  return "; `" + name + (one ? " " : "` with one of `") + std::string(options) +
         "` needs no cluster";
}

std::string folder_of_this_program() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "";
  path.resize(static_cast<std::size_t>(length));
  return path.substr(0, path.rfind('/'));
}

}  // namespace

std::span<const ClusterCommand> cluster_commands() {
  return kCommands;
}

std::optional<std::vector<std::string>> words_for_cluster_program(
    const std::vector<std::string>& arguments, std::span<const ClusterCommand> commands) {
  const auto command_of = [commands](const std::string& word) {
    const auto found = std::ranges::find(commands, word, &ClusterCommand::name);
    return found == commands.end() ? nullptr : &*found;
  };
  const std::size_t at = place_of_command(arguments);
  if (at == arguments.size()) return std::nullopt;
  if (arguments[at] == "help" && at + 2 == arguments.size()) {
    const ClusterCommand* const asked = command_of(arguments[at + 1]);
    if (asked == nullptr || !asked->here_with.empty() || asked->is_here_too) return std::nullopt;
    return std::vector<std::string>{arguments[at + 1], "--help"};
  }
  const ClusterCommand* const command = command_of(arguments[at]);
  if (command == nullptr) return std::nullopt;
  const bool is_here = !command->here_with.empty() &&
                       (has_option_of(arguments, command->here_with) ||
                        has_option(arguments, "--help") || has_option(arguments, "-h"));
  return is_here ? std::nullopt : std::optional(arguments);
}

bool is_here_too(const std::vector<std::string>& words, std::span<const ClusterCommand> commands) {
  const auto found =
      std::ranges::find(commands, words.at(place_of_command(words)), &ClusterCommand::name);
  return found != commands.end() && found->is_here_too;
}

bool may_do_without_cluster(const std::vector<std::string>& words) {
  const bool is_doctor = words.at(place_of_command(words)) == "doctor";
  return is_doctor && has_option_of(words, "--cluster -c");
}

bool names_a_cluster(const std::vector<std::string>& words,
                     std::optional<std::string> (*variable)(const std::string&),
                     FileSystem& files) {
  if (has_option_of(words, "--kubeconfig --context")) return true;
  const auto is_set = [&](const char* name) { return !variable(name).value_or("").empty(); };
  if (is_set("KUBECONFIG") || is_set("KUBERNETES_SERVICE_HOST")) return true;
  return is_set("HOME") && files.exists(*variable("HOME") + "/.kube/config");
}

ExitCode become_cluster_program(const std::vector<std::string>& words,
                                void (*say)(std::string_view text)) {
  std::vector<char*> call;
  std::string name = "trainyard-cluster";
  call.push_back(name.data());
  for (const std::string& each : words) call.push_back(const_cast<char*>(each.c_str()));
  call.push_back(nullptr);
  const std::string folder = folder_of_this_program();
  int error = ENOENT;
  for (const char* place : {"/", "/../libexec/trainyard/"}) {
    const std::string path = folder + place + name;
    ::execv(path.c_str(), call.data());
    if (errno != ENOENT) error = errno;
  }
  const std::string command = foreign_text(words.front());
  if (error == ENOENT) {
    say("trainyard: `" + command +
        "` needs the program trainyard-cluster, which is not installed: "
        "install the package `trainyard-cluster`" +
        without_cluster(words.front()) + "\n");
  } else {
    say("trainyard: trainyard-cluster, beside this program, " + error_from(error).message + "\n");
  }
  return ExitCode::CallWrong;
}

}  // namespace trainyard
