#include "cluster/connect/exec_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cluster/http/clock.h"
#include "cluster/json_document.h"
#include "cluster/time_stamp.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestOutput = 1024 * 1024;
constexpr auto kPatience = std::chrono::seconds(60);  // for a plugin that does not ask the user
constexpr auto kFailureLife = std::chrono::seconds(10);

/// What a plugin printed, or why it printed nothing.
struct PluginRun {
  std::string output;
  std::string problem;
};

/// A program that runs with a pipe from its standard output.
class Child {
 public:
  ~Child() {
    if (pipe_ != -1) ::close(pipe_);
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      wait();
    }
  }

  /// 0, or a number of errno.
  int start(const std::vector<std::string>& words, const std::vector<std::string>& environment,
            bool interactive) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    pipe_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!interactive) {
      ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    ::posix_spawnattr_init(&attributes);
    sigset_t signals;  // which we hold or ignore
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes, &signals);
    for (const int each : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, each);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = ::posix_spawnp(&process_, words.front().c_str(), &actions, &attributes,
                                     pointers(words).data(), pointers(environment).data());
    if (error != 0) process_ = 0;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    return error;
  }

  int output() const { return pipe_; }

  /// Its exit code; 128 and the signal for one that a signal ended.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) == -1 && errno == EINTR) {
    }
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (const std::string& each : texts) result.push_back(const_cast<char*>(each.c_str()));
    result.push_back(nullptr);
    return result;
  }

  pid_t process_ = 0;
  int pipe_ = -1;
};

