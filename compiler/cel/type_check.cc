#include "cel/type_check.h"

#include <algorithm>
#include <string>

#include "cel/functions.h"
#include "cel/regexes.h"
#include "cel/signatures.h"
#include "cel/times.h"

namespace trainyard::cel {
namespace {

using Sort = StaticType::Sort;

class TypeChecker {
 public:
  TypeChecker(const Program& program, std::span<const TypeRef> variables, Types& types)
      : program_(program), types_(types), slots_(program.slots(), types.unknown()) {
    std::ranges::copy(variables, slots_.begin());
  }

  Typed run() {
    Typed result;
    result.type = of(program_.root());
    result.fault = std::move(fault_);
    return result;
  }

 private:
  TypeRef of(ExprId id);
  TypeRef operand(const Expr& e, std::size_t index) { return of(program_.operand(e, index)); }
  TypeRef literal(const Expr& e);
  TypeRef field(const Expr& e, TypeRef holder);
  TypeRef index(const Expr& e, TypeRef holder, TypeRef key);
  TypeRef call(const Expr& e);
  void literal_argument(const Expr& e, std::string_view function);
  void same_as_others(TypeRef others, TypeRef each, ExprId at);
  TypeRef list(const Expr& e);
  TypeRef map(const Expr& e);
  TypeRef choice(const Expr& e);
  TypeRef arithmetic(const Expr& e);
  TypeRef order(const Expr& e);
  TypeRef equality(const Expr& e);
  TypeRef membership(const Expr& e);
  TypeRef macro(const Expr& e);
  TypeRef optional_macro(const Expr& e);
  bool fits(const Signature& signature, std::span<const TypeRef> arguments, TypeRef& parameter);

  TypeRef simple(Type kind) { return types_.simple(kind); }
  TypeRef boolean() { return simple(Type::Bool); }
  TypeRef made_optional(TypeRef type) {
    return type->is(Sort::Optional) ? type : types_.optional(type);
  }
  /// What is common to two types.
  TypeRef joined(TypeRef a, TypeRef b) { return same_type(a, b) ? a : types_.unknown(); }
  void want_bool(const Expr& e, std::size_t from);
  TypeRef fail(const Expr& e, std::string message) {
    if (!fault_) fault_ = TypeFault{std::move(message), e.position, {}, {}};
    return types_.unknown();
  }
  TypeRef no_operator(const Expr& e, std::string_view symbol, TypeRef a, TypeRef b) {
    return fail(e, "`" + std::string(symbol) + "` does not go with `" + type_text(a) + "` and `" +
                       type_text(b) + "`");
  }

