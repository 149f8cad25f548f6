#include "cli/rehearse/run_rehearsal.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cli/rehearse/name_server.h"
#include "cli/rehearse/outside_network.h"
#include "cli/rehearse/pod_process.h"
#include "cli/rehearse/pod_users.h"
#include "cli/rehearse/pod_watch.h"
#include "cli/standard_files.h"
#include "diag/foreign_text.h"
#include "source/file_error.h"

namespace trainyard {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(3);  // for pods to end by themselves
constexpr int kJobFailed = 5;                     // as `status` and `wait` have it
constexpr int kInterrupted = 130;

/// What a pod reads at its gate: it may start.
constexpr char kInside = 'i';
constexpr char kWithOutside = 'o';

/// As `fork`, into new namespaces.
pid_t fork_into(int spaces) {
  return static_cast<pid_t>(::syscall(SYS_clone, spaces | SIGCHLD, nullptr, nullptr, nullptr, 0));
}

void tell(const std::string& line) {
  say("trainyard: " + foreign_text(line) + "\n");
}

struct RunningPod {
  pid_t process = 0;
  int output = -1;   // what it writes
  int network = -1;  // its namespace
  std::string prefix;
  std::string line;  // that has not ended
  int gate = -1;     // at which it waits before it starts
  int code = -1;     // -1 while it runs
};

/// The first process of the namespaces of a rehearsal: with its end all others end.
class Stage {
 public:
  Stage(const Rehearsal& rehearsal, const RunRehearsal& options, std::string scratch, uid_t user,
        gid_t group)
      : rehearsal_(rehearsal),
        options_(options),
        scratch_(std::move(scratch)),
        user_(user),
        group_(group),
        pods_(rehearsal.pods.size()),
        seen_(rehearsal.pods.size()),
        names_(rehearsal),
        why_inside_(options.why_inside) {}

  int run(int signals) {
    signals_ = signals;
    if (!prepare() || !start_pods()) return static_cast<int>(ExitCode::WorldFailed);
    const auto begin = Clock::now();
    const auto patience = std::chrono::seconds(options_.patience);
    while (!interrupted_ && !is_over()) {
      wait_for_events();
      look();
      open_gates();
      if (Clock::now() - begin < patience || told_missing_) continue;
      told_missing_ = true;
      if (std::ranges::any_of(missing(), [this](std::size_t i) { return pods_[i].code == -1; })) {
        tell("ranks did not meet within " + std::to_string(options_.patience) + " s");
        break;
      }
    }
    return end();
  }

 private:
  /// Without the right to mount, namespaces are of no use: Ubuntu takes the rights away.
  bool prepare() {
    if (!map_user(0, user_, 0, group_) ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", scratch_.c_str(), "tmpfs", MS_NOSUID, "mode=755") != 0) {
      tell_not_permitted(errno);
      return false;
    }
    // What leads outside is made in the network of this machine: there is no way back.
    if (!options_.outside.empty() && outside_.open(options_.outside)) names_.open_outside();
    if (::unshare(CLONE_NEWNET) != 0) {
      tell_not_permitted(errno);
      return false;
    }
    const std::string problem =
        run_ip("link set lo up\nlink add name pods type bridge\naddress add " +
               std::string(kRehearsalServer) + "/16 dev pods\nlink set pods up\n");
    if (!problem.empty()) {
      tell("the network of the pods: " + problem);
      return false;
    }
    names_.open();
    return true;
  }

 public:
  static void tell_not_permitted(int error) {
    tell("this user may not make namespaces: " + error_from(error).message);
    say("  an administrator allows it: `sysctl kernel.unprivileged_userns_clone=1` on Debian,\n"
        "  `sysctl kernel.apparmor_restrict_unprivileged_userns=0` on Ubuntu, and\n"
        "  `user.max_user_namespaces` above 0 everywhere; in a container, with CAP_SYS_ADMIN\n");
  }

