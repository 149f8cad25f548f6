#include "admission/tolerations.h"

#include <array>
#include <string>

#include "admission/name_checks.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void toleration_operator(View toleration, CheckContext& context) {
  constexpr auto operators = std::to_array<std::string_view>({"Exists", "Equal"});
  const View op = get(toleration, "operator");
  const View value = get(toleration, "value");
  const std::string_view word = string_of(op);
  // Lt and Gt are behind a gate that is off by default (TaintTolerationComparisonOperators).
  if (word == "Lt" || word == "Gt") {
    context.refuse(op, shown(word) +
                           " compares numbers, which no cluster does unless "
                           "TaintTolerationComparisonOperators is switched on; expected "
                           "`Exists` or `Equal`");
    return;
  }
  context.allow(op, "operator of a toleration", operators);
  if (word == "Exists" && !string_of(value).empty()) {
    context.refuse(value,
                   "a toleration with `Exists` takes no `value`: leave it out, or use "
                   "`Equal`");
  } else if (word != "Exists" && value && value.kind() == Kind::String) {
    if (const Fault fault = why_not_label_value(value->text)) {
      context.refuse(value, "taint value " + shown(value->text) + " " + *fault);
    }
  }
  const View key = get(toleration, "key");
  if (string_of(key).empty() && word != "Exists") {
    context.refuse(toleration,
                   "a toleration without `key` means every taint, and needs `operator: "
                   "Exists`");
  }
}

}  // namespace

void check_tolerations(View list, CheckContext& context) {
  constexpr auto effects =
      std::to_array<std::string_view>({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  if (!list || !list->is_seq()) return;
  for (View toleration : Items(list)) {
    if (!toleration->is_map()) continue;
    const View key = get(toleration, "key");
    if (!string_of(key).empty()) check_label_key(key, context);
    toleration_operator(toleration, context);
    const View effect = get(toleration, "effect");
    context.allow(effect, "effect of a taint", effects);
    const View seconds = get(toleration, "tolerationSeconds");
    if (seconds && string_of(effect) != "NoExecute") {
      context.refuse(effect ? effect : seconds,
                     "`tolerationSeconds` is how long a pod stays after a taint with `effect: "
                     "NoExecute`, and means nothing for other effects");
    }
  }
}

}  // namespace trainyard