/// Reads to the end of the output; says why where it cannot.
std::string read_output(const Child& child, int interrupt, bool interactive, std::string& output) {
  const ClockTime until = Clock::now() + kPatience;
  char buffer[16 * 1024];
  while (true) {
    pollfd watched[] = {{child.output(), POLLIN, 0}, {interrupt, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now()).count();
    if (!interactive && left <= 0) return "does not end: it was stopped after 60 s";
    const int timeout = interactive ? -1 : static_cast<int>(left);
    if (::poll(watched, 2, timeout) < 0 && errno != EINTR) return "cannot be waited for";
    if (watched[1].revents != 0) return "was interrupted";
    if (watched[0].revents == 0) continue;
    const ssize_t count = ::read(child.output(), buffer, sizeof buffer);
    if (count == 0) return "";
    if (count < 0 && errno != EINTR) return "cannot be read";
    if (count > 0) output.append(buffer, static_cast<std::size_t>(count));
    ::explicit_bzero(buffer, sizeof buffer);
    if (output.size() > kLongestOutput) return "prints more than 1 MiB";
  }
}

std::string start_problem(int error, const ExecPlugin& plugin) {
  if (error != ENOENT) return "cannot be started: " + error_from(error).message;
  return "is not installed" + (plugin.install_hint.empty()
                                   ? "; install it, or mend `exec.command`"
                                   : ". " + foreign_text(plugin.install_hint));
}

std::vector<std::string> environment_of(const ExecPlugin& plugin, bool interactive) {
  std::vector<std::string> result;
  const auto is_set_by_us = [&plugin](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    return name == "KUBERNETES_EXEC_INFO" ||
           std::ranges::any_of(plugin.environment,
                               [name](const auto& each) { return each.first == name; });
  };
  for (char** each = environ; *each != nullptr; ++each) {
    if (!is_set_by_us(*each)) result.emplace_back(*each);
  }
  for (const auto& [name, value] : plugin.environment) {
    result.push_back(std::string(name) + "=" + value);
  }
  result.push_back("KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":" +
                   quoted(plugin.api_version) +
                   ",\"spec\":{\"interactive\":" + (interactive ? "true" : "false") +
                   (plugin.cluster.empty() ? "" : ",\"cluster\":" + plugin.cluster) + "}}");
  return result;
}

PluginRun run(const ExecPlugin& plugin, const LocalMachine& machine) {
  const bool interactive = machine.terminal && plugin.interactive != ExecPlugin::Interactive::Never;
  if (!interactive && plugin.interactive == ExecPlugin::Interactive::Always) {
    return {"", "asks questions (`interactiveMode: Always`), and there is no terminal"};
  }
  std::vector<std::string> words{plugin.command};
  words.insert(words.end(), plugin.arguments.begin(), plugin.arguments.end());
  Child child;
  PluginRun result;
  const int error = child.start(words, environment_of(plugin, interactive), interactive);
  if (error != 0) {
    result.problem = start_problem(error, plugin);
    return result;
  }
  result.problem = read_output(child, machine.interrupt, interactive, result.output);
  if (!result.problem.empty()) return result;
  const int code = child.wait();
  // posix_spawnp of older C libraries reports a missing program by this code.
  if (code == 127 && result.output.empty())
    result.problem = start_problem(ENOENT, plugin);
  else if (code != 0) {
    result.problem = "ended with exit code " + std::to_string(code) +
                     "; what it said is above. Log in again, or run it by hand";
  }
  return result;
}

class ExecIdentity : public IdentitySource {
 public:
  ExecIdentity(ExecPlugin plugin, LocalMachine& machine)
      : plugin_(std::move(plugin)), machine_(machine) {}

  const Identity* current(std::string& problem) override {
    if (has_identity_ && !is_expired()) return &identity_;
    if (Clock::now() < failed_until_) {
      problem = problem_;
      return nullptr;
    }
    PluginRun result = run(plugin_, machine_);
    if (result.problem.empty()) result.problem = take(result.output);
    wipe(result.output);
    if (result.problem.empty()) return &identity_;
    has_identity_ = false;
    problem_ = "the exec plugin " + shown(plugin_.command) + " " + result.problem;
    problem = problem_;
    failed_until_ = Clock::now() + kFailureLife;
    return nullptr;
  }

  bool refused() override {
    has_identity_ = false;
    return true;
  }

 private:
  bool is_expired() const {
    if (!expires_) return false;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count() >= expires_->seconds;
  }

  /// Nothing, or what is wrong with the output, which is not quoted: it may hold a token.
  std::string take(const std::string& output) {
    const JsonAnswer answer = JsonDocument::read(output);
    if (answer == nullptr) return "printed no JSON where an ExecCredential was expected";
    const View root = answer->root();
    if (string_at(root, "kind") != "ExecCredential") return "printed no ExecCredential";
    if (string_at(root, "apiVersion") != plugin_.api_version) {
      return "answers in " + shown(string_at(root, "apiVersion")) +
             ", and the kubeconfig asks for " + shown(plugin_.api_version) +
             ": change `exec.apiVersion`";
    }
    const View status = get(root, "status");
    identity_ = Identity();
    identity_.token = SecretBytes(std::string(string_at(status, "token")));
    identity_.certificate = string_at(status, "clientCertificateData");
    identity_.key = SecretBytes(std::string(string_at(status, "clientKeyData")));
    const bool has_pair = !identity_.certificate.empty() && !identity_.key.empty();
    if (identity_.certificate.empty() != identity_.key.empty()) {
      return "printed a client certificate without its key, or a key alone";
    }
    if (identity_.token.empty() && !has_pair) return "printed neither a token nor a certificate";
    if (!identity_.token.empty() && !is_token(identity_.token.view())) {
      return "printed a token with spaces or line breaks in it";
    }
    const std::string_view expiry = string_at(status, "expirationTimestamp");
    expires_ = read_time(expiry);
    if (!expiry.empty() && !expires_) return "printed an `expirationTimestamp` that is no time";
    has_identity_ = true;
    return "";
  }

  ExecPlugin plugin_;
  LocalMachine& machine_;
  Identity identity_;
  bool has_identity_ = false;
  std::optional<TimeStamp> expires_;
  std::string problem_;
  ClockTime failed_until_;
};

}  // namespace

std::unique_ptr<IdentitySource> exec_identity(ExecPlugin plugin, LocalMachine& machine) {
  return std::make_unique<ExecIdentity>(std::move(plugin), machine);
}

}  // namespace trainyard