 private:
  bool start_pods() {
    std::string links;
    std::vector<int> networks;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (!start(i)) {
        tell("pod " + rehearsal_.pods[i].label + " cannot start: " + error_from(errno).message);
        return false;
      }
      networks.push_back(pods_[i].network);
      const std::string cable = "pod" + std::to_string(i);
      links += "link add name " + cable + " type veth peer name eth0 netns /proc/self/fd/" +
               std::to_string(pods_[i].network) + "\nlink set " + cable + " master pods up\n";
    }
    const std::string problem = run_ip(links, networks);
    if (!problem.empty()) {
      tell("the network of the pods: " + problem);
    } else if (!options_.outside.empty()) {
      connect_outside();
    }
    if (problem.empty()) open_gates();
    return problem.empty();
  }

  /// Of the pods for which those that they await listen.
  void open_gates() {
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (pods_[i].gate == -1 || !is_awaited_ready(rehearsal_, i, seen_)) continue;
      [[maybe_unused]] const ssize_t written =
          ::write(pods_[i].gate, has_outside_ ? &kWithOutside : &kInside, 1);
      ::close(std::exchange(pods_[i].gate, -1));
    }
  }

  /// A machine that is offline rehearses, too.
  void connect_outside() {
    std::vector<WaitingPod> waiting;
    for (const RunningPod& each : pods_) {
      waiting.push_back({each.process, rehearsal_.pods[waiting.size()].address});
    }
    why_inside_ = outside_.connect(waiting);
    has_outside_ = why_inside_.empty();
    if (has_outside_) return;
    why_inside_ = options_.outside + ": " + why_inside_;
    names_.close_outside();
    tell("pods have no network outside: " + why_inside_);
  }

  /// Starts a pod that waits at its gate until it has a network. False with an error.
  bool start(std::size_t i) {
    RunningPod& pod = pods_[i];
    pod.prefix = "[" + foreign_text(rehearsal_.pods[i].label) + "] ";
    if (options_.colour)
      pod.prefix = "\x1b[" + std::to_string(31 + i % 6) + "m" + pod.prefix + "\x1b[0m";
    int gate[2];
    int output[2];
    if (::pipe2(gate, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0) return false;
    pod.process =
        fork_into(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID);
    if (pod.process == 0) {
      ::close(gate[1]);
      char go = 0;
      if (::read(gate[0], &go, 1) != 1) ::_exit(0);
      ::dup2(output[1], STDOUT_FILENO);
      ::dup2(output[1], STDERR_FILENO);
      const int nothing = ::open("/dev/null", O_RDONLY);
      ::dup2(nothing, STDIN_FILENO);
      become_pod(rehearsal_, rehearsal_.pods[i],
                 {scratch_ + "/pod" + std::to_string(i), scratch_ + "/shared"}, user_, group_,
                 go == kWithOutside);
    }
    ::close(gate[0]);
    ::close(output[1]);
    pod.output = output[0];
    ::fcntl(pod.output, F_SETFL, O_NONBLOCK);
    pod.network = pod.process < 0 ? -1 : network_of(pod.process);
    pod.gate = gate[1];
    return pod.process > 0;
  }

  /// Kept open, so that what was connected can be seen after the end of the pod.
  int network_of(pid_t process) {
    const int pod = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
    const int own = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int found = -1;
    if (::setns(pod, CLONE_NEWNET) == 0) {
      found = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
      ::setns(own, CLONE_NEWNET);
    }
    ::close(pod);
    ::close(own);
    return found;
  }

  void wait_for_events() {
    std::vector<pollfd> watched = {{signals_, POLLIN, 0}};
    for (int each : names_.files()) watched.push_back({each, POLLIN, 0});
    for (const RunningPod& each : pods_) watched.push_back({each.output, POLLIN, 0});
    ::poll(watched.data(), watched.size(), 100);
    signalfd_siginfo signal = {};
    while (::read(signals_, &signal, sizeof signal) > 0) {
      if (signal.ssi_signo != SIGCHLD) ++interrupted_;
    }
    names_.answer(seen_);
    for (RunningPod& each : pods_) print(each);
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto pod = std::ranges::find(pods_, ended, &RunningPod::process);
      if (pod == pods_.end()) continue;
      pod->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      print(*pod);
      if (pod->code == 0 || stopping_) continue;
      tell(label(*pod) + " ended with exit code " + std::to_string(pod->code));
      if (!failed_at_) failed_at_ = Clock::now();
    }
  }

  const std::string& label(const RunningPod& pod) const {
    return rehearsal_.pods[static_cast<std::size_t>(&pod - pods_.data())].label;
  }

  /// A reader who has seen enough and closed the pipe ends the rehearsal.
  void print(const std::string& text) {
    if (write_out(text) != 0) ++interrupted_;
  }

  /// Whole lines; what is left at its end, too.
  void print(RunningPod& pod) {
    char buffer[64 * 1024];
    ssize_t count = 0;
    while (pod.output != -1 && (count = ::read(pod.output, buffer, sizeof buffer)) > 0) {
      pod.line.append(buffer, static_cast<std::size_t>(count));
      std::size_t begin = 0;
      for (std::size_t end = 0; (end = pod.line.find('\n', begin)) != std::string::npos;
           begin = end + 1) {
        print(pod.prefix + pod.line.substr(begin, end + 1 - begin));
      }
      pod.line.erase(0, begin);
    }
    if (count != 0 || pod.output == -1) return;
    if (!pod.line.empty()) print(pod.prefix + std::exchange(pod.line, {}) + "\n");
    ::close(std::exchange(pod.output, -1));
  }

  /// At the sockets of all pods, from inside of their networks.
  void look() {
    const int own = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (pods_[i].network == -1 || ::setns(pods_[i].network, CLONE_NEWNET) != 0) continue;
      seen_[i].sockets.clear();
      for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
        std::ranges::move(read_sockets(read_whole(table)), std::back_inserter(seen_[i].sockets));
      }
    }
    ::setns(own, CLONE_NEWNET);
    ::close(own);
    note_meetings(rehearsal_, seen_);
  }

  static std::string read_whole(const char* path) {
    std::string text;
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    char buffer[16 * 1024];
    ssize_t count = 0;
    while (file != -1 && (count = ::read(file, buffer, sizeof buffer)) > 0) {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    if (file != -1) ::close(file);
    return text;
  }

  bool is_over() const {
    if (failed_at_ && Clock::now() - *failed_at_ > kGrace) return true;
    return std::ranges::all_of(pods_, [this](const RunningPod& each) {
      const auto place = static_cast<std::size_t>(&each - pods_.data());
      return each.code != -1 || (!rehearsal_.pods[place].decides && !failed_at_);
    });
  }

  std::vector<std::size_t> missing() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (is_missing(rehearsal_, i, seen_[i])) found.push_back(i);
    }
    return found;
  }

  bool is_good() const {
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (rehearsal_.pods[i].decides && pods_[i].code != 0) return false;
    }
    return !interrupted_ && !failed_at_ && missing().empty();
  }

  /// Says what came of it and differs from the cluster, and stops what still runs.
  int end() {
    const int code = end_pods();
    say("trainyard: differences from the cluster:\n");
    for (const std::string& each : rehearsal_.differences) say("  " + foreign_text(each) + "\n");
    std::string network = "between the pods only, by Ethernet";
    if (has_outside_) {
      network = "by Ethernet; outside by " + options_.outside +
                ": what pods write to real services is kept";
    } else if (!why_inside_.empty()) {
      network += "; " + foreign_text(why_inside_);
    }
    say("  network: " + network + "\n  memory and CPU: no limits but those of this machine\n");
    return code;
  }

  int end_pods() {
    const bool good = is_good();
    for (std::size_t i = 0; i < pods_.size() && !good; ++i) tell_waits(i);
    stop();
    if (interrupted_ != 0) {
      tell("interrupted; nothing is left");
      return kInterrupted;
    }
    if (!good) return kJobFailed;
    std::string met;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const Meeting& meeting = rehearsal_.pods[i].meeting;
      if (!seen_[i].has_met) continue;
      met = "; they found each other at " + meeting.host;
      if (meeting.port != 0) met += ":" + std::to_string(meeting.port);
    }
    const bool is_all = std::ranges::all_of(pods_, [](const auto& each) { return each.code == 0; });
    tell((is_all ? "all pods ended with 0" : "the job ended with 0") + met);
    return 0;
  }

  /// Of a pod that failed only names: its program says the rest.
  void tell_waits(std::size_t i) {
    const std::string& own = rehearsal_.pods[i].label;
    if (pods_[i].code > 0) {
      for (const std::string& name : seen_[i].unknown)
        tell(own + " asked for `" + name + "`: no such name");
      return;
    }
    const std::string does = pods_[i].code == 0 ? " never connected to " : " waits for ";
    for (const std::string& line : waits_of(rehearsal_, i, seen_)) tell(own + does + line);
  }

  void stop() {
    stopping_ = true;
    const int before = interrupted_;
    const auto until = Clock::now() + kGrace;
    for (RunningPod& each : pods_) {
      if (each.gate != -1) ::close(std::exchange(each.gate, -1));  // it ends
      if (each.code == -1) ::kill(each.process, SIGTERM);
    }
    const auto runs = [](const RunningPod& each) { return each.code == -1; };
    while (std::ranges::any_of(pods_, runs) && Clock::now() < until && interrupted_ == before) {
      wait_for_events();
    }
  }

  const Rehearsal& rehearsal_;
  const RunRehearsal& options_;
  std::string scratch_;
  uid_t user_;
  gid_t group_;
  std::vector<RunningPod> pods_;
  std::vector<SeenPod> seen_;
  NameServer names_;
  OutsideNetwork outside_;
  std::string why_inside_;  // of no network outside
  bool has_outside_ = false;
  int signals_ = -1;
  int interrupted_ = 0;
  bool told_missing_ = false;
  bool stopping_ = false;
  std::optional<Clock::time_point> failed_at_;
};

