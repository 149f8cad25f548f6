#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/time_stamp.h"

namespace trainyard {

/// The lines of one container as they come, each with its time in front. A stream that is opened
/// again begins at the last line's second: what came before is left out.
class LogLines {
 public:
  using OnLine = std::function<void(std::string_view time, std::string_view text)>;
  explicit LogLines(OnLine on_line) : on_line_(std::move(on_line)) {}

  void take(std::string_view line);
  /// A stream begins that has lines from `since` on, which may have come already.
  void begin_again();
  /// Another run of the container: nothing of it has come.
  void forget();
  /// `sinceTime` for the next stream; "" before the first line.
  const std::string& since() const { return last_text_; }

 private:
  bool has_come(const TimeStamp& time);

  OnLine on_line_;
  std::optional<TimeStamp> last_;
  std::string last_text_;
  unsigned at_last_ = 0;       // lines with the time of the last one
  bool is_repeating_ = false;  // the stream may still repeat lines
  unsigned repeated_ = 0;      // lines with that time in this stream
};

}  // namespace trainyard
