#include "driver/threads/ordered_work.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace trainyard {
namespace {

TEST_CASE("results are taken in order, whatever the number of threads", "[driver]") {
  for (unsigned workers : {1U, 2U, 7U}) {
    std::vector<std::size_t> squares(500);
    std::vector<std::size_t> taken;
    work_in_order(
        squares.size(), workers, [&](std::size_t item, unsigned) { squares[item] = item * item; },
        [&](std::size_t item) {
          taken.push_back(squares[item]);
          return true;
        });
    REQUIRE(taken.size() == squares.size());
    for (std::size_t i = 0; i < taken.size(); ++i) CHECK(taken[i] == i * i);
  }
}

TEST_CASE("without threads, or with fewer than wanted, all the work is done", "[driver]") {
  for (unsigned there_are : {0U, 1U}) {
    unsigned left = there_are;
    std::vector<std::size_t> taken;
    work_in_order(
        100, 4, [](std::size_t, unsigned) {},
        [&](std::size_t item) { return taken.push_back(item), true; },
        [&](std::function<void()> run) {
          if (left-- == 0) throw std::system_error(EAGAIN, std::generic_category());
          return std::thread(std::move(run));
        });
    REQUIRE(taken.size() == 100);
    CHECK(std::ranges::is_sorted(taken));
  }
}

TEST_CASE("each worker has a number of its own", "[driver]") {
  std::vector<std::atomic<int>> inside(3);
  std::atomic<bool> shared = false;
  work_in_order(
      200, 3,
      [&](std::size_t, unsigned worker) {
        if (inside.at(worker).fetch_add(1) != 0) shared = true;
        inside.at(worker).fetch_sub(1);
      },
      [](std::size_t) { return true; });
  CHECK_FALSE(shared);
}

TEST_CASE("nothing is taken after the last that is wanted", "[driver]") {
  std::size_t taken = 0;
  work_in_order(
      100, 2, [](std::size_t, unsigned) {}, [&](std::size_t item) { return ++taken, item < 4; });
  CHECK(taken == 5);
}

TEST_CASE("workers do not run far ahead of what is taken", "[driver]") {
  std::atomic<std::size_t> done = 0;
  std::size_t most = 0;
  std::size_t taken = 0;
  work_in_order(
      1000, 2, [&](std::size_t, unsigned) { ++done; },
      [&](std::size_t) {
        most = std::max(most, done.load() - taken);
        ++taken;
        return true;
      });
  CHECK(taken == 1000);
  CHECK(most <= 17);
}

TEST_CASE("what a worker throws comes out, after the items before it", "[driver]") {
  std::size_t taken = 0;
  const auto work = [](std::size_t item, unsigned) {
    if (item == 10) throw std::runtime_error("no");
  };
  const auto take = [&](std::size_t) { return ++taken, true; };
  CHECK_THROWS_AS(work_in_order(50, 2, work, take), std::runtime_error);
  CHECK(taken == 10);
}

TEST_CASE("what the taker throws comes out when the workers have stopped", "[driver]") {
  const auto take = [](std::size_t item) -> bool {
    if (item == 3) throw std::runtime_error("no");
    return true;
  };
  CHECK_THROWS_AS(work_in_order(50, 2, [](std::size_t, unsigned) {}, take), std::runtime_error);
}

TEST_CASE("no items are no work", "[driver]") {
  work_in_order(
      0, 2, [](std::size_t, unsigned) { FAIL("there is nothing to do"); },
      [](std::size_t) { return true; });
  CHECK(default_workers() >= 1);
  CHECK(default_workers() <= 16);
}

}  // namespace
}  // namespace trainyard