/// Waits for the stage, and hands signals on to it.
int wait_for(pid_t stage, int signals) {
  int status = 0;
  while (::waitpid(stage, &status, WNOHANG) == 0) {
    pollfd watched = {signals, POLLIN, 0};
    ::poll(&watched, 1, -1);
    signalfd_siginfo signal = {};
    while (::read(signals, &signal, sizeof signal) > 0) {
      if (signal.ssi_signo != SIGCHLD) ::kill(stage, SIGTERM);
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::WorldFailed);
}

}  // namespace

ExitCode run_rehearsal(const Rehearsal& rehearsal, const RunRehearsal& options) {
  std::string scratch = "/tmp/trainyard-rehearse-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) {
    tell("no folder can be made in /tmp: " + error_from(errno).message);
    return ExitCode::WorldFailed;
  }
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before);
  const int signals = ::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const bool has_images =
      std::ranges::any_of(rehearsal.pods, [](const auto& pod) { return !pod.root.empty(); });
  int gate[2] = {-1, -1};
  const pid_t stage = ::pipe2(gate, O_CLOEXEC) != 0
                          ? -1
                          : fork_into(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC);
  int code = static_cast<int>(ExitCode::WorldFailed);
  if (stage == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setsid();  // the terminal interrupts the process above alone
    ::close(gate[1]);
    char end = 0;
    [[maybe_unused]] const ssize_t none = ::read(gate[0], &end, 1);
    ::_exit(Stage(rehearsal, options, scratch, user, group).run(signals));
  }
  if (stage < 0) {
    Stage::tell_not_permitted(errno);
  } else {
    if (has_images && user == 0) map_all_users(stage);
    ::close(gate[1]);
    code = wait_for(stage, signals);
  }
  ::close(gate[0]);
  ::close(signals);
  ::rmdir(scratch.c_str());
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return static_cast<ExitCode>(code);
}

}  // namespace trainyard
