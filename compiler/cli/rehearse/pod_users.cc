#include "cli/rehearse/pod_users.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "source/descriptor.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostText = 64 * 1024;

bool write_at(const Descriptor& folder, const char* name, const std::string& text) {
  const Descriptor file(::openat(folder.get(), name, O_WRONLY | O_CLOEXEC));
  return file.is_open() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string read_own(const std::string& name) {
  const Descriptor file(::open(("/proc/self/" + name).c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() ? read_all(file, kMostText).text : std::string();
}

/// A line is: first number inside, first number outside, how many (man 7 user_namespaces).
std::string same_numbers(const std::string& map) {
  std::istringstream lines(map);
  std::string same;
  for (std::string first, outside, count; lines >> first >> outside >> count;) {
    same += first + " " + first + " " + count + "\n";
  }
  return same;
}

bool map_all_at(const Descriptor& folder) {
  for (const char* name : {"gid_map", "uid_map"}) {
    if (!write_at(folder, name, same_numbers(read_own(name)))) return false;
  }
  return true;
}

}  // namespace

bool map_user(uid_t inside, uid_t outside, gid_t inside_group, gid_t outside_group) {
  if (!read_own("uid_map").empty()) return true;
  const Descriptor self(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
  write_at(self, "setgroups", "deny");  // the user namespace above may have said so
  const auto line = [](auto in, auto out) {
    return std::to_string(in) + " " + std::to_string(out) + " 1";
  };
  return write_at(self, "uid_map", line(inside, outside)) &&
         write_at(self, "gid_map", line(inside_group, outside_group));
}

bool map_all_users(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  const Descriptor found(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return found.is_open() && map_all_at(found);
}

bool enter_as_root() {
  const Descriptor self(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
  int go[2];
  if (::pipe2(go, O_CLOEXEC) != 0) return false;
  // In the new namespace this process has no rights in the one above: another one maps for it.
  const pid_t helper = ::fork();
  if (helper == 0) {
    ::close(go[1]);
    char word = 0;
    ::_exit(::read(go[0], &word, 1) == 1 && map_all_at(self) ? 0 : 1);
  }
  ::close(go[0]);
  const bool is_new = ::unshare(CLONE_NEWUSER) == 0 && ::write(go[1], "g", 1) == 1;
  ::close(go[1]);
  if (helper > 0) ::waitpid(helper, nullptr, 0);
  return is_new && map_user(0, 0, 0, 0);
}

}  // namespace trainyard
