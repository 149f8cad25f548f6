#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard::cel {

/// Why a text is no pattern; "" when it is one. Of a very large one the syntax alone counts, so
/// that this is always quick.
inline std::string pattern_fault(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(32 << 10);
  const RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options);
  const bool fits = compiled.ok() || compiled.error_code() == RE2::ErrorPatternTooLarge;
  return fits ? std::string() : compiled.error();
}

/// Patterns by their text, each compiled once. RE2 is the syntax of Go's regexp.
class Regexes {
 public:
  /// Nothing when the text is no pattern.
  const RE2* get(std::string_view pattern) {
    auto found = compiled_.find(pattern);
    if (found == compiled_.end()) {
      if (compiled_.size() >= kMost) compiled_.clear();
      RE2::Options options;
      options.set_log_errors(false);
      auto regex = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
      found = compiled_.emplace(std::string(pattern), std::move(regex)).first;
    }
    return found->second->ok() ? found->second.get() : nullptr;
  }

 private:
  // Patterns may be computed from the data, so that there is no end to them.
  static constexpr std::size_t kMost = 256;
  std::map<std::string, std::unique_ptr<RE2>, std::less<>> compiled_;
};

}  // namespace trainyard::cel
