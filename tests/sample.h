// Tests whose cases take long together look at a part of them, except where all are asked for.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>

namespace trainyard::testing {

/// One case in `parts`, chosen by TRAINYARD_SEED (default 1); all with TRAINYARD_WHOLE=1.
class Sample {
 public:
  explicit Sample(unsigned parts) : parts_(is_set("TRAINYARD_WHOLE") ? 1 : parts) {
    if (parts_ > 1) UNSCOPED_INFO("a sample by TRAINYARD_SEED=" << seed());
  }
  /// Whether the next case belongs to the sample.
  bool takes() { return random_() % parts_ == 0; }
  /// What must come of the sample where `whole` must come of all cases.
  std::size_t least(std::size_t whole) const { return parts_ == 1 ? whole : whole / parts_ / 2; }

 private:
  static bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  }
  static unsigned seed() {
    return is_set("TRAINYARD_SEED")
               ? static_cast<unsigned>(std::strtoul(std::getenv("TRAINYARD_SEED"), nullptr, 10))
               : 1;
  }

  unsigned parts_;
  std::mt19937 random_{seed()};
};

}  // namespace trainyard::testing
