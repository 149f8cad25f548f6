#include "check/selectors.h"

#include "check/read.h"

namespace trainyard {
namespace {

bool matches(View expression, View labels) {
  const View label = get(labels, string_at(expression, "key"));
  const std::string_view op = string_at(expression, "operator");
  if (op == "Exists") return static_cast<bool>(label);
  if (op == "DoesNotExist") return !label;
  bool among = false;
  for (View value : items_at(expression, "values")) {
    among = among || (label && value->text == label->text);
  }
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  return true;  // no operator that we know; somebody else says so
}

}  // namespace

bool selects(View selector, View labels) {
  for (View wanted : entries_at(selector, "matchLabels")) {
    const View label = get(labels, wanted->key);
    if (!label || label->text != wanted->text) return false;
  }
  for (View expression : items_at(selector, "matchExpressions")) {
    if (!matches(expression, labels)) return false;
  }
  return true;
}

}  // namespace trainyard
