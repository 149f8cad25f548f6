// The program trainyard does its work where the kernel kills a process that opens a socket.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "folders.h"

using trainyard::testing::repository;

namespace {

/// From here on the call `socket` ends the process by SIGSYS.
bool forbid_sockets() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// The status of a child for waitpid; 77 as exit code where the kernel has no such filters.
int without_sockets(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::_exit(forbid_sockets() ? work() : 77);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

int run(std::vector<std::string> words) {
  std::vector<char*> call;
  for (std::string& each : words) call.push_back(each.data());
  call.push_back(nullptr);
  ::execv(call.front(), call.data());
  return 127;
}

}  // namespace

TEST_CASE("trainyard opens no socket, whatever it does offline") {
  const int probe = without_sockets([] { return ::socket(AF_INET, SOCK_STREAM, 0) < 0 ? 1 : 0; });
  if (WIFEXITED(probe) && WEXITSTATUS(probe) == 77) SKIP("no seccomp filters here");
  REQUIRE(WIFSIGNALED(probe));
  CHECK(WTERMSIG(probe) == SIGSYS);

  const std::string program = (trainyard::testing::build_folder() / "trainyard").string();
  const std::string spec = (repository() / "examples/smallest.yaml").string();
  const std::vector<std::vector<std::string>> calls = {
      {"--version"}, {"help"}, {"build", spec}, {"validate", spec}, {"list", "targets"}};
  for (std::vector<std::string> words : calls) {
    words.insert(words.begin(), program);
    const int status = without_sockets([&words] { return run(words); });
    INFO(words[1]);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) != 127);
  }
}
