// What is wrong with a template is reported before anything is filled.
#include <string>

#include "unit/target/workshop.h"

using namespace trainyard;

namespace {

/// The reports for a template: `kind line: message | notes`.
std::vector<std::string> reports(const std::string& text,
                                 std::vector<std::string_view> scope = {}) {
  Workshop shop;
  const bool compiled = shop.compile(text, std::move(scope)).has_value();
  CHECK(compiled == !shop.sink.has_errors());
  std::vector<std::string> result;
  for (const Diagnostic& report : shop.sink.sorted()) {
    std::string& line = result.emplace_back(info(report.kind).name);
    line += ' ';
    line += std::to_string(shop.sources.position(report.span.file, report.span.begin).line);
    line += ": " + report.message;
    for (const std::string& note : report.notes) line += " | " + note;
  }
  return result;
}

using Reports = std::vector<std::string>;

}  // namespace

TEST_CASE("an unknown hole is an error with the nearest field") {
  CHECK(reports("a: 1\nb: ${job.nmae}\n") ==
        Reports{"template-unknown-hole 2: the plan has no field `job.nmae` | "
                "did you mean `job.name`?"});
  CHECK(reports("a: x-${zzz}\n") ==
        Reports{"template-unknown-hole 1: the plan has no field `zzz`"});
  CHECK(reports("a: ${}\n") == Reports{"template-unknown-hole 1: the plan has no field ``"});
  CHECK(reports("a: ${ job.name }\n") ==
        Reports{"template-unknown-hole 1: the plan has no field ` job.name ` | "
                "did you mean `job.name`?"});
}

TEST_CASE("every unknown hole is reported, not the first") {
  CHECK(reports("a: ${x.y}\nb: {c: '${x.z}${x.w}'}\n").size() == 3);
}

TEST_CASE("a hole without its end is an error") {
  CHECK(reports("a: ${job.name\n") ==
        Reports{"template-unknown-hole 1: a hole without its closing `}`"});
}

TEST_CASE("a hole needs its loop around it") {
  CHECK(reports("a: ${role.image}\n") ==
        Reports{
            "template-unknown-hole 1: `role.image` is used outside of a loop that yields `role`"});
  CHECK(reports("list:\n"
                "  - {$each: job.roles, name: '${role.name}'}\n"
                "  - name: ${role.name}\n")
            .size() == 1);
  CHECK(
      reports("list: [{$each: role.env, name: '${env.name}'}]\n") ==
      Reports{"template-unknown-hole 1: `role.env` is used outside of a loop that yields `role`"});
  CHECK(reports("a: ${role.image}\n", {"role"}).empty());
}

TEST_CASE("text around a list or a map is an error") {
  const Reports expected{
      "template-hole-in-text 1: `job.labels` is a list or a map and has text around its hole"};
  CHECK(reports("a: x${job.labels}\n") == expected);
  CHECK(reports("a: ${job.labels}x\n") == expected);
  CHECK(reports("a: ${job.labels}${job.name}\n") == expected);
  CHECK(reports("a: ${job.labels}\n").empty());
}

TEST_CASE("`$each` repeats list items and documents, nothing else") {
  const std::string message = ": `$each` repeats list items and documents only";
  CHECK(reports("a:\n  $each: job.roles\n  name: ${role.name}\n") ==
        Reports{"template-bad-directive 2" + message});
  CHECK(reports("a: [{$value: {$each: job.roles, name: '${role.name}'}}]\n") ==
        Reports{"template-bad-directive 1" + message});
  // The pod template is a part of documents, so its root is no document.
  CHECK(reports("$each: role.env\nname: ${env.name}\n", {"role"}) ==
        Reports{"template-bad-directive 1" + message});
}

TEST_CASE("`$each` needs a list of the plan, and one mistake is one report") {
  CHECK(reports(
            "$each: job.role\nname: ${role.name}\nenv: [{$each: role.env, a: '${env.name}'}]\n") ==
        Reports{"template-unknown-hole 1: `$each` over `job.role`, which is no list to loop over | "
                "did you mean `job.roles`?"});
}

TEST_CASE("unknown directives and conditions are errors") {
  CHECK(reports("a: {$fi: job.name, b: 1}\n") ==
        Reports{"template-bad-directive 1: `$fi` is not a directive; there are `$if`, `$else`, "
                "`$each`, `$key`, `$role` and `$value`"});
  CHECK(reports("a: {$if: job.multinode, b: 1}\n") ==
        Reports{"template-unknown-hole 1: the plan has no field `job.multinode` | "
                "did you mean `job.multiNode`?"});
  CHECK(reports("a: {$if: role.image, b: 1}\n").size() == 1);
  CHECK(reports("a: {$if: true, b: 1}\n").size() == 1);
  CHECK(reports("a: {$if: [job.name], b: 1}\n").size() == 1);
}

TEST_CASE("beside `$value` there is no other entry, which would be lost") {
  CHECK(reports("a: {$value: 1, b: 2}\n") ==
        Reports{"template-bad-directive 1: `b` stands beside `$value`, which is the whole"});
}

TEST_CASE("`$else` and `$key` stand where they mean something") {
  const std::string otherwise = "template-bad-directive 1: `$else` needs an `$if` and a `$value`";
  CHECK(reports("a: {$value: 1, $else: 2}\n") == Reports{otherwise});
  CHECK(reports("a: {$if: job.name, $else: 2}\n") == Reports{otherwise});
  CHECK(reports("a: {$if: job.name, $value: 1, $else: 2}\n").empty());
  CHECK(reports("a: {$key: b, c: 1}\n") ==
        Reports{"template-bad-directive 1: `$key` names the entries of a map that an `$each` "
                "beside it fills"});
  CHECK(
      reports("a: {$each: role.env, $key: '${env.name}', b: '${env.value}'}\n", {"role"}).empty());
  CHECK(reports("a: {$each: role.env, $key: '${mount.path}', b: 1}\n", {"role"}).size() == 1);
}

TEST_CASE("keys are written out") {
  CHECK(reports("'${job.name}': 1\n") ==
        Reports{"template-bad-directive 1: a key is written out; holes are for values"});
}

TEST_CASE("the pod template cannot hold itself") {
  CHECK(reports("spec: ${role.pod}\n", {"role"}) ==
        Reports{"template-bad-directive 1: `role.pod` would put the pod template into itself"});
}
