#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// Compiled patterns, each compiled when it is first needed. Not for two threads at once.
///
/// RE2 is the syntax and the meaning of Go's regexp, which the API server uses: a pattern matches
/// when it is found anywhere in the text.
class Patterns {
 public:
  enum class Result { Match, Mismatch, Broken };

  Patterns();
  ~Patterns();
  Patterns(Patterns&&) noexcept;
  Patterns& operator=(Patterns&&) noexcept;

  /// `pattern` stands for itself by its address: it must stay in place, unchanged.
  Result match(std::string_view pattern, std::string_view text);
  /// Why a pattern is Broken, in the words of RE2.
  std::string error(std::string_view pattern);

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace trainyard
