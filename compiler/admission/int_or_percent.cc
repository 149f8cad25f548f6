#include "admission/int_or_percent.h"

#include "diag/words.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::optional<IntOrPercent> int_or_percent_of(View value) {
  if (const auto number = integer_of(value)) return IntOrPercent{*number, false};
  std::string_view text = string_of(value);
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto number = read_number(text);
  return number ? std::optional(IntOrPercent{*number, true}) : std::nullopt;
}

void check_share(View value, bool at_most_all, CheckContext& context) {
  if (!value) return;
  const auto found = int_or_percent_of(value);
  if (!found && value.kind() == Kind::String) {
    context.refuse(value, shown(value->text) + " is neither a number nor a percentage");
  } else if (found && found->value < 0) {
    context.refuse(value, shown(value.key()) + " cannot be negative");
  } else if (found && found->percent && found->value > 100 && at_most_all) {
    context.refuse(value, shown(value.key()) + " cannot be more than 100% of the pods");
  }
}

}  // namespace trainyard
