#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/kind.h"
#include "diag/sink.h"
#include "tree/tree.h"

namespace trainyard {

/// The annotation by which an object asks for severities of lints:
/// `trainyard/checks: "mutable-image-tag=off, gang-size=error"`.
inline constexpr std::string_view kChecksAnnotation = "trainyard/checks";

/// Severities of checks that somebody has asked for, by name.
class Severities {
 public:
  /// Nothing stands for `off`.
  using Wish = std::optional<Severity>;

  void set(std::string name, Wish wish) { wishes_.emplace_back(std::move(name), wish); }
  bool is_off(std::string_view name) const;
  /// The severity asked for; nothing when none is, or the check is off.
  std::optional<Severity> of(std::string_view name) const;
  bool empty() const { return wishes_.empty(); }
  void clear() { wishes_.clear(); }

 private:
  std::vector<std::pair<std::string, Wish>> wishes_;  // the last one of a name counts
};

/// `off`, `note` (or `info`), `warning`, `error`; false for another word.
bool read_wish(std::string_view word, Severities::Wish& wish);
/// The words for it, for messages.
inline constexpr std::string_view kWishWords = "`off`, `note`, `warning` or `error`";

/// The wishes in the annotation of an object. What cannot be read is left out here, and reported by
/// check `checks-annotation`.
void read_annotation(View object, Severities& severities);

}  // namespace trainyard
