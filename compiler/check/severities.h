#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "diag/kind.h"

namespace trainyard {

/// The annotation by which an object asks for severities of lints:
/// `trainyard/checks: "mutable-image-tag=off, gang-size=error"`.
inline constexpr std::string_view kChecksAnnotation = "trainyard/checks";

/// What the user asks of a check.
struct SeverityWish {
  bool on = true;
  std::optional<Severity> severity = {};  // nothing for the check's own
};
inline constexpr SeverityWish kCheckOff{.on = false};

/// Severities that the user has asked for, by name of the check.
class Severities {
 public:
  using Wish = SeverityWish;

  void set(std::string name, Wish wish) { wishes_.insert_or_assign(std::move(name), wish); }
  bool is_off(std::string_view name) const;
  /// The user has asked for it, with any severity.
  bool is_on(std::string_view name) const;
  /// The severity asked for; nothing when none is, or the check is off.
  std::optional<Severity> of(std::string_view name) const;
  bool empty() const { return wishes_.empty(); }
  void clear() { wishes_.clear(); }

 private:
  std::map<std::string, Wish, std::less<>> wishes_;
};

/// `off`, `on`, `note` (or `info`), `warning`, `error`; false for another word.
bool read_wish(std::string_view word, Severities::Wish& wish);
/// The words for it, for messages.
inline constexpr std::string_view kWishWords = "`off`, `on`, `note`, `warning` or `error`";

}  // namespace trainyard
