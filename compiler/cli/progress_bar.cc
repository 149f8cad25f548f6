#include "cli/progress_bar.h"

#include <algorithm>
#include <cmath>

#include "diag/words.h"

namespace trainyard {
namespace {

constexpr double kPatience = 1;                    // seconds without a bar
constexpr double kBetween = 0.1;                   // seconds between two drawings
constexpr std::size_t kBar = 24;                   // columns
constexpr std::string_view kNewLine = "\r\x1b[K";  // back to its start, and erase it

}  // namespace

void ProgressBar::note_stage(const WorkDone& work, double now) {
  const bool goes_on = stage_ == work.what && work.done >= last_;
  // The first stage began with the program.
  if (!goes_on && !stage_.empty()) {
    first_ = work.done;
    begin_ = now;
  }
  if (!goes_on) stage_ = work.what;
  last_ = work.done;
}

std::string ProgressBar::line(const WorkDone& work, double now) const {
  std::string text =
      std::to_string(work.done) + " of " + std::to_string(work.all) + " " + std::string(work.what);
  if (now > begin_) {
    const double rate = static_cast<double>(work.done - first_) / (now - begin_);
    text += ", " + number_text(std::round(10 * rate) / 10) + "/s";
  }
  const std::size_t filled = work.all == 0 ? kBar : kBar * std::min(work.done, work.all) / work.all;
  const std::string bar =
      "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] " + text;
  // In the last column some terminals go on to the next line.
  if (bar.size() < columns_) return bar;
  return text.size() < columns_ ? text : std::string();
}

void ProgressBar::show(const WorkDone& work) {
  if (columns_ == 0) return;
  const double now = seconds_();
  note_stage(work, now);
  if (now < kPatience || (drawn_ != 0 && now - drawn_ < kBetween)) return;
  drawn_ = now;
  write_(std::string(kNewLine) + line(work, now));
}

void ProgressBar::clear() {
  if (drawn_ != 0) write_(kNewLine);
  drawn_ = 0;
}

}  // namespace trainyard
