#include "cli/rehearse/pod_process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "cli/rehearse/outside_network.h"
#include "cli/rehearse/pod_users.h"
#include "cli/standard_files.h"
#include "diag/foreign_text.h"
#include "source/descriptor.h"
#include "source/file_error.h"

namespace trainyard {
namespace {

constexpr int kNoPod = 125;
/// Of a user with a home of its own, as in the images of the MPI Operator. sshd as root would need
/// a second user, and a namespace without root has one.
constexpr uid_t kOwnUser = 1000;

[[noreturn]] void give_up(const std::string& why) {
  say("trainyard: " + foreign_text(why) + "\n");
  ::_exit(kNoPod);
}

bool write_text(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file == -1) return false;
  const bool good = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return good;
}

std::map<std::string, std::string> files_of_etc(const Rehearsal& rehearsal,
                                                const RehearsedPod& pod) {
  std::string search;  // the end of the full name: NAMESPACE.svc.cluster.local
  if (!pod.names.empty()) {
    const std::string& full = pod.names.front();
    const std::size_t end = full.rfind(".svc.cluster.local");
    const std::size_t dot = end == full.npos ? full.npos : full.rfind('.', end - 1);
    if (dot != full.npos) search = full.substr(dot + 1) + " ";
  }
  std::map<std::string, std::string> files;
  if (!pod.home.empty()) {
    const Descriptor known(::open((pod.root + "/etc/passwd").c_str(), O_RDONLY | O_CLOEXEC));
    constexpr std::size_t kMostText = 1024 * 1024;
    const std::string number = std::to_string(kOwnUser);
    // The first line with a number counts: ssh looks for keys in this home.
    files["passwd"] = "mpiuser:x:" + number + ":" + number + "::" + pod.home + ":/bin/sh\n" +
                      (known.is_open() ? read_all(known, kMostText).text : "");
  }
  files.merge(std::map<std::string, std::string>{
      {"hosts", hosts_file(rehearsal, pod)},
      {"hostname", pod.hostname + "\n"},
      {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
      {"resolv.conf", "nameserver " + std::string(kRehearsalServer) + "\nsearch " + search +
                          "svc.cluster.local cluster.local\noptions ndots:5 timeout:1\n"}});
  return files;
}

}  // namespace

std::string run_ip(const std::string& lines, const std::vector<int>& files) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return error_from(errno).message;
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    for (int each : files) ::fcntl(each, F_SETFD, 0);
    for (const char* path : {"/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"}) {
      ::execl(path, "ip", "-batch", "-", nullptr);
    }
    ::execlp("ip", "ip", "-batch", "-", nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  [[maybe_unused]] const ssize_t written = ::write(ends[1], lines.data(), lines.size());
  ::close(ends[1]);
  int status = 0;
  if (process < 0 || ::waitpid(process, &status, 0) != process) return error_from(errno).message;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return "the program `ip` is not installed (package iproute2)";
  }
  return status == 0 ? "" : "`ip` cannot make it";
}

void become_pod(const Rehearsal& rehearsal, const RehearsedPod& pod, const PodFolders& folders,
                uid_t user, gid_t group, bool has_outside) {
  std::string links =
      "address add " + pod.address + "/16 dev eth0\nlink set eth0 up\nlink set lo up\n";
  if (has_outside) {
    const std::string device = kOutsideDevice;
    links += "link set " + device + " addrgenmode none\nlink set " + device +
             " up\nroute add default via " + kOutsideRouter + " dev " + device + " onlink src " +
             pod.address + "\n";
  }
  const std::string network = run_ip(links);
  if (!network.empty()) give_up("the network of the pod: " + network);
  // Container runtimes let every user listen at all ports.
  write_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  if (::sethostname(pod.hostname.data(), pod.hostname.size()) != 0) give_up("its host name");
  const std::string root = enter_pod_root(pod, folders, files_of_etc(rehearsal, pod));
  if (!root.empty()) give_up(root);
  const bool is_own = !pod.home.empty();
  const bool has_many = !pod.root.empty() && !is_own && user == 0;
  if (has_many ? !enter_as_root()
               : ::unshare(CLONE_NEWUSER) != 0 ||
                     !map_user(is_own ? kOwnUser : user, 0, is_own ? kOwnUser : group, 0)) {
    give_up("the user of the pod cannot be made: " + error_from(errno).message);
  }
  std::vector<char*> words;
  for (const std::string& each : pod.command) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  std::vector<char*> variables;
  for (const std::string& each : pod.environment) {
    variables.push_back(const_cast<char*>(each.c_str()));
  }
  variables.push_back(nullptr);
  environ = variables.data();  // its PATH finds the program
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(words.front(), words.data());
  const int error = errno;
  say("trainyard: program " + foreign_text(pod.command.front()) + ": " + error_from(error).message +
      "; this machine must have what the image has, and `--mount DIR:PATH` shows a folder there\n");
  ::_exit(127);
}

}  // namespace trainyard
