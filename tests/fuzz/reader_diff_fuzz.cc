// Arbitrary bytes as a document, read by the fast reader and by yaml-cpp alone: the trees are the
// same in all they hold, and so are the messages.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "readings.h"
#include "require.h"

namespace {

using namespace trainyard;

constexpr ReadLimits kSmall{.bytes = 1 << 16, .nodes = 20'000, .depth = 64};

void read_both_ways(std::string_view text, Ambiguity ambiguity) {
  const std::string found = readings::difference(text, kSmall, ambiguity);
  if (!found.empty()) std::fprintf(stderr, "%s\n", found.c_str());
  require(found.empty(), "the fast reader and yaml-cpp agree");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_both_ways(text, Ambiguity::Refuse);
  read_both_ways(text, Ambiguity::Kubernetes);
  return 0;
}
