// Texts that are kept in memory or in a temporary file.
#include "source/spool.h"

#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

std::string text_of(std::size_t i) {
  return "text " + std::to_string(i) + std::string(i % 37, 'x');
}

/// Puts texts in and reads them in another order.
void require_all_back(Spool& spool, std::size_t count) {
  std::vector<Spool::Piece> pieces;
  for (std::size_t i = 0; i < count; ++i) pieces.push_back(spool.add(text_of(i)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (i * 7919) % count;
    REQUIRE(spool.text(pieces[at]) == text_of(at));
  }
}

/// Files may not grow beyond `bytes` while it lives, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("a spool gives back each text, wherever it keeps it", "[source]") {
  Spool large;
  require_all_back(large, 1000);
  CHECK(large.in_memory() > 20'000);
  Spool small(100);
  require_all_back(small, 1000);
  CHECK(small.in_memory() <= 100);
  Spool none(0);
  require_all_back(none, 1000);
  CHECK(none.in_memory() <= text_of(36).size() + 2);
}

TEST_CASE("a text may be larger than a spool keeps in memory, and be empty", "[source]") {
  Spool spool(10);
  const std::string large(100'000, 'l');
  const Spool::Piece empty = spool.add("");
  const Spool::Piece piece = spool.add(large);
  const Spool::Piece after = spool.add("after");
  CHECK(spool.text(piece) == large);
  CHECK(spool.text(empty).empty());
  CHECK(spool.text(after) == "after");
}

TEST_CASE("what a full disk does not take stays in memory", "[source]") {
  const SmallDisk disk(4096);
  Spool spool(1000);
  require_all_back(spool, 1000);
  CHECK(spool.in_memory() > 10'000);
}
