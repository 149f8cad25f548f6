#include <catch2/catch_test_macros.hpp>

#include "unit/cel/evaluated.h"

using trainyard::testing::compile_fault;
using trainyard::testing::evaluated;

TEST_CASE("what is no expression is refused where it goes wrong") {
  CHECK(compile_fault("") == "0: found the end where a value is wanted");
  CHECK(compile_fault("1 +") == "3: found the end where a value is wanted");
  CHECK(compile_fault("1 2") == "2: found `2` behind the expression");
  CHECK(compile_fault("(1") == "2: found the end where `)` is wanted");
  CHECK(compile_fault("'abc") == "0: found a string that is not closed");
  CHECK(compile_fault("'\\q'") == "0: found an escape sequence that does not exist");
  CHECK(compile_fault("1 # 2") == "2: found a character that has no meaning here");
  CHECK(compile_fault("x") == "0: nothing is called `x`");
  CHECK(compile_fault("fun(1)") == "0: there is no function `fun`");
  CHECK(compile_fault("'a'.size(1)") == "4: `size` does not take this number of arguments");
  CHECK(compile_fault("has(1)") == "0: `has` wants one field, as in `has(a.b)`");
  CHECK(compile_fault("[1].all(1, true)") == "8: a macro wants the name of a variable here");
  CHECK(compile_fault("[1].all(i, i, true)").ends_with("want different names"));
  CHECK(compile_fault("for") == "0: `for` is a reserved word");
  CHECK(compile_fault("9223372036854775808").ends_with("does not fit into 64 bits"));
  CHECK(compile_fault("int{}") == "3: messages cannot be made here");
}

TEST_CASE("nesting has an end, in the text and in what it means") {
  const std::string deep(300, '(');
  CHECK(compile_fault(deep + "1" + std::string(300, ')')).ends_with("nested too deep"));
  CHECK(compile_fault(std::string(300, '[')).ends_with("nested too deep"));
  CHECK(compile_fault(std::string(3000, '!') + "true").ends_with("nested too deep"));
  std::string sum = "1";
  for (int i = 0; i < 3000; ++i) sum += "+1";
  CHECK(compile_fault(sum).ends_with("nested too deep"));
  std::string all = "true";
  for (int i = 0; i < 3000; ++i) all += "&&true";
  CHECK(evaluated(all) == "true");
}

TEST_CASE("an error on one side of a decision does not matter when the other side decides") {
  CHECK(evaluated("false && 1/0 == 1") == "false");
  CHECK(evaluated("1/0 == 1 && false") == "false");
  CHECK(evaluated("1/0 == 1 || true") == "true");
  CHECK(evaluated("1/0 == 1 || false") == "error: division by zero");
  CHECK(evaluated("true ? 1 : 1/0") == "1");
  CHECK(evaluated("1/0 == 1 ? 1 : 2") == "error: division by zero");
  CHECK(evaluated("1 && false") == "false");
  CHECK(evaluated("1 && true") == "error: no such overload");
  CHECK(evaluated("[1, 0].all(x, 1/x > 1)") == "false");
  CHECK(evaluated("[0, 1].exists(x, 1/x == 1)") == "true");
  CHECK(evaluated("[0, 2].exists(x, 1/x == 1)") == "error: division by zero");
}

TEST_CASE("whole numbers do not overflow silently") {
  CHECK(evaluated("9223372036854775807 + 1") == "error: integer overflow");
  CHECK(evaluated("-9223372036854775808 - 1") == "error: integer overflow");
  CHECK(evaluated("-(-9223372036854775808)") == "error: integer overflow");
  CHECK(evaluated("-9223372036854775808 / -1") == "error: integer overflow");
  CHECK(evaluated("0u - 1u") == "error: integer overflow");
  CHECK(evaluated("5 % 0") == "error: modulus by zero");
  CHECK(evaluated("7 / -2") == "-3");
  CHECK(evaluated("7 % -2") == "1");
  CHECK(evaluated("1.0 / 0.0") == "+Inf");
  CHECK(evaluated("1 + 1.0") == "error: no such overload");
}

TEST_CASE("numbers compare by amount, other types only with themselves") {
  CHECK(evaluated("1 == 1.0 && 1u == 1 && 2u < 2.5 && -1 < 0u") == "true");
  CHECK(evaluated("9007199254740993 == 9007199254740992.0") == "true");
  CHECK(evaluated("9223372036854775807 < 9223372036854775808.0") == "false");
  CHECK(evaluated("9223372036854775807 < 1e300 && 18446744073709551615u < 1e300") == "true");
  CHECK(evaluated("1 == 'a'") == "false");
  CHECK(evaluated("1 < 'a'") == "error: no such overload");
  CHECK(evaluated("0.0/0.0 == 0.0/0.0") == "false");
  CHECK(evaluated("[1, 2u, {'a': 3.0}] == [1.0, 2, {'a': 3}]") == "true");
  CHECK(evaluated("{'a': 1, 'b': 2} == {'b': 2, 'a': 1}") == "true");
  CHECK(evaluated("1.0 in [1] && 1 in {1u: 2}") == "true");
}

