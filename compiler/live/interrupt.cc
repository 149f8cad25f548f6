#include "live/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace trainyard {
namespace {

/// Linux keeps a blocked signal waiting even where it is ignored, as `nohup` does.
bool would_act(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t held;
  sigemptyset(&held);
  sigemptyset(&before_);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (would_act(signal)) sigaddset(&held, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
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
