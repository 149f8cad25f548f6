#include "check/shares.h"

#include <charconv>
#include <string>

#include "check/read.h"
#include "schema/words.h"

namespace trainyard {

std::optional<Share> share_of(View value) {
  if (const auto number = integer_of(value)) return Share{*number, false};
  std::string_view text = string_of(value);
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Share{number, true};
}

void check_share(View value, std::optional<int> most, CheckContext& context) {
  if (!value) return;
  const auto found = share_of(value);
  if (!found && value->kind == Kind::String) {
    context.refuse(value, shown(value->text) + " is neither a number nor a percentage");
  } else if (found && found->value < 0) {
    context.refuse(value, shown(value->key) + " cannot be negative");
  } else if (found && found->percent && most && found->value > *most) {
    context.refuse(value,
                   "more than " + std::to_string(*most) + "% of the pods cannot be unavailable");
  }
}

}  // namespace trainyard
