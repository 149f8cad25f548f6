#include "cluster/time_stamp.h"

#include "cluster/http/clock.h"

namespace trainyard {
namespace {

/// Takes what it reads from the front of a text; `good` is false from the first mistake on.
struct Digits {
  std::string_view rest;
  bool good = true;

  int number(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      good = good && i < rest.size() && rest[i] >= '0' && rest[i] <= '9';
      if (!good) return 0;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(count);
    return value;
  }
  void sign(char wanted) {
    good = good && !rest.empty() && rest.front() == wanted;
    if (good) rest.remove_prefix(1);
  }
};

std::int32_t fraction(Digits& digits) {
  if (!digits.rest.starts_with('.')) return 0;
  digits.sign('.');
  std::int32_t value = 0;
  std::size_t count = 0;
  for (; !digits.rest.empty() && digits.rest.front() >= '0' && digits.rest.front() <= '9';
       ++count) {
    const int digit = digits.number(1);
    if (count < 9) value = value * 10 + digit;
  }
  digits.good = digits.good && count > 0;
  for (; count < 9; ++count) value *= 10;
  return value;
}

/// Seconds east of UTC.
int offset(Digits& digits) {
  if (digits.rest == "Z" || digits.rest == "z") return 0;
  const bool west = digits.rest.starts_with('-');
  digits.sign(west ? '-' : '+');
  const int hours = digits.number(2);
  digits.sign(':');
  const int seconds = hours * 3600 + digits.number(2) * 60;
  digits.good = digits.good && digits.rest.empty();
  return west ? -seconds : seconds;
}

}  // namespace

std::optional<TimeStamp> read_time(std::string_view text) {
  using namespace std::chrono;
  Digits digits{text};
  const int year_number = digits.number(4);
  digits.sign('-');
  const auto month_number = static_cast<unsigned>(digits.number(2));
  digits.sign('-');
  const auto day_number = static_cast<unsigned>(digits.number(2));
  digits.sign('T');
  const int hour_number = digits.number(2);
  digits.sign(':');
  const int minute_number = digits.number(2);
  digits.sign(':');
  const int second_number = digits.number(2);
  const std::int32_t nanoseconds_part = fraction(digits);
  const int east = offset(digits);
  const year_month_day date{year{year_number}, month{month_number}, day{day_number}};
  const bool in_range = hour_number < 24 && minute_number < 60 && second_number <= 60;
  if (!digits.good || !date.ok() || !in_range) return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return TimeStamp{days * 86400 + hour_number * 3600 + minute_number * 60 + second_number - east,
                   nanoseconds_part};
}

}  // namespace trainyard
