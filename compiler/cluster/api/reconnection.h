#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "cluster/http/clock.h"

namespace trainyard {

/// How a stream that was lost is opened again: with longer and longer pauses, for a limited time.
class Reconnection {
 public:
  Reconnection(Milliseconds patience, std::function<void(const std::string& problem)> troubled)
      : patience_(patience), troubled_(std::move(troubled)) {}

  /// The pause before the next attempt; nothing when it has been tried for long enough.
  std::optional<Milliseconds> lost(const std::string& problem) {
    const ClockTime now = Clock::now();
    if (!since_) {
      since_ = now;
      pause_ = Milliseconds(250);
      if (troubled_) troubled_(problem);
    }
    if (now - *since_ >= patience_) return std::nullopt;
    const Milliseconds pause = pause_;
    pause_ = std::min(2 * pause_, Milliseconds(10'000));
    return pause;
  }

  void works() {
    if (!since_) return;
    since_.reset();
    if (troubled_) troubled_("");
  }

 private:
  Milliseconds patience_;
  Milliseconds pause_{0};
  std::optional<ClockTime> since_;
  std::function<void(const std::string& problem)> troubled_;
};

}  // namespace trainyard
