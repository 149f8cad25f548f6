#include "cluster/api/log_lines.h"

#include <algorithm>

namespace trainyard {

void LogLines::begin_again() {
  is_repeating_ = last_.has_value();
  repeated_ = 0;
}

void LogLines::forget() {
  last_.reset();
  last_text_.clear();
  at_last_ = 0;
  is_repeating_ = false;
}

bool LogLines::has_come(const TimeStamp& time) {
  if (!is_repeating_ || !last_) return false;
  if (time < *last_) return true;
  if (time == *last_ && repeated_ < at_last_) {
    ++repeated_;
    return true;
  }
  is_repeating_ = time == *last_;
  return false;
}

void LogLines::take(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view text_of_time = line.substr(0, space);
  const auto time = read_time(text_of_time);
  // What the kubelet itself says instead of a log has no time.
  if (!time) return on_line_("", line);
  if (has_come(*time)) return;
  at_last_ = last_ == time ? at_last_ + 1 : 1;
  repeated_ = at_last_;
  last_ = time;
  last_text_ = text_of_time;
  on_line_(text_of_time, line.substr(std::min(space + 1, line.size())));
}

}  // namespace trainyard
