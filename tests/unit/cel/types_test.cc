#include <catch2/catch_test_macros.hpp>

#include "cel/functions.h"
#include "cel/signatures.h"
#include "cel/type_check.h"

using namespace trainyard::cel;

namespace {

/// The type of an expression over `s` (a string), `n` (an int), `d` (anything), `o` (an object with
/// `name` and `items`), `m` (a map of quantities); or what is wrong with it.
std::string typed(std::string_view text) {
  constexpr std::string_view names[] = {"s", "n", "d", "o", "m"};
  Types types;
  const TypeRef string = types.simple(Type::String);
  const TypeRef object =
      types.object("job", {{"name", string}, {"items", types.list(types.simple(Type::Int))}});
  const TypeRef variables[] = {string, types.simple(Type::Int), types.dynamic(), object,
                               types.map(string, types.simple(Type::Quantity))};
  const Compiled compiled = compile(text, names, {.bindings = true});
  if (!compiled.program) return "no expression: " + compiled.error.message;
  const Typed found = check_types(*compiled.program, variables, types);
  if (found.fault) return std::to_string(found.fault->position) + ": " + found.fault->message;
  return type_text(found.type);
}

}  // namespace

TEST_CASE("an expression has the type of what it does") {
  CHECK(typed("s + 'a'") == "string");
  CHECK(typed("n * 2 > 3 && s.startsWith('a')") == "bool");
  CHECK(typed("o.items.map(i, i + 1)") == "list(int)");
  CHECK(typed("o.items.filter(i, i > 1).size()") == "int");
  CHECK(typed("m['a'].add(quantity('1Gi'))") == "kubernetes.Quantity");
  CHECK(typed("m.exists(k, k == 'a')") == "bool");
  CHECK(typed("[1, 2].sum()") == "int");
  CHECK(typed("optional.of(s).orValue('a')") == "string");
  CHECK(typed("o.?name") == "optional(string)");
  CHECK(typed("o.?items[?0].orValue(1)") == "int");
  CHECK(typed("cel.bind(x, o.items, x[0] + n)") == "int");
  CHECK(typed("timestamp('2024-01-01T00:00:00Z') - duration('1h')") == "google.protobuf.Timestamp");
  CHECK(typed("{'a': 1}['a']") == "int");
  CHECK(typed("n > 1 ? 'a' : s") == "string");
  CHECK(typed("o.items.all(i, v, i < v)") == "bool");
  CHECK(typed("s.split(',').exists(p, p == 'a')") == "bool");
}

TEST_CASE("of what is declared as anything nothing is wrong") {
  CHECK(typed("d.a.b > 1 && d.c == 'a'") == "bool");
  CHECK(typed("d.all(x, x.y)") == "bool");
  CHECK(typed("d.a") == "dyn");
  CHECK(typed("d + 1") == "int");
  CHECK(typed("d + d") == "dyn");
  CHECK(typed("d['a'].matches('b')") == "bool");
  CHECK(typed("d == null") == "bool");
  CHECK(typed("o == null") == "bool");
  CHECK(typed("d in o.items || s in d") == "bool");
}

TEST_CASE("what cannot be is reported where it stands") {
  CHECK(typed("o.nam == 'a'") == "2: `job` has no field `nam`");
  CHECK(typed("s + 1") == "2: `+` does not go with `string` and `int`");
  CHECK(typed("n == 'a'") == "2: `==` does not go with `int` and `string`");
  CHECK(typed("s == null") == "2: `==` does not go with `string` and `null_type`");
  CHECK(typed("n && true") == "0: found `int` where `&&` wants a bool");
  CHECK(typed("!s") == "1: found `string` where `!` wants a bool");
  CHECK(typed("s.startsWith(1)") == "2: `startsWith` does not go with `string`, `int`");
  CHECK(typed("m['a'] > 1") ==
        "7: `>` does not go with `kubernetes.Quantity` and `int`; such values have `isLessThan` "
        "and `isGreaterThan`");
  CHECK(typed("m['a'].compareTo('1Gi') > 0").starts_with("7: `compareTo` does not go with "));
  CHECK(typed("m[1] == quantity('1')").ends_with("has no key of the type `int`"));
  CHECK(typed("o.items['a']") == "7: a list has its items by number, not by `string`");
  CHECK(typed("o['name']") == "1: a value of the type `job` cannot be indexed");
  CHECK(typed("s.name") == "2: a value of the type `string` has no fields, such as `name`");
  CHECK(typed("s.all(c, true)").ends_with("goes through a list or a map, not through `string`"));
  CHECK(typed("o.items.all(i, i)") == "8: the condition of a macro is `int`, not a bool");
  CHECK(typed("'a' in o") == "4: `in` does not go with `string` and `job`");
  CHECK(typed("n ? 1 : 2").ends_with("is `int`, not a bool"));
  CHECK(typed("n > 1 ? 1 : 'a'") == "6: `? :` does not go with `int` and `string`");
  CHECK(typed("-s") == "0: `-` does not go with `string`");
  CHECK(typed("n % 1.5") == "2: `%` does not go with `int` and `double`");
}

TEST_CASE("every function has signatures, and every signature a function") {
  for (const Signature& each : signatures()) {
    INFO(each.name << " (" << each.takes << ")");
    CHECK_FALSE(find_functions(each.name, each.style, argument_words(each).size()).empty());
  }
  for (const Function& each : all_functions()) {
    INFO(each.name);
    bool found = false;
    for (const Signature& row : signatures()) {
      const std::size_t size = argument_words(row).size();
      found = found || (row.name == each.name && row.style == each.style && size >= each.least &&
                        size <= each.most);
    }
    CHECK(found);
  }
}

TEST_CASE("cel.bind is there where Kubernetes has it and nowhere else") {
  CHECK(compile("cel.bind(x, 1, x + 1)", {}).error.message == "nothing is called `cel`");
  CHECK(typed("cel.bind(x, 1, x + n) == 2") == "bool");
  CHECK(typed("cel.bind(1, 1, 2)").starts_with("no expression: "));
  CHECK(typed("cel.bind(x, 1)").starts_with("no expression: "));
}

TEST_CASE("texts that stand in an expression are read when it is compiled") {
  CHECK(typed("s.matches('[')") == "10: `[` is no pattern: missing ]: [");
  CHECK(typed("duration('1x') > duration('1s')") ==
        "9: `1x` is no duration; expected one such as `1h30m`");
  CHECK(typed("timestamp('2020') > timestamp('2020-01-01T00:00:00Z')") ==
        "10: `2020` is no time; expected one such as `2025-01-31T12:00:00Z`");
  CHECK(typed("s.matches(s + '[') && duration(s) > duration('-1.5h')") == "bool");
}

TEST_CASE("lists and maps that stand in an expression hold one type") {
  CHECK(typed("n in [1, 'a']") ==
        "9: `string` stands beside `int`; expected one type in a list or a map");
  CHECK(typed("[1, 2.5].size() == 2").starts_with("4: `double` stands beside `int`"));
  CHECK(typed("{'a': 1, 'b': 'c'}.size() == 2").starts_with("14: `string` stands beside `int`"));
  CHECK(typed("'%s %d'.format([s, 3]) == 'a 3'") == "bool");
  CHECK(typed("[s, d, null].size() == 3") == "bool");
}
