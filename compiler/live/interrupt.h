#pragma once

#include <csignal>

namespace trainyard {

/// Until the first Interrupt begins, SIGINT or SIGTERM ends the program with 130 and a sentence.
void tell_early_interrupts();

/// Holds SIGINT and SIGTERM for as long as it lives, so that requests end in order. A waiter
/// watches `descriptor`, which is readable from the first signal on. Children get the signals.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  int descriptor() const { return descriptor_; }
  bool caught() const;

 private:
  int descriptor_ = -1;
  sigset_t before_;
};

}  // namespace trainyard
