#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>

namespace trainyard::testing {

/// How much more processor time `work` takes for four times as much: 4 where it is linear, 16 where
/// it is quadratic. The least of three runs counts, and what takes no time at all counts as a
/// millisecond.
template <class Work>
double growth(std::size_t amount, const Work& work) {
  const auto least = [&work](std::size_t size) {
    std::clock_t found = 0;
    for (int run = 0; run < 3; ++run) {
      const std::clock_t begin = std::clock();
      work(size);
      const std::clock_t took = std::clock() - begin;
      found = run == 0 ? took : std::min(found, took);
    }
    return std::max(static_cast<double>(found) / CLOCKS_PER_SEC, 0.001);
  };
  return least(4 * amount) / least(amount);
}

inline constexpr double kMostGrowth = 9;

}  // namespace trainyard::testing
