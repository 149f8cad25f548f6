#include <catch2/catch_test_macros.hpp>

#include "unit/cel/evaluated.h"

using trainyard::testing::evaluated;

TEST_CASE("strings are cut and searched by code points") {
  CHECK(evaluated("'©αT'.charAt(1)") == "\"α\"");
  CHECK(evaluated("'abc'.charAt(3)") == "\"\"");
  CHECK(evaluated("'abc'.charAt(4)") == "error: index out of range: 4");
  CHECK(evaluated("'tacocat'.indexOf('a', 3)") == "5");
  CHECK(evaluated("'tacocat'.lastIndexOf('a')") == "5");
  CHECK(evaluated("'tacocat'.lastIndexOf('a', 3)") == "1");
  CHECK(evaluated("'tacocat'.indexOf('x')") == "-1");
  CHECK(evaluated("'äbc'.substring(1, 2)") == "\"b\"");
  CHECK(evaluated("'abc'.substring(2, 1)") == "error: invalid substring range. start: 2, end: 1");
  CHECK(evaluated("'Aä'.lowerAscii() + 'aä'.upperAscii()") == "\"aäAä\"");
  CHECK(evaluated("'a b c'.replace(' ', '-', 1)") == "\"a-b c\"");
  CHECK(evaluated("'ab'.replace('', '-')") == "\"-a-b-\"");
  CHECK(evaluated("'a,b,c'.split(',', 2)") == "[\"a\", \"b,c\"]");
  CHECK(evaluated("'aä'.split('')") == "[\"a\", \"ä\"]");
  CHECK(evaluated("' \\u00a0x\\n'.trim()") == "\"x\"");
  CHECK(evaluated("['a', 'b'].join('-') + ['c'].join()") == "\"a-bc\"");
  CHECK(evaluated("strings.quote('a\"\\n')") == "\"\"a\\\"\\n\"\"");
  CHECK(evaluated("size('ä') + 'äb'.size() + b'ab'.size()") == "5");
  CHECK(evaluated("1.contains('a')") == "error: no such overload");
}

TEST_CASE("format spells each argument as its clause asks") {
  CHECK(evaluated("'%s is %d, %x and %b'.format(['a', 3, 255, 5])") == "\"a is 3, ff and 101\"");
  CHECK(evaluated("'%.2f|%e|%o|%%'.format([1.005, 1.5, 8])") == "\"1.00|1.500000e+00|10|%\"");
  CHECK(evaluated("'%s'.format([[1, {'a': 2.5}]])") == "\"[1, {a: 2.5}]\"");
  CHECK(evaluated("'%X'.format(['az'])") == "\"617A\"");
  CHECK(evaluated("'%d'.format(['a'])") ==
        "error: the formatting clause `d` does not take a value of type string");
  CHECK(evaluated("'%s'.format([])") == "error: more formatting clauses than arguments");
  CHECK(evaluated("'%q'.format([1])") == "error: could not parse formatting clause");
}

TEST_CASE("lists are summed, ordered and cut") {
  CHECK(evaluated("[1, 2, 2].isSorted() && ![2, 1].isSorted()") == "true");
  CHECK(evaluated("[1, 2].sum() + [].sum()") == "3");
  CHECK(evaluated("['b', 'a'].min() + ['b', 'a'].max()") == "\"ab\"");
  CHECK(evaluated("[].min()") == "error: the list is empty");
  CHECK(evaluated("[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1) * 10") == "20");
  CHECK(evaluated("[1, 2, 3].slice(1, 2) + [[1], 2].flatten() + [2, 1, 2].distinct()") ==
        "[2, 1, 2, 2, 1]");
  CHECK(evaluated("[3, 1].sort() + [1, 2].reverse() + lists.range(2)") == "[1, 3, 2, 1, 0, 1]");
  CHECK(evaluated("[1].slice(0, 2)") == "error: the slice is not within the list");
  CHECK(evaluated("sets.contains([1, 2], [2.0]) && sets.intersects([1], [1]) && "
                  "sets.equivalent([1, 1], [1]) && !sets.equivalent([1], [2])") == "true");
}

TEST_CASE("patterns are those of RE2") {
  CHECK(evaluated("'abc'.matches('b') && !'abc'.matches('^b')") == "true");
  CHECK(evaluated("'ab12'.find('[0-9]+')") == "\"12\"");
  CHECK(evaluated("'a1b22'.findAll('[0-9]+')") == "[\"1\", \"22\"]");
  CHECK(evaluated("'a1b22c3'.findAll('[0-9]+', 2)") == "[\"1\", \"22\"]");
  CHECK(evaluated("'abc'.findAll('x*')") == "[\"\", \"\", \"\", \"\"]");
  CHECK(evaluated("'a'.matches('(')") == "error: `(` is no regular expression");
}

TEST_CASE("quantities are compared by amount") {
  CHECK(evaluated("quantity('1Gi').isGreaterThan(quantity('1G'))") == "true");
  CHECK(evaluated("quantity('500m').add(quantity('500m')) == quantity('1')") == "true");
  CHECK(evaluated("sign(quantity('5').sub(7))") == "-1");
  CHECK(evaluated("quantity('1.5').isInteger() || quantity('2k').asInteger() != 2000") == "false");
  CHECK(evaluated("quantity('1.5').asInteger()") == "error: cannot convert value to integer");
  CHECK(evaluated("quantity('1500m').asApproximateFloat()") == "1.5");
  CHECK(evaluated("quantity('1').compareTo(quantity('2'))") == "-1");
  CHECK(evaluated("isQuantity('1Gi') && !isQuantity('1GiB')") == "true");
  CHECK(evaluated("quantity('x')") == "error: `x` is no quantity");
}

