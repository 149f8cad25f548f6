#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "source/span.h"

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
  /// The instructions of its program; 0 when it is Broken.
  std::size_t size(std::string_view pattern);

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

/// Why a text is no pattern; "" when it is one. Quick, because of a very large one the syntax alone
/// counts.
std::string pattern_fault(std::string_view pattern);

/// What the patterns of a file may cost together, in instructions of their programs. A pattern of
/// twelve bytes can have 100,000, which take 60 ms and some megabytes to compile.
class PatternBudget {
 public:
  static constexpr std::size_t kMost = 50'000;

  bool is_spent(FileId file) const;
  /// Counts a pattern of the file. What is wrong when this takes all of them over kMost; else "".
  std::string take(FileId file, std::size_t size);

 private:
  std::map<FileId, std::size_t> taken_;
};

}  // namespace trainyard
