#include "live/terminal.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

namespace trainyard {

void say_now(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_now(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void flush_output() {
  std::fflush(stdout);
}

bool agrees(const std::string& question, int interrupt) {
  const std::string text = question + " [y/N] ";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::array<pollfd, 2> waits{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{interrupt, POLLIN, 0}};
  while (::poll(waits.data(), waits.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if (waits[1].revents != 0) return false;
  std::array<char, 16> line{};
  if (std::fgets(line.data(), line.size(), stdin) == nullptr) return false;
  const std::string_view answer(line.data());
  return answer == "y\n" || answer == "yes\n";
}

bool is_interrupted(int interrupt) {
  pollfd watched{interrupt, POLLIN, 0};
  return interrupt != -1 && ::poll(&watched, 1, 0) > 0;
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, sizeof "2026-01-01T00:00:00Z"> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace trainyard