TEST_CASE("lists and maps are read by index, key and field") {
  CHECK(evaluated("[1, 2][1]") == "2");
  CHECK(evaluated("[1][1]") == "error: index out of bounds: 1");
  CHECK(evaluated("[1]['a']") == "error: unsupported index type");
  CHECK(evaluated("{'a': 1}.a + {'b': 2}['b']") == "3");
  CHECK(evaluated("{'a': 1}.b") == "error: no such key: b");
  CHECK(evaluated("has({'a': 1}.a) && !has({'a': 1}.b)") == "true");
  CHECK(evaluated("{'a': 1, 'a': 2}") == "error: a map with the same key twice");
  CHECK(evaluated("[1] + [2]") == "[1, 2]");
  CHECK(evaluated("1.size()") == "error: no such overload");
}

TEST_CASE("macros see their variables and what is around them") {
  CHECK(evaluated("[1, 2, 3].filter(x, x > 1).map(x, x * 10)") == "[20, 30]");
  CHECK(evaluated("[1, 2, 3].map(x, x > 1, x * 10)") == "[20, 30]");
  CHECK(evaluated("[1, 2].all(x, [3, 4].all(y, x < y))") == "true");
  CHECK(evaluated("[1, 2].map(x, [1, 2].map(x, x * 10))") == "[[10, 20], [10, 20]]");
  CHECK(evaluated("[1, 1, 2].exists_one(x, x == 2)") == "true");
  CHECK(evaluated("{'a': 1, 'b': 2}.filter(k, k == 'b')") == "[\"b\"]");
  CHECK(evaluated("[7, 8].all(i, v, v == i + 7)") == "true");
  CHECK(evaluated("{'a': 1}.exists(k, v, k == 'a' && v == 1)") == "true");
  CHECK(evaluated("[7, 8].transformList(i, v, i * v)") == "[0, 8]");
  CHECK(evaluated("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)") == "{\"b\": 4}");
  CHECK(evaluated("{'a': 'x'}.transformMapEntry(k, v, {v: k})") == "{\"x\": \"a\"}");
  CHECK(evaluated("[3, 1, 2].sortBy(x, -x)") == "[3, 2, 1]");
  CHECK(evaluated("1.all(x, true)") == "error: no such overload");
}

TEST_CASE("a budget ends what takes too long, whatever is around it") {
  const std::string out = "error: the expression takes too many steps";
  CHECK(evaluated("lists.range(1000000000).size() > 0") == out);
  CHECK(evaluated("lists.range(1000).all(x, lists.range(1000).all(y, true))", 100000) == out);
  CHECK(evaluated("lists.range(1000000000).size() > 0 || true") == out);
  std::string doubling = "'0123456789abcdef'";
  for (int i = 0; i < 40; ++i) doubling = "[" + doubling + "].map(x, x + x)[0]";
  CHECK(evaluated(doubling) == out);
  CHECK(evaluated("1 + 1", 3) == "2");
  CHECK(evaluated("1 + 1", 2) == out);
}

TEST_CASE("a pattern of many instructions costs as many steps") {
  CHECK(evaluated("'a'.matches('.{0,1000}')", 9'000) ==
        "error: the expression takes too many steps");
  CHECK(evaluated("'a'.matches('.{0,1000}')", 10'000) == "true");
  CHECK(evaluated("'a'.matches('[a-z]{1,200}')", 100) == "true");
}

TEST_CASE("literals are read in all their forms") {
  CHECK(evaluated("0x1F + -0x1") == "30");
  CHECK(evaluated("-9223372036854775808") == "-9223372036854775808");
  CHECK(evaluated("1.5e3") == "1500.0");
  CHECK(evaluated(".5") == "0.5");
  CHECK(evaluated("r'\\d' + \"\\x41\\u00e9\\101\"") == "\"\\dAéA\"");
  CHECK(evaluated("'''a\n'b'''") == "\"a\n'b\"");
  CHECK(evaluated("b'\\xff' == b'\\377'") == "true");
  CHECK(evaluated("1 // one\n + 1") == "2");
  CHECK(evaluated("type(1) == int && type(type(1)) == type") == "true");
}
