#include "source/held_signals.h"

#include <pthread.h>

namespace trainyard {
namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

/// Linux keeps a blocked signal waiting even where it is ignored, as `nohup` does.
bool would_act(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&ours_);
  sigemptyset(&before_);
  for (const int signal : kEnding) {
    if (would_act(signal)) sigaddset(&ours_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::any() const {
  sigset_t waiting;
  if (::sigpending(&waiting) != 0) return false;
  for (const int signal : kEnding) {
    const bool held_by_us = sigismember(&ours_, signal) == 1 && sigismember(&before_, signal) == 0;
    if (held_by_us && sigismember(&waiting, signal) == 1) return true;
  }
  return false;
}

}  // namespace trainyard
