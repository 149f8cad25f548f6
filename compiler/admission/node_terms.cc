#include "admission/node_terms.h"

#include <array>
#include <string>

#include "admission/name_checks.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void node_expression(View expression, bool required, CheckContext& context) {
  constexpr auto operators =
      std::to_array<std::string_view>({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  check_label_key(get(expression, "key"), context);
  const View op = get(expression, "operator");
  context.allow(op, "operator of a node selector", operators);
  const std::string_view word = string_of(op);
  if (word.empty() && op && op.kind() == Kind::String) {
    context.refuse(op,
                   "the operator is empty; expected `In`, `NotIn`, `Exists`, `DoesNotExist`, "
                   "`Gt` or `Lt`");
  }
  const View values = get(expression, "values");
  const std::uint32_t count = values && values->is_seq() ? values->size : 0;
  if ((word == "In" || word == "NotIn") && count == 0) {
    context.refuse(expression, "operator " + shown(word) + " needs `values`, and there are none");
  } else if ((word == "Exists" || word == "DoesNotExist") && count != 0) {
    context.refuse(values, "operator " + shown(word) + " takes no `values`");
  } else if ((word == "Gt" || word == "Lt") && count != 1) {
    context.refuse(
        values ? values : expression,
        "operator " + shown(word) + " compares with one value; found " + std::to_string(count));
  }
  if (!required) return;
  for (View value : items_at(expression, "values")) {
    if (value.kind() != Kind::String) continue;
    if (const Fault fault = why_not_label_value(value->text)) {
      context.refuse(value, "label value " + shown(value->text) + " " + *fault);
    }
  }
}

void node_field(View expression, CheckContext& context) {
  constexpr auto operators = std::to_array<std::string_view>({"In", "NotIn"});
  const View key = get(expression, "key");
  if (!string_of(key).empty() && key->text != "metadata.name") {
    context.refuse(key, "nodes are matched by the field `metadata.name` only");
  }
  context.allow(get(expression, "operator"), "operator of a node field", operators);
  const View values = get(expression, "values");
  if (!values || !values->is_seq() || values->size != 1) {
    context.refuse(values ? values : expression, "a node field is compared with exactly one value");
  }
  for (View value : items_at(expression, "values")) {
    context.name(value, "node", why_not_subdomain);
  }
}

}  // namespace

void check_node_selector_terms(View required, CheckContext& context) {
  const View terms = get(required, "nodeSelectorTerms");
  if (!has_items(terms)) {
    context.refuse(terms ? terms : required, "no `nodeSelectorTerms`: expected one term at least");
  }
  for (View term : items_at(required, "nodeSelectorTerms")) check_node_term(term, true, context);
}

void check_node_term(View term, bool required, CheckContext& context) {
  for (View expression : items_at(term, "matchExpressions")) {
    node_expression(expression, required, context);
  }
  for (View expression : items_at(term, "matchFields")) node_field(expression, context);
}

}  // namespace trainyard
