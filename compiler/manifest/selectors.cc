#include "manifest/selectors.h"

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool matches(View expression, const LabelOf& label_of) {
  const auto label = label_of(string_at(expression, "key"));
  const std::string_view op = string_at(expression, "operator");
  if (op == "Exists") return label.has_value();
  if (op == "DoesNotExist") return !label;
  bool among = false;
  for (View value : items_at(expression, "values")) {
    among = among || (label && value->text == *label);
  }
  if (op == "In") return among;
  if (op == "NotIn") return !among;
  return true;  // an unknown operator, which the schema reports
}

}  // namespace

bool selects(View selector, const LabelOf& label_of) {
  for (View wanted : entries_at(selector, "matchLabels")) {
    const auto label = label_of(wanted.key());
    if (!label || *label != wanted->text) return false;
  }
  for (View expression : items_at(selector, "matchExpressions")) {
    if (!matches(expression, label_of)) return false;
  }
  return true;
}

bool selects(View selector, View labels) {
  return selects(selector, [&](std::string_view key) -> std::optional<std::string> {
    const View label = get(labels, key);
    return label ? std::optional(std::string(label->text)) : std::nullopt;
  });
}

}  // namespace trainyard
