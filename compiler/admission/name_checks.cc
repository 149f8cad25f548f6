#include "admission/name_checks.h"

#include <array>
#include <vector>

#include "check/first_seen.h"
#include "diag/words.h"
#include "schema/names.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void requirement(View expression, CheckContext& context) {
  check_label_key(get(expression, "key"), context);
  constexpr auto operators =
      std::to_array<std::string_view>({"In", "NotIn", "Exists", "DoesNotExist"});
  const View op = get(expression, "operator");
  context.allow(op, "operator of a label selector", operators);
  const View values = get(expression, "values");
  const std::string_view word = string_of(op);
  if (word.empty() && op && op.kind() == Kind::String) {
    context.refuse(op, "the operator is empty; expected `In`, `NotIn`, `Exists` or `DoesNotExist`");
  }
  if ((word == "In" || word == "NotIn") && !has_items(values)) {
    context.refuse(expression, "operator " + shown(word) + " needs `values`, and there are none");
  } else if ((word == "Exists" || word == "DoesNotExist") && has_items(values)) {
    context.refuse(values, "operator " + shown(word) + " takes no `values`");
  }
  for (View value : items_at(expression, "values")) {
    if (value.kind() != Kind::String) continue;
    if (const Fault fault = why_not_label_value(value->text)) {
      context.refuse(value, "label value " + shown(value->text) + " " + *fault);
    }
  }
}

}  // namespace

void check_label_key(View key, CheckContext& context) {
  if (!key || key.kind() != Kind::String) return;
  if (const Fault fault = why_not_label_key(key->text)) {
    context.refuse(key, "label key " + shown(key->text) + " " + *fault);
  }
}

void check_driver_name(View driver, std::string_view what, CheckContext& context) {
  const std::string name = std::string(what) + " " + shown(string_of(driver));
  if (string_of(driver).size() > kLabelSize) {
    context.refuse(driver, name + " has " + std::to_string(driver->text.size()) +
                               " characters, at most 63 are allowed");
  }
  const std::string lower = lower_case(string_of(driver));
  if (const Fault fault = lower.empty() ? std::nullopt : why_not_subdomain(lower)) {
    context.refuse(driver, name + " " + *fault);
  }
}

void unique_names(View list, std::string_view what, CheckContext& context) {
  if (!list || !list->is_seq()) return;
  FirstSeen seen;
  for (View item : Items(list)) {
    const View name = get(item, "name");
    if (string_of(name).empty()) continue;
    const View first = seen.first(name->text, name);
    if (first && !context.is_flagged(item)) {
      context.refuse(name, "two of the " + std::string(what) + "s are called " + shown(name->text))
          .also(context.place(first), "the first one");
    }
  }
}

bool is_set(View value) {
  if (!value) return false;
  switch (value.kind()) {
    case Kind::Null:
      return false;
    case Kind::Bool:
      return value->text == "true";
    case Kind::Int:
    case Kind::Float:
      return value->text != "0";
    case Kind::String:
      return !value->text.empty();
    case Kind::Seq:
    case Kind::Map:
      return value->size != 0;
  }
  return false;
}

void require_text(View map, std::string_view key, CheckContext& context) {
  if (!map || !map->is_map()) return;
  const View value = get(map, key);
  if (value && (value.kind() != Kind::String || !value->text.empty())) return;
  if (context.is_flagged(map)) return;  // its schema asks for the field, too
  const std::string whose = map.key().empty() ? "this" : shown(map.key());
  context.refuse(value ? value : map, whose + " needs " + shown(key) + ", which is not set");
}

void check_labels(View labels, std::string_view what, CheckContext& context) {
  if (!labels || !labels->is_map()) return;
  for (View label : Items(labels)) {
    if (const Fault fault = why_not_label_key(label.key())) {
      context.refuse_key(label, std::string(what) + " key " + shown(label.key()) + " " + *fault);
    }
    if (label.kind() != Kind::String) continue;
    if (const Fault fault = why_not_label_value(label->text)) {
      context.refuse(label, std::string(what) + " value " + shown(label->text) + " " + *fault);
    }
  }
}

void check_selector(View selector, CheckContext& context) {
  check_labels(get(selector, "matchLabels"), "label", context);
  for (View expression : items_at(selector, "matchExpressions")) requirement(expression, context);
}

void check_template_metadata(View metadata, std::string_view what, CheckContext& context) {
  if (!metadata || !metadata->is_map()) return;
  for (View field : Items(metadata)) {
    if (field.key() == "labels" || field.key() == "annotations" || !is_set(field)) continue;
    context.refuse_key(field, std::string(what) + " takes " + shown(field.key()) +
                                  " from its pod; expected only `labels` and `annotations`");
  }
  check_labels(get(metadata, "labels"), "label", context);
}

}  // namespace trainyard
