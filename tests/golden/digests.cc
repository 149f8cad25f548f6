#include "golden/digests.h"

#include <algorithm>
#include <string_view>

namespace trainyard::golden {
namespace {

/// In front of the digest of a job's objects, and of that of a file's text, which holds the former.
constexpr std::string_view kKeys[] = {"trainyard/digest: sha256:", " sha256="};
constexpr std::string_view kMask = "masked";
constexpr std::size_t kDigits = 64;

std::string masked_after(std::string_view key, std::string text) {
  std::size_t at = text.find(key);
  while (at != std::string::npos) {
    at += key.size();
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at), text.size());
    if (end - at == kDigits) text.replace(at, kDigits, kMask);
    at = text.find(key, at);
  }
  return text;
}

void mask(Files& files) {
  for (auto& [name, text] : files) text = with_masked_digests(std::move(text));
}

}  // namespace

std::string with_masked_digests(std::string text) {
  for (const std::string_view key : kKeys) text = masked_after(key, std::move(text));
  return text;
}

void mask_digests(Expectation& expectation) {
  expectation.out = with_masked_digests(std::move(expectation.out));
  expectation.err = with_masked_digests(std::move(expectation.err));
  mask(expectation.tree);
  mask(expectation.changed);
}

}  // namespace trainyard::golden
