// Runs a command once with its output thrown away and prints what it took:
//
//   bench_measure COMMAND ARGUMENTS...      ->  NANOSECONDS CPU_MICROSECONDS PEAK_KIB EXIT_STATUS
//
// A static program of its own, because a process starts out with the peak memory of the one that
// forked it: asked from Python, everything would seem to take what Python takes.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>

extern char** environ;

namespace {

long long microseconds(const timeval& time) {
  return static_cast<long long>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);

  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawnp(&child, argv[1], &quiet, nullptr, argv + 1, environ) != 0) return 127;
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) return 126;
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;

  std::printf("%lld %lld %ld %d\n", static_cast<long long>(took.count()),
              microseconds(usage.ru_utime) + microseconds(usage.ru_stime), usage.ru_maxrss,
              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
