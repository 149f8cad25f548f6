#include "cli/rehearse/outside_network.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "source/descriptor.h"
#include "source/file_error.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostText = 64 * 1024;

/// AppArmor lets pasta open the networks of this folder only (passt contrib/apparmor).
constexpr const char* kNetworks = "/run/user/0/netns";

/// Pods get no addresses from it and no names, ports of this machine do not lead to them, and no
/// address leads to its loopback device.
std::vector<std::string> call_of(const std::string& program, const std::string& address) {
  if (program == "pasta") {
    return {"pasta",       "-4",   "-q",           "--netns-only", "-t",
            "none",        "-u",   "none",         "-T",           "none",
            "-U",          "none", "-a",           address,        "-n",
            "16",          "-g",   kOutsideRouter, "--no-map-gw",  "--no-dhcp",
            "--no-dhcpv6", "-I",   kOutsideDevice, "--no-ndp",     "--no-ra"};
  }
  // Its router is the second address of the network.
  return {"slirp4netns",  "--cidr", "169.254.98.0/24", "--disable-host-loopback", "--disable-dns",
          "--netns-type", "path"};
}

/// The last line that a program wrote, without the time that some put in front.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  const std::size_t time = text.find_first_not_of("0123456789.");
  return text.substr(time != 0 && text.compare(time, 2, ": ") == 0 ? time + 2 : 0);
}

/// The process that starts them: it is not in the network of the pods.
class Starter {
 public:
  explicit Starter(std::string program) : program_(std::move(program)) {}

  /// Reads a line `PROCESS ADDRESS` for each pod, and writes what went wrong.
  void serve(const Descriptor& line) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const FileRead asked = read_all(line, kMostText);
    const std::string fault = asked.error ? asked.error->message : connect_all(asked.text);
    write_all(line, fault);
  }

 private:
  std::string connect_all(std::string_view pods) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("tmpfs", "/run", "tmpfs", MS_NOSUID, "") != 0) {
      return error_from(errno).message;
    }
    for (const char* folder : {"/run/user", "/run/user/0", kNetworks}) ::mkdir(folder, 0755);
    while (!pods.empty()) {
      const std::string_view line = pods.substr(0, pods.find('\n'));
      pods.remove_prefix(line.size() + 1);
      pid_t process = 0;
      std::from_chars(line.data(), line.data() + line.size(), process);
      const std::string place = std::string(kNetworks) + "/" + std::to_string(process);
      if (const std::string fault = show_network(process, place); !fault.empty()) return fault;
      const std::string address(line.substr(line.find(' ') + 1));
      if (const std::string fault = start(call_of(program_, address), place); !fault.empty()) {
        return fault;
      }
    }
    return {};
  }

  /// Makes a file of the network of a process.
  static std::string show_network(pid_t process, const std::string& place) {
    Descriptor(::open(place.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const pid_t visitor = ::fork();  // who enters a network does not come back
    if (visitor == 0) {
      const auto pod = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
      const bool is_shown =
          ::setns(pod, CLONE_NEWNET) == 0 &&
          ::mount("/proc/self/ns/net", place.c_str(), nullptr, MS_BIND, nullptr) == 0;
      ::_exit(is_shown ? 0 : errno);
    }
    int status = 0;
    if (visitor < 0 || ::waitpid(visitor, &status, 0) != visitor) return error_from(errno).message;
    return status == 0 ? "" : error_from(WEXITSTATUS(status)).message;
  }

  /// Comes back when the program serves: `pasta` then goes to the background, the other one writes.
  std::string start(std::vector<std::string> words, const std::string& place) const {
    const bool goes_back = program_ == "pasta";
    const Descriptor messages(::memfd_create("messages", MFD_CLOEXEC));
    int ready[2];
    if (::pipe2(ready, O_CLOEXEC) != 0) return error_from(errno).message;
    const auto add = [&words](std::initializer_list<std::string> more) {
      words.insert(words.end(), more);
    };
    if (goes_back) {
      add({"--netns", place});
    } else {
      add({"--ready-fd", std::to_string(ready[1]), place, kOutsideDevice});
    }
    const pid_t process = ::fork();
    if (process == 0) {
      ::signal(SIGPIPE, SIG_DFL);  // pasta of Debian 12 ends where it is ignored
      if (!goes_back) ::fcntl(ready[1], F_SETFD, 0);
      ::dup2(messages.get(), STDOUT_FILENO);
      ::dup2(messages.get(), STDERR_FILENO);
      std::vector<char*> pointers;
      for (std::string& each : words) pointers.push_back(each.data());
      pointers.push_back(nullptr);
      ::execvp(pointers.front(), pointers.data());
      ::_exit(127);
    }
    ::close(ready[1]);
    char byte = 0;
    bool serves = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    int status = 0;
    if (!serves) serves = ::waitpid(process, &status, 0) == process && status == 0;
    if (serves) return {};
    ::lseek(messages.get(), 0, SEEK_SET);
    const std::string said = last_line(read_all(messages, kMostText).text);
    return said.empty() ? "it ended with code " + std::to_string(WEXITSTATUS(status)) : said;
  }

  std::string program_;
};

}  // namespace

bool OutsideNetwork::open(const std::string& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    Starter(program).serve(Descriptor(ends[1]));
    ::_exit(0);
  }
  ::close(ends[1]);
  starter_ = ends[0];
  return process > 0;
}

std::string OutsideNetwork::connect(const std::vector<WaitingPod>& pods) const {
  std::string lines;
  for (const WaitingPod& each : pods) {
    lines += std::to_string(each.process) + " " + each.address + "\n";
  }
  const Descriptor starter(starter_);
  if (const auto fault = write_all(starter, lines)) return fault->message;
  ::shutdown(starter.get(), SHUT_WR);
  return read_all(starter, kMostText).text;
}

}  // namespace trainyard
