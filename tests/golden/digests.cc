#include "golden/digests.h"

#include <algorithm>
#include <string_view>

namespace trainyard::golden {
namespace {

constexpr std::string_view kKey = "trainyard/digest: sha256:";
constexpr std::string_view kMask = "masked";
constexpr std::size_t kDigits = 64;

void mask(Files& files) {
  for (auto& [name, text] : files) text = with_masked_digests(std::move(text));
}

}  // namespace

std::string with_masked_digests(std::string text) {
  std::size_t at = text.find(kKey);
  while (at != std::string::npos) {
    at += kKey.size();
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at), text.size());
    if (end - at == kDigits) text.replace(at, kDigits, kMask);
    at = text.find(kKey, at);
  }
  return text;
}

void mask_digests(Expectation& expectation) {
  expectation.out = with_masked_digests(std::move(expectation.out));
  expectation.err = with_masked_digests(std::move(expectation.err));
  mask(expectation.tree);
  mask(expectation.changed);
}

}  // namespace trainyard::golden
