#include "admission/crd_costs.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cel/field_names.h"
#include "cel/functions.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// kubernetes/apiserver pkg/apis/cel/config.go and pkg/cel/limits.go
constexpr double kRequest = 3.0 * 1024 * 1024;
constexpr double kText = 2;
constexpr double kDuration = 3;
constexpr double kDate = 12;
constexpr double kTime = 21;
constexpr double kLongTime = 32;
constexpr double kBool = 4;
constexpr double kNumber = 1;

// google/cel-go common/cost.go
constexpr double kTraversal = 0.1;
constexpr double kPattern = 0.25;

/// The bytes that a value takes in JSON at least; kubernetes/apiserver pkg/cel/common/schemas.go.
double least_size(View schema) {
  if (is_true(get(schema, "x-kubernetes-int-or-string"))) return kNumber;
  const std::string_view type = string_at(schema, "type");
  if (type == "boolean") return kBool;
  if (type == "integer" || type == "number") return kNumber;
  const std::string_view format = string_at(schema, "format");
  if (type == "string" && format == "duration") return kDuration;
  if (type == "string" && format == "date") return kDate;
  if (type == "string" && format == "date-time") return kTime;
  double size = kText;
  const View properties = get(schema, "properties");
  for (View name : items_at(schema, "required")) {
    const View property = get(properties, name->text);
    if (!property || property["default"]) continue;
    constexpr double around = 4;  // quotes, a colon and a comma
    size += static_cast<double>(name->text.size()) + least_size(property) + around;
  }
  return size;
}

/// The longest text of a schema.
double most_bytes(View schema) {
  constexpr double kBytesOfCharacter = 4;
  const std::string_view format = string_at(schema, "format");
  if (format == "duration" || format == "date-time") return kLongTime;
  if (format == "date") return kDate;
  if (const auto most = integer_at(schema, "maxLength")) {
    return static_cast<double>(std::max<std::int64_t>(*most, 0)) * kBytesOfCharacter;
  }
  if (!has_items(get(schema, "enum"))) return kRequest - kText;
  double longest = 0;
  for (View word : items_at(schema, "enum")) {
    longest = std::max(longest, static_cast<double>(word->text.size()));
  }
  return longest;
}

View property_named(View schema, std::string_view name) {
  for (View property : entries_at(schema, "properties")) {
    std::string escaped;
    if (property.key() == name) return property;
    if (cel::escape_field(property.key(), escaped) && escaped == name) return property;
  }
  return get(schema, "additionalProperties");
}

/// The schema of what stands in a list or a map.
View part_of(View schema) {
  const View items = get(schema, "items");
  return items ? items : get(schema, "additionalProperties");
}

class Costs {
 public:
  Costs(const cel::Program& rule, View self) : rule_(rule), schemas_(rule.slots()) {
    for (std::size_t slot = 0; slot < std::min<std::size_t>(2, schemas_.size()); ++slot) {
      schemas_[slot] = self;  // `self` and `oldSelf`
    }
  }

  double of(cel::ExprId id) {
    const cel::Expr& e = rule_[id];
    switch (e.op) {
      case cel::Op::All:
      case cel::Op::Exists:
      case cel::Op::ExistsOne:
      case cel::Op::Filter:
      case cel::Op::Transform:
      case cel::Op::TransformMap:
      case cel::Op::TransformEntries:
        return loop(e);
      case cel::Op::Bind: {
        const double value = of(rule_.operand(e, 0));
        schemas_[e.data] = schema_of(rule_.operand(e, 0));
        return value + of(rule_.operand(e, 1));
      }
      case cel::Op::Choose:
        return of(rule_.operand(e, 0)) + std::max(of(rule_.operand(e, 1)), of(rule_.operand(e, 2)));
      case cel::Op::In:
        return operands(e) + size_of(rule_.operand(e, 1)).value_or(0);
      case cel::Op::Call:
        return operands(e) + match(e);
      default:
        return operands(e);
    }
  }

 private:
  double operands(const cel::Expr& e) {
    double sum = 0;
    for (cel::ExprId each : rule_.operands(e)) sum += of(each);
    return sum;
  }

  double loop(const cel::Expr& e) {
    const cel::ExprId range = rule_.operand(e, 0);
    const View schema = schema_of(range);
    const std::size_t last = e.data + ((e.flags & cel::kTwoVariables) != 0 ? 1 : 0);
    const bool keys = last == e.data && !get(schema, "items");  // of a map
    if (last < schemas_.size()) schemas_[last] = keys ? View() : part_of(schema);
    double step = 0;
    for (std::size_t i = 1; i < e.count; ++i) step += of(rule_.operand(e, i));
    return of(range) + size_of(range).value_or(1) * std::max(step, 1.0);
  }

  /// A pattern that is known, for a text of the schema.
  double match(const cel::Expr& e) {
    const auto overloads = rule_.overloads(e);
    if (overloads.empty() || overloads.front()->name != "matches" || e.count != 2) return 0;
    const cel::Expr& pattern = rule_[rule_.operand(e, 1)];
    const View text = schema_of(rule_.operand(e, 0));
    if (pattern.op != cel::Op::Literal || string_at(text, "type") != "string") return 0;
    const cel::Value& words = rule_.constant(pattern);
    if (words.type() != cel::Type::String) return 0;
    const auto length = static_cast<double>(words.text().size());
    return (most_bytes(text) + 1) * kTraversal * length * kPattern;
  }

  View schema_of(cel::ExprId id) const {
    const cel::Expr& e = rule_[id];
    switch (e.op) {
      case cel::Op::Variable:
        return e.data < schemas_.size() ? schemas_[e.data] : View();
      case cel::Op::Select:
      case cel::Op::OptionalSelect:
        return property_named(schema_of(rule_.operand(e, 0)), rule_.name(e));
      case cel::Op::Index:
      case cel::Op::OptionalIndex:
        return part_of(schema_of(rule_.operand(e, 0)));
      case cel::Op::Filter:
        return schema_of(rule_.operand(e, 0));
      default:
        return {};
    }
  }

  std::optional<double> size_of(cel::ExprId id) const {
    const cel::Expr& e = rule_[id];
    if (e.op == cel::Op::Transform) return size_of(rule_.operand(e, 0));
    return most_items(schema_of(id));
  }

  const cel::Program& rule_;
  std::vector<View> schemas_;  // of the values in slots, as far as they are known
};

}  // namespace

std::optional<double> most_items(View schema) {
  const View items = get(schema, "items");
  const View values = get(schema, "additionalProperties");
  if (!items && !(values && values->is_map())) return std::nullopt;
  if (const auto most = integer_at(schema, items ? "maxItems" : "maxProperties")) {
    return static_cast<double>(std::max<std::int64_t>(*most, 0));
  }
  constexpr double around_item = 1;
  constexpr double around_value = 6;
  return std::floor((kRequest - kText) /
                    (items ? least_size(items) + around_item : least_size(values) + around_value));
}

double most_often(View schema) {
  return std::floor(kRequest / (least_size(schema) + 1));
}

double least_cost(const cel::Program& rule, View self) {
  return Costs(rule, self).of(rule.root());
}

}  // namespace trainyard
