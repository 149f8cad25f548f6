#pragma once

#include <csignal>

namespace trainyard {

/// While it lives, a signal that would end the program waits, so that work which must not be left
/// half done is finished or undone. At its end the signal does what it would have done. For the
/// time in which no other thread runs.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  ~HeldSignals();

  /// Whether one waits.
  bool any() const;

 private:
  sigset_t ours_;
  sigset_t before_;
};

}  // namespace trainyard