  const Program& program_;
  Types& types_;
  std::vector<TypeRef> slots_;
  std::optional<TypeFault> fault_;
  bool formatting_ = false;  // within the arguments of `format`
};

std::string_view symbol_of(Op op) {
  switch (op) {
    case Op::Add:
      return "+";
    case Op::Subtract:
      return "-";
    case Op::Multiply:
      return "*";
    case Op::Divide:
      return "/";
    case Op::Remainder:
      return "%";
    case Op::Equal:
      return "==";
    case Op::NotEqual:
      return "!=";
    case Op::Less:
      return "<";
    case Op::LessEqual:
      return "<=";
    case Op::Greater:
      return ">";
    case Op::GreaterEqual:
      return ">=";
    case Op::And:
      return "&&";
    case Op::Or:
      return "||";
    default:
      return "in";
  }
}

bool is_number(TypeRef type) {
  return type->is(Type::Int) || type->is(Type::Uint) || type->is(Type::Double);
}

TypeRef TypeChecker::of(ExprId id) {
  const Expr& e = program_[id];
  switch (e.op) {
    case Op::Literal:
      return literal(e);
    case Op::Variable:
      return slots_[e.data];
    case Op::Select:
      return field(e, operand(e, 0));
    case Op::OptionalSelect:
      return made_optional(field(e, operand(e, 0)));
    case Op::Has:
      field(e, operand(e, 0));
      return boolean();
    case Op::Index: {
      const TypeRef holder = operand(e, 0);
      return index(e, holder, operand(e, 1));
    }
    case Op::OptionalIndex: {
      const TypeRef holder = operand(e, 0);
      return made_optional(index(e, holder, operand(e, 1)));
    }
    case Op::Call:
      return call(e);
    case Op::List:
      return list(e);
    case Op::Map:
      return map(e);
    case Op::Not:
      want_bool(e, 0);
      return boolean();
    case Op::Negate: {
      const TypeRef a = operand(e, 0);
      if (a->is_open()) return types_.unknown();
      if (a->is(Type::Int) || a->is(Type::Double)) return a;
      return fail(e, "`-` does not go with `" + type_text(a) + "`");
    }
    case Op::And:
    case Op::Or:
      want_bool(e, 0);
      return boolean();
    case Op::Choose:
      return choice(e);
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Remainder:
      return arithmetic(e);
    case Op::Equal:
    case Op::NotEqual:
      return equality(e);
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
      return order(e);
    case Op::In:
      return membership(e);
    case Op::OptMap:
    case Op::OptFlatMap:
      return optional_macro(e);
    case Op::Bind:
      slots_[e.data] = operand(e, 0);
      return operand(e, 1);
    default:
      return macro(e);
  }
}

TypeRef TypeChecker::literal(const Expr& e) {
  const Type kind = program_.constant(e).type();
  return kind == Type::Opaque || kind == Type::Error ? types_.unknown() : simple(kind);
}

/// `&&`, `||` and `!` want booleans.
void TypeChecker::want_bool(const Expr& e, std::size_t from) {
  for (std::size_t i = from; i < e.count; ++i) {
    const TypeRef type = operand(e, i);
    if (type->is_open() || type->is(Type::Bool)) continue;
    const std::string symbol(e.op == Op::Not ? "!" : symbol_of(e.op));
    fail(program_[program_.operand(e, i)],
         "found `" + type_text(type) + "` where `" + symbol + "` wants a bool");
  }
}

TypeRef TypeChecker::field(const Expr& e, TypeRef holder) {
  const std::string name(program_.name(e));
  switch (holder->sort) {
    case Sort::Unknown:
      return types_.unknown();
    case Sort::Dynamic:
      return types_.dynamic();
    case Sort::Optional:
      return made_optional(field(e, holder->item));
    case Sort::Map:
      return holder->item;
    case Sort::Object: {
      const auto found = std::ranges::find(holder->fields, name, &TypeField::name);
      if (found != holder->fields.end()) return found->type;
      const bool first = !fault_;
      fail(e, "`" + holder->name + "` has no field `" + name + "`");
      if (first) {
        fault_->name = name;
        for (const TypeField& each : holder->fields) fault_->fields.push_back(each.name);
      }
      return types_.unknown();
    }
    default:
      return fail(e, "a value of the type `" + type_text(holder) + "` has no fields, such as `" +
                         name + "`");
  }
}

TypeRef TypeChecker::index(const Expr& e, TypeRef holder, TypeRef key) {
  switch (holder->sort) {
    case Sort::Unknown:
      return types_.unknown();
    case Sort::Dynamic:
      return types_.dynamic();
    case Sort::Optional:
      return made_optional(index(e, holder->item, key));
    case Sort::List:
      if (!key->is_open() && !is_number(key)) {
        return fail(e, "a list has its items by number, not by `" + type_text(key) + "`");
      }
      return holder->item;
    case Sort::Map:
      if (!fits_type(key, holder->key)) {
        return fail(
            e, "a `" + type_text(holder) + "` has no key of the type `" + type_text(key) + "`");
      }
      return holder->item;
    default:
      return fail(e, "a value of the type `" + type_text(holder) + "` cannot be indexed");
  }
}

/// Whether arguments are what an overload takes; `T` becomes the first type that stands for it.
bool TypeChecker::fits(const Signature& signature, std::span<const TypeRef> arguments,
                       TypeRef& parameter) {
  const std::vector<std::string_view> words = argument_words(signature);
  if (words.size() != arguments.size()) return false;
  parameter = types_.unknown();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const TypeRef given = arguments[i];
    if (parameter->is(Sort::Unknown)) {
      if (words[i] == "T") parameter = given;
      const bool wrapped = words[i] == "list(T)" || words[i] == "optional(T)";
      if (wrapped && given->item != nullptr && !given->is(Sort::Map)) parameter = given->item;
    }
    if (!fits_type(given, type_of_word(words[i], parameter, types_))) return false;
  }
  return true;
}

TypeRef TypeChecker::call(const Expr& e) {
  const Function& function = *program_.overloads(e).front();
  // What is put into a text may be of any types.
  const bool was_formatting = formatting_;
  formatting_ = formatting_ || function.name == "format";
  std::vector<TypeRef> arguments;
  for (std::size_t i = 0; i < e.count; ++i) arguments.push_back(operand(e, i));
  formatting_ = was_formatting;
  literal_argument(e, function.name);
  TypeRef result = nullptr;
  bool known = false;
  for (const Signature& each : signatures()) {
    if (each.name != function.name || each.style != function.style) continue;
    known = true;
    TypeRef parameter = nullptr;
    if (!fits(each, arguments, parameter)) continue;
    const TypeRef gives = type_of_word(each.gives, parameter, types_);
    result = result == nullptr ? gives : joined(result, gives);
  }
  if (result != nullptr || !known) return result == nullptr ? types_.unknown() : result;
  std::string given;
  for (TypeRef type : arguments) given += (given.empty() ? "`" : ", `") + type_text(type) + "`";
  return fail(e, "`" + std::string(function.name) + "` does not go with " + given);
}

/// A text that stands in the expression is read when that is compiled, and not only when it runs.
void TypeChecker::literal_argument(const Expr& e, std::string_view function) {
  const bool pattern = function == "matches";
  if (e.count != (pattern ? 2 : 1)) return;
  const Expr& last = program_[program_.operand(e, e.count - 1U)];
  if (last.op != Op::Literal || program_.constant(last).type() != Type::String) return;
  const std::string text(program_.constant(last).text());
  if (pattern) {
    const std::string fault = pattern_fault(text);
    if (!fault.empty()) fail(last, "`" + text + "` is no pattern: " + fault);
  } else if (function == "duration" && !parse_duration(text)) {
    fail(last, "`" + text + "` is no duration; expected one such as `1h30m`");
  } else if (function == "timestamp" && !parse_timestamp(text)) {
    fail(last, "`" + text + "` is no time; expected one such as `2025-01-31T12:00:00Z`");
  }
}

/// Lists and maps that stand in an expression hold one type.
void TypeChecker::same_as_others(TypeRef others, TypeRef each, ExprId at) {
  if (others == nullptr || formatting_) return;
  const auto plain = [](TypeRef type) {
    return type->is(Sort::Simple) && !type->is(Type::Null) && !type->is_open();
  };
  if (!plain(others) || !plain(each) || same_type(others, each)) return;
  fail(program_[at], "`" + type_text(each) + "` stands beside `" + type_text(others) +
                         "`; expected one type in a list or a map");
}

TypeRef TypeChecker::list(const Expr& e) {
  TypeRef item = nullptr;
  for (std::size_t i = 0; i < e.count; ++i) {
    const TypeRef each = operand(e, i);
    if (!(e.flags & kOptionalItems)) same_as_others(item, each, program_.operand(e, i));
    item = item == nullptr ? each : joined(item, each);
  }
  const bool plain = item != nullptr && !(e.flags & kOptionalItems);
  return types_.list(plain ? item : types_.unknown());
}

TypeRef TypeChecker::map(const Expr& e) {
  TypeRef key = nullptr;
  TypeRef item = nullptr;
  for (std::size_t i = 0; i + 1 < e.count; i += 2) {
    const TypeRef name = operand(e, i);
    const TypeRef value = operand(e, i + 1);
    if (!(e.flags & kOptionalItems)) {
      same_as_others(key, name, program_.operand(e, i));
      same_as_others(item, value, program_.operand(e, i + 1));
    }
    key = key == nullptr ? name : joined(key, name);
    item = item == nullptr ? value : joined(item, value);
  }
  const bool plain = item != nullptr && !(e.flags & kOptionalItems);
  return types_.map(plain ? key : types_.unknown(), plain ? item : types_.unknown());
}

TypeRef TypeChecker::choice(const Expr& e) {
  const TypeRef condition = operand(e, 0);
  if (!condition->is_open() && !condition->is(Type::Bool)) {
    fail(e, "the condition before `?` is `" + type_text(condition) + "`, not a bool");
  }
  const TypeRef yes = operand(e, 1);
  const TypeRef no = operand(e, 2);
  if (!fits_type(yes, no)) return no_operator(e, "? :", yes, no);
  return joined(yes, no);
}

TypeRef TypeChecker::arithmetic(const Expr& e) {
  const TypeRef a = operand(e, 0);
  const TypeRef b = operand(e, 1);
  if (a->is_open() || b->is_open()) {
    // What goes with a number or a text is one, too.
    const TypeRef known = a->is_open() ? b : a;
    const bool text = known->is(Type::String) || known->is(Type::Bytes);
    return is_number(known) || (text && e.op == Op::Add) ? known : types_.unknown();
  }
  const bool times = a->is(Type::Timestamp) || a->is(Type::Duration) || b->is(Type::Timestamp) ||
                     b->is(Type::Duration);
  if (e.op == Op::Add || e.op == Op::Subtract) {
    if (times && a->is(Sort::Simple) && b->is(Sort::Simple)) {
      const bool duration = a->is(Type::Duration) || b->is(Type::Duration);
      const bool both = a->is(Type::Timestamp) && b->is(Type::Timestamp);
      const bool fine = (a->is(Type::Duration) || a->is(Type::Timestamp)) &&
                        (b->is(Type::Duration) || b->is(Type::Timestamp)) &&
                        (duration || (both && e.op == Op::Subtract));
      if (!fine) return no_operator(e, symbol_of(e.op), a, b);
      const bool moment = !both && (a->is(Type::Timestamp) || b->is(Type::Timestamp));
      return simple(moment ? Type::Timestamp : Type::Duration);
    }
    if (e.op == Op::Add && a->is(Sort::List) && b->is(Sort::List)) return joined(a, b);
    const bool text = a->is(Type::String) || a->is(Type::Bytes);
    if (e.op == Op::Add && text && same_type(a, b)) return a;
  }
  const bool numbers = is_number(a) && same_type(a, b);
  if (numbers && !(e.op == Op::Remainder && a->is(Type::Double))) return a;
  return no_operator(e, symbol_of(e.op), a, b);
}

TypeRef TypeChecker::order(const Expr& e) {
  const TypeRef a = operand(e, 0);
  const TypeRef b = operand(e, 1);
  if (a->is_open() || b->is_open() || (is_number(a) && is_number(b))) return boolean();
  const bool ordered = a->is(Type::Bool) || a->is(Type::String) || a->is(Type::Bytes) ||
                       a->is(Type::Timestamp) || a->is(Type::Duration);
  if (ordered && same_type(a, b)) return boolean();
  const bool first = !fault_;
  no_operator(e, symbol_of(e.op), a, b);
  const bool by_name = a->is(Type::Quantity) || a->is(Type::Semver);
  if (first && by_name) fault_->message += "; such values have `isLessThan` and `isGreaterThan`";
  return boolean();
}

TypeRef TypeChecker::equality(const Expr& e) {
  const TypeRef a = operand(e, 0);
  const TypeRef b = operand(e, 1);
  if (!fits_type(a, b)) no_operator(e, symbol_of(e.op), a, b);
  return boolean();
}

TypeRef TypeChecker::membership(const Expr& e) {
  const TypeRef item = operand(e, 0);
  const TypeRef in = operand(e, 1);
  if (in->is_open()) return boolean();
  const TypeRef held = in->is(Sort::List) ? in->item : in->is(Sort::Map) ? in->key : nullptr;
  if (held == nullptr || !fits_type(item, held)) no_operator(e, "in", item, in);
  return boolean();
}

TypeRef TypeChecker::macro(const Expr& e) {
  const TypeRef range = operand(e, 0);
  const bool walked = range->is_open() || range->is(Sort::List) || range->is(Sort::Map);
  if (!walked) {
    fail(e, "a macro goes through a list or a map, not through `" + type_text(range) + "`");
  }
  const bool is_map = range->is(Sort::Map);
  const TypeRef open = range->is(Sort::Dynamic) ? types_.dynamic() : types_.unknown();
  const TypeRef item = walked && range->item != nullptr ? range->item : open;
  const TypeRef first = is_map ? range->key : item;
  if (e.flags & kTwoVariables) {
    slots_[e.data] = is_map ? range->key : range->is(Sort::List) ? simple(Type::Int) : open;
    slots_[e.data + 1] = item;
  } else {
    slots_[e.data] = first;
  }
  std::vector<TypeRef> parts;
  for (std::size_t i = 1; i < e.count; ++i) parts.push_back(operand(e, i));
  const auto condition = [&](TypeRef type) {
    if (!type->is_open() && !type->is(Type::Bool)) {
      fail(e, "the condition of a macro is `" + type_text(type) + "`, not a bool");
    }
  };
  if (e.flags & kHasCondition) condition(parts.front());
  switch (e.op) {
    case Op::All:
    case Op::Exists:
    case Op::ExistsOne:
      condition(parts.back());
      return boolean();
    case Op::Filter:
      condition(parts.back());
      return types_.list(first);
    case Op::Transform:
      return types_.list(parts.back());
    case Op::SortBy:
      return types_.list(first);
    default:
      return types_.unknown();
  }
}

TypeRef TypeChecker::optional_macro(const Expr& e) {
  const TypeRef target = operand(e, 0);
  if (!target->is_open() && !target->is(Sort::Optional)) {
    fail(e, "`optMap` goes with an optional value, not with `" + type_text(target) + "`");
  }
  slots_[e.data] = target->is(Sort::Optional) ? target->item : types_.unknown();
  const TypeRef result = operand(e, e.count - 1U);
  return e.op == Op::OptMap ? types_.optional(result) : types_.unknown();
}

}  // namespace

Typed check_types(const Program& program, std::span<const TypeRef> variables, Types& types) {
  return TypeChecker(program, variables, types).run();
}

}  // namespace trainyard::cel
