#include "live/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>
#include <string_view>

namespace trainyard {
namespace {

/// Calls only what a signal handler may.
void end_early(int) {
  constexpr std::string_view kTold =
      "trainyard: interrupted before the cluster was asked; nothing was changed\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kTold.data(), kTold.size());
  ::_exit(130);
}

/// Linux keeps a blocked signal waiting even where it is ignored, as `nohup` does.
bool would_act(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

}  // namespace

void tell_early_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) {
    if (would_act(signal)) std::signal(signal, end_early);
  }
}

Interrupt::Interrupt() {
  sigset_t held;
  sigemptyset(&held);
  sigemptyset(&before_);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (would_act(signal)) sigaddset(&held, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (would_act(signal)) std::signal(signal, SIG_DFL);  // it is no longer early
  }
  descriptor_ = ::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupt::~Interrupt() {
  // A waiter has acted on the signal: it must not also end the program.
  signalfd_siginfo signal;
  while (descriptor_ != -1 && ::read(descriptor_, &signal, sizeof signal) > 0) {
  }
  if (descriptor_ != -1) ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupt::caught() const {
  pollfd watched = {descriptor_, POLLIN, 0};
  return descriptor_ != -1 && ::poll(&watched, 1, 0) > 0;
}

}  // namespace trainyard