TEST_CASE("addresses and networks") {
  CHECK(evaluated("string(ip('2001:DB8:0:0::1'))") == "\"2001:db8::1\"");
  CHECK(evaluated("isIP('::') && !isIP(':::') && !isIP('1.2.3') && !isIP('01.2.3.4')") == "true");
  CHECK(evaluated("isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')") == "false");
  CHECK(evaluated("ip.isCanonical('::1') && !ip.isCanonical('0::1')") == "true");
  CHECK(evaluated("ip('fe80::1').isLinkLocalUnicast() && ip('127.1.2.3').isLoopback()") == "true");
  CHECK(evaluated("cidr('10.1.2.3/8').containsIP('10.9.9.9')") == "true");
  CHECK(evaluated("cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')") == "false");
  CHECK(evaluated("string(cidr('10.1.2.3/12').masked())") == "\"10.0.0.0/12\"");
  CHECK(evaluated("cidr('10.1.2.3/12').prefixLength() + cidr('::/0').ip().family()") == "18");
  CHECK(evaluated("isCIDR('10.0.0.0/33') || isCIDR('10.0.0.0') || isCIDR('::/129')") == "false");
  CHECK(evaluated("isCIDR('2001:db8::/32')") == "true");
}

TEST_CASE("versions are ordered as semver.org says") {
  CHECK(evaluated("semver('1.2.3').isLessThan(semver('1.10.0'))") == "true");
  CHECK(evaluated("semver('1.0.0-rc.1').compareTo(semver('1.0.0'))") == "-1");
  CHECK(evaluated("semver('1.0.0-rc.2').isGreaterThan(semver('1.0.0-rc.10'))") == "false");
  CHECK(evaluated("semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))") == "true");
  CHECK(evaluated("semver('1.0.0+a') == semver('1.0.0+b')") == "true");
  CHECK(evaluated("isSemver('v1.2') || isSemver('1.02.3') || isSemver('1.2.3-')") == "false");
  CHECK(evaluated("semver('v1.02', true).minor()") == "2");
  CHECK(evaluated("isSemver('v1-rc', true)") == "false");
}

TEST_CASE("times are added, compared and taken apart") {
  CHECK(evaluated("duration('1h30m') == duration('5400s')") == "true");
  CHECK(evaluated("string(duration('-1500ms'))") == "\"-1.5s\"");
  CHECK(evaluated("duration('1.5')") == "error: cannot read `1.5` as a duration");
  CHECK(evaluated("timestamp('2024-02-29T12:00:00Z') + duration('24h')") == "2024-03-01T12:00:00Z");
  CHECK(evaluated("timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-28T00:00:00Z')") ==
        "172800s");
  CHECK(evaluated("timestamp('2023-02-29T00:00:00Z')").starts_with("error"));
  CHECK(evaluated("timestamp('9999-12-31T23:59:59Z') + duration('1s')") ==
        "error: timestamp overflow");
  CHECK(evaluated("timestamp('2009-02-13T23:31:30.5+01:00')") == "2009-02-13T22:31:30.5Z");
  CHECK(evaluated("timestamp('2009-02-13T23:31:30Z').getDayOfYear()") == "43");
  CHECK(evaluated("timestamp('2009-02-13T23:31:30Z').getDayOfMonth('+11:00')") == "13");
  CHECK(evaluated("timestamp('2009-02-13T23:31:30Z').getDayOfWeek()") == "5");
  CHECK(evaluated("duration('3h2m').getMinutes()") == "182");
  CHECK(evaluated("duration('9223372036s') + duration('1h')") == "error: duration overflow");
}

TEST_CASE("optional values") {
  CHECK(evaluated("{'a': 1}.?a") == "some(1)");
  CHECK(evaluated("{'a': 1}.?b.orValue(2)") == "2");
  CHECK(evaluated("{'a': {'b': 1}}.?a.b.value()") == "1");
  CHECK(evaluated("{'a': {'b': 1}}.?x.b.hasValue()") == "false");
  CHECK(evaluated("[1][?5].or(optional.of(3))") == "some(3)");
  CHECK(evaluated("[?optional.none(), ?optional.of(1)]") == "[1]");
  CHECK(evaluated("{?'a': optional.none(), 'b': 1}") == "{\"b\": 1}");
  CHECK(evaluated("optional.ofNonZeroValue('').hasValue()") == "false");
  CHECK(evaluated("optional.of(1).optMap(x, x + 1)") == "some(2)");
  CHECK(evaluated("optional.of({}).optFlatMap(x, x.?a)") == "none");
  CHECK(evaluated("optional.none().value()") == "error: optional.none() dereference");
}

TEST_CASE("conversions say what they cannot do") {
  CHECK(evaluated("int('0x1')").starts_with("error"));
  CHECK(evaluated("int(-1.9)") == "-1");
  CHECK(evaluated("uint(-1)") == "error: integer overflow");
  CHECK(evaluated("int(1e19)") == "error: integer overflow");
  CHECK(evaluated("string(1e6) + string(0.5) + string(12u)") == "\"1e+060.512\"");
  CHECK(evaluated("bool('True') && !bool('f')") == "true");
  CHECK(evaluated("string(b'\\xff')") == "error: bytes that are not UTF-8");
  CHECK(evaluated("double('1e400')").starts_with("error"));
  CHECK(evaluated("int(timestamp('1970-01-01T00:01:00Z'))") == "60");
}
