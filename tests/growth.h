#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <ctime>

namespace trainyard::testing {

inline constexpr double kMostGrowth = 9;

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kHasSanitizers = true;
#elif defined(__has_feature)
inline constexpr bool kHasSanitizers = __has_feature(address_sanitizer);
#else
inline constexpr bool kHasSanitizers = false;
#endif

/// How much more processor time `work` takes for four times as much: 4 where it is linear, 16 where
/// it is quadratic. The least of three runs counts, and what takes no time at all counts as a
/// millisecond. What seems to grow too much is measured up to twice more: other work on the machine
/// slows down some of the runs, but not a cost that is quadratic. In a build with sanitizers the
/// test is skipped: there, time is theirs.  Not to be called within a CHECK.
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
  if (kHasSanitizers) SKIP("time is the sanitizers' in this build; that of release tells growth");
  double found = kMostGrowth;
  for (int tries = 0; tries < 3 && found >= kMostGrowth; ++tries) {
    const double ratio = least(4 * amount) / least(amount);
    found = tries == 0 ? ratio : std::min(found, ratio);
  }
  return found;
}

}  // namespace trainyard::testing
