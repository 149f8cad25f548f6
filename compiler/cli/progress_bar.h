#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "driver/session/env.h"

namespace trainyard {

/// A line on a terminal that says how far a command is. It appears after a second, and goes away at
/// the end.
class ProgressBar {
 public:
  /// `seconds` counts from the start of the program; `columns` is the width of the terminal, 0
  /// without one.
  ProgressBar(std::function<double()> seconds, std::function<void(std::string_view)> write,
              std::size_t columns)
      : seconds_(std::move(seconds)), write_(std::move(write)), columns_(columns) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  void show(const WorkDone& work);
  void clear();

 private:
  void note_stage(const WorkDone& work, double now);
  std::string line(const WorkDone& work, double now) const;

  std::function<double()> seconds_;
  std::function<void(std::string_view)> write_;
  std::size_t columns_;
  std::string stage_;      // what is counted
  std::size_t last_ = 0;   // count at the last call
  std::size_t first_ = 0;  // count at the start of the stage
  double begin_ = 0;       // of the stage
  double drawn_ = 0;       // 0 for never
};

}  // namespace trainyard
