#include "policy/policy_checks.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "cel/evaluate.h"
#include "cel/tree_values.h"
#include "check/check_context.h"
#include "diag/sink.h"
#include "schema/pack.h"
#include "schema/schema_check.h"
#include "unit/policy/one_document.h"

using namespace trainyard;
using trainyard::testing::Document;

namespace {

/// A file with one check of `kinds`, whose rules are `rules`.
std::string file(const std::string& kinds, const std::string& rules) {
  return "group: acme\nchecks: [{name: acme-a, kinds: [" + kinds + "], sentence: A., rules: [" +
         rules + "]}]";
}

std::vector<std::string> faults(const std::string& yaml) {
  const Document document(yaml);
  Checker checker(SchemaPack::builtin());
  const std::vector<SchemaSource> sources{{SchemaPack::builtin(), checker}};
  const PolicyChecks checks(document.root(), sources);
  std::vector<std::string> messages;
  for (const PolicyFault& each : checks.faults()) messages.push_back(each.message);
  return messages;
}

/// What a check of `kinds` finds in an object.
std::vector<std::string> found(const std::string& kinds, const std::string& rules,
                               const std::string& object, const std::string& old = "") {
  const Document policy(file(kinds, rules));
  PolicyChecks checks(policy.root(), {});
  for (const PolicyFault& each : checks.faults()) UNSCOPED_INFO(each.message);
  REQUIRE(checks.faults().empty());
  const std::vector<std::span<const Check>> tables{checks.rows()};
  CheckSelection selection({}, tables);
  CheckInputs surroundings;
  surroundings.selection = &selection;
  Sink sink;
  CheckContext context(surroundings, sink);
  const Document document(object);
  std::optional<Document> before;
  if (!old.empty()) context.replaces(before.emplace(old).root());
  run_checks(document.root(), {}, {}, context);
  std::vector<std::string> messages;
  for (const Diagnostic& each : sink.all()) messages.push_back(each.message);
  return messages;
}

const std::string kConfigMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: ";

}  // namespace

TEST_CASE("a path is fields, items, entries and keys in quotes") {
  const auto parts = [](std::string_view text) {
    const auto path = read_policy_path(text);
    return path ? static_cast<int>(path->parts.size()) : -1;
  };
  CHECK(parts("") == 0);
  CHECK(parts("spec") == 1);
  CHECK(parts("spec.containers[].env[].name") == 6);
  CHECK(parts("data[*]") == 2);
  CHECK(parts("metadata.labels[\"a.b/c\"].d") == 4);
  CHECK(parts("metadata.labels['a.b']") == 3);
  for (const char* wrong :
       {".", "a.", ".a", "a..b", "a[", "a[0]", "a[]b", "a[\"b]", "a[\"b\"", "[x]"}) {
    CAPTURE(wrong);
    CHECK(parts(wrong) == -1);
  }
}

TEST_CASE("a path leads to each value once, and to no null") {
  const Document document("{a: [{b: 1}, {b: null}, {c: 2}, {b: 3}], m: {x: 1, w: null, z: 2}}");
  const auto texts = [&](std::string_view path) {
    std::string all;
    read_policy_path(path)->each(document.root(),
                                 [&](View at) { all += std::string(at.text()) + " "; });
    return all;
  };
  CHECK(texts("a[].b") == "1 3 ");
  CHECK(texts("m[*]") == "1 2 ");
  CHECK(texts("m[]").empty());
  CHECK(texts("a[*]").empty());
  CHECK(texts("none.b").empty());
}

TEST_CASE("an expression is compared with the schema of what it looks at") {
  const auto one = [](const std::string& kinds, const std::string& rules) {
    const auto all = faults(file(kinds, rules));
    return all.empty() ? std::string() : all.front();
  };
  CHECK(one("pod", "{path: spec.hostNetwork, refuse: self, message: a}").empty());
  CHECK(one("pod", "{path: spec, refuse: has(self.hostNetwrk), message: a}")
            .find("did you mean `hostNetwork`?") != std::string::npos);
  CHECK(one("pod", "{path: 'containers[].imag', refuse: 'true', message: a}")
            .find("did you mean `image`?") != std::string::npos);
  CHECK(one("pod", "{path: 'containers[].image', refuse: self > 1, message: a}") != "");
  CHECK(one("job", "{path: backoffLimit, refuse: self > 1, message: a}").empty());
  CHECK(one("job", "{path: backoffLimits, refuse: self > 1, message: a}") != "");
  CHECK(
      one("batch/Job", "{path: metadata, refuse: self.__namespace__ == 'a', message: a}").empty());
  CHECK(one("RayJob, batch/Job", "{path: spec.entrypoint, words: [a]}").empty());  // one has it
  CHECK(one("example.com/Thing", "{path: spec.anything, words: [a]}").empty());
  CHECK(one("Thing", "{path: spec.anything, words: [a]}").find("write its group") !=
        std::string::npos);
}

TEST_CASE("a rule says one thing, and a name begins with its group") {
  CHECK(faults(file("pod", "{path: spec}")).size() == 1);
  CHECK(faults(file("pod", "{path: spec, words: [a], format: uri}")).size() == 1);
  CHECK(faults(file("pod", "{path: spec, refuse: 'true'}")).size() == 1);  // without a message
  CHECK(faults(file("pod, Job", "{path: spec, words: [a]}")).size() == 1);
  CHECK(faults("group: gang\nchecks: [{name: gang-a, kinds: [pod], sentence: A., rules: [{path: "
               "spec, words: [a]}]}]")
            .size() == 1);
  CHECK(faults("group: acme\nchecks: [{name: a, kinds: [pod], sentence: A., rules: [{path: spec, "
               "words: [a]}]}]")
            .size() == 1);
}

TEST_CASE("each form finds what it does not allow") {
  const auto data = [](const std::string& rule, const std::string& object) {
    return found("ConfigMap", rule, kConfigMap + object + "}").size();
  };
  CHECK(data("{path: 'data[*]', words: [a, b]}", "{x: a, w: b}") == 0);
  CHECK(data("{path: 'data[*]', words: [a, b]}", "{x: a, w: c, z: [a]}") == 2);
  CHECK(data("{path: 'data[*]', range: [1, 2.5]}", "{x: 1, w: 2.5}") == 0);
  CHECK(data("{path: 'data[*]', range: [1, 2.5]}", "{x: 0, w: 2.6, z: a}") == 3);
  CHECK(data("{path: 'data[*]', format: dns1123Label}", "{x: a-b}") == 0);
  CHECK(data("{path: 'data[*]', format: dns1123Label}", "{x: a.b, w: 1}") == 2);
  CHECK(data("{path: data.x, unique: ''}", "{x: [a, b]}") == 0);
  CHECK(data("{path: data.x, unique: k}", "{x: [{k: a}, {k: b}, {k: a}, {m: a}, {k: a}]}") == 2);
}

TEST_CASE("with `at: key` words are for the name of an entry") {
  const std::string rule =
      "{path: 'data[*]', words: [learner, rollout], at: key, message: '`{{ key }}` is no role'}";
  CHECK(found("ConfigMap", rule, kConfigMap + "{learner: x, rolout: w}}") ==
        std::vector<std::string>{"`rolout` is no role; expected `learner` or `rollout`"});
  CHECK(found("ConfigMap", rule, kConfigMap + "{learner: rolout}}").empty());
}

TEST_CASE("a rule looks at each of its paths, and a range may have no greatest number") {
  const std::string rule = "{paths: [spec.parallelism, spec.completions], range: [2]}";
  const std::string job = "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: ";
  CHECK(found("batch/Job", rule, job + "{parallelism: 1, completions: 0}}") ==
        std::vector<std::string>{"`1` is not allowed here; expected a number of at least 2",
                                 "`0` is not allowed here; expected a number of at least 2"});
  CHECK(found("batch/Job", rule, job + "{parallelism: 2, completions: 99999}}").empty());
}

TEST_CASE("`when` is asked of what a rule would refuse, and of nothing else") {
  const std::string rule = "{path: 'data[*]', words: [a], when: \"self != ''\"}";
  CHECK(found("ConfigMap", rule, kConfigMap + "{x: b, w: '', z: a}}") ==
        std::vector<std::string>{"`b` is not allowed here; expected `a`"});
  const std::string fails = "{path: 'data[*]', words: [a], when: self.size() / 0 == 1}";
  CHECK(found("ConfigMap", fails, kConfigMap + "{x: a}}").empty());
  CHECK(found("ConfigMap", fails, kConfigMap + "{x: b}}").size() == 1);
}

TEST_CASE("a rule has `path` or `paths`") {
  for (const char* paths : {"", "path: data, paths: [data], "}) {
    CHECK(faults(file("ConfigMap", "{" + std::string(paths) + "range: [1]}")) ==
          std::vector<std::string>{"expected one of `path` and `paths`"});
  }
}

TEST_CASE("a check holds for the releases that its file names") {
  const auto row = [](const std::string& releases, const auto& see) {
    const Document policy(
        "group: acme\nchecks: [{name: acme-a, kinds: [pod], sentence: A., releases: {" + releases +
        "}, rules: [{path: '', refuse: 'true', message: m}]}]");
    const PolicyChecks checks(policy.root(), {});
    see(checks.rows().front(), checks.faults().size());
  };
  row("jobset: any", [](const Check& check, std::size_t faults) {
    CHECK((check.operators.name == "jobset" && check.operators.since.empty()));
    CHECK((check.operators.before.empty() && check.since.empty() && faults == 0));
  });
  row("kueue: '>=0.9 <0.12'", [](const Check& check, std::size_t faults) {
    CHECK((check.operators.since == "0.9" && check.operators.before == "0.12" && faults == 0));
  });
  row("kueue: '<0.12'", [](const Check& check, std::size_t faults) {
    CHECK((check.operators.since.empty() && check.operators.before == "0.12" && faults == 0));
  });
  row("kubernetes: '>=1.34'", [](const Check& check, std::size_t faults) {
    CHECK((check.since == "1.34" && check.operators.name.empty() && faults == 0));
  });
  row("kubernetes: '<1.34'", [](const Check&, std::size_t faults) { CHECK(faults == 1); });
}

TEST_CASE("the program's own files use the groups of the program") {
  const Document own(
      "group: training\nchecks: [{name: x, kinds: [pod], sentence: A., rules: "
      "[{path: '', refuse: 'true', message: m}]}]");
  CHECK(PolicyChecks(own.root(), {}, PolicyAuthor::Program).faults().empty());
  CHECK(PolicyChecks(own.root(), {}).faults().size() == 2);
}

TEST_CASE("a message holds values, and their types where they have no text") {
  CHECK(found("ConfigMap", "{path: data, refuse: 'true', message: 'x {{ self.a }} {{ self }} y'}",
              kConfigMap + "{a: 1}}") == std::vector<std::string>{"x 1 map y"});
}

TEST_CASE("an expression sees all containers, their roles, and the object before the change") {
  const std::string pod =
      "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: b}], "
      "initContainers: [{name: c}, {name: d, restartPolicy: Always}]}}";
  CHECK(found("pod",
              "{path: 'containers[]', refuse: 'true', message: '{{ container.name }} {{ role }}'}",
              pod) == std::vector<std::string>{"b regular", "c init", "d sidecar"});
  const std::string changed =
      "{path: data.a, refuse: 'old != null && old.data.a != self', message: 'was {{ old.data.a "
      "}}'}";
  CHECK(found("ConfigMap", changed, kConfigMap + "{a: x}}").empty());
  CHECK(found("ConfigMap", changed, kConfigMap + "{a: x}}", kConfigMap + "{a: w}}") ==
        std::vector<std::string>{"was w"});
}

TEST_CASE("names of let are worked out once for an object, and may use one another") {
  CHECK(found("ConfigMap",
              "{path: 'data[*]', refuse: self in both, message: a}]\n, let: {x: object.data.x, "
              "both: '[x]'}, wrong: [",
              kConfigMap + "{x: a, w: a, z: b}}")
            .size() == 2);
}

TEST_CASE("an expression that cannot tell is an error at the value") {
  CHECK(found("ConfigMap", "{path: data, refuse: self.none, message: a}", kConfigMap + "{x: a}}") ==
        std::vector<std::string>{"check `acme-a` cannot judge this: no such key: none"});
  CHECK(found("ConfigMap", "{path: data, refuse: self.x, message: a}", kConfigMap + "{x: a}}") ==
        std::vector<std::string>{"check `acme-a` cannot judge this: it comes to no bool"});
}

TEST_CASE("a check that takes too many steps gives up on the object, once") {
  std::string list = "[";
  for (int i = 0; i < 3000; ++i) list += "1, ";
  list += "1]";
  const auto messages =
      found("ConfigMap",
            "{path: 'data.x[]', refuse: 'object.data.x.all(a, object.data.x.all(b, a == b)) && "
            "false', message: a}",
            kConfigMap + "{x: " + list + "}}");
  CHECK(messages ==
        std::vector<std::string>{"check `acme-a` cannot judge this: it takes too many steps"});
}

TEST_CASE("only objects of a version are looked at where the kind names one") {
  const std::string rule = "{path: '', refuse: 'true', message: a}";
  CHECK(
      found("kubeflow.org/v1/MPIJob", rule, "{apiVersion: kubeflow.org/v1, kind: MPIJob}").size() ==
      1);
  CHECK(found("kubeflow.org/v1/MPIJob", rule, "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob}")
            .empty());
  CHECK(found("kubeflow.org/MPIJob", rule, "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob}")
            .size() == 1);
}

TEST_CASE("simple terms say what the interpreter says, or nothing") {
  const Document document(
      "[{a: 1}, {b: 1}, {a: null}, {}, [a], a, '', \"it's\", 1, 0, -3, 1.5, true, null, "
      "{a: {b: 2, c: x}}, {a: {b: 0}}, {a: {c: ''}, b: {}}, {a: true}, {a: false}, {a: [1, 2]}, "
      "{a: 'éé'}, false]");
  const std::vector<std::string_view> variables(kPolicyVariableNames.begin(),
                                                kPolicyVariableNames.end());
  std::size_t judged = 0;
  for (const char* text : {"has(self.a)",
                           "!has(self.a)",
                           "self < 1",
                           "self <= 1",
                           "self > 0",
                           "self >= 0",
                           "self == 1",
                           "self != -3",
                           "self == 'a'",
                           "self != ''",
                           "has(self.a.b)",
                           "self.a.b > 1",
                           "self.a.c == 'x'",
                           "has(self.a) && !has(self.b)",
                           "has(self.a) && has(self.a.b)",
                           "has(self.a.b) && self.a.b > 1 && size(self.a.c) > 0",
                           "self.a == 1 && (true || self.b)",
                           "self",
                           "!self",
                           "self.a",
                           "!self.a && true",
                           "size(self) > 0",
                           "size(self.a) == 2",
                           "size(self.a) > 1 && self.a == 'x'"}) {
    CAPTURE(text);
    const SimpleTerms simple = read_simple_terms(text);
    REQUIRE(!simple.terms.empty());
    const auto compiled = cel::compile(text, variables);
    REQUIRE(compiled.program);
    for (View each : Items(document.root())) {
      const auto answer = simple.of(each);
      if (!answer) continue;
      ++judged;
      cel::Context context;
      context.set_budget(1000);
      const cel::TreeValues values(each.tree());
      const std::vector<cel::Value> self{values.value(each.id())};
      CHECK(cel::evaluate(*compiled.program, self, context).is_true() == *answer);
    }
  }
  CHECK(judged > 50);
  CHECK(read_simple_terms("has(self.a) && self.b == self.c").terms.size() == 1);
  CHECK(!read_simple_terms("has(self.a) && self.b == self.c").is_all);
  for (const char* other :
       {"has(self.__in__)", "self < size(key)", "selfa", "self == 'a' || true",
        "has(self.a) && self.b == 1 || true", "has(self.a) ? self.b : self.c", "self < 1.5",
        "self<1", "!self == true", "size(self) > key", "size(self) == 'a'", "size(self.a[0]) > 1",
        "!size(self) > 0", "self == \"a\"", "self < 99999999999999999999", "self == 'a\\'b'",
        "self.size() > 0", "self.a.exists(x, x) && self == 1"}) {
    CAPTURE(other);
    CHECK(read_simple_terms(other).terms.empty());
  }
}

TEST_CASE("`stays` compares a field with that of the old object") {
  const std::string rule = "{path: data.a, stays: true}";
  const auto with = [](const std::string& data) { return kConfigMap + data + "}"; };
  CHECK(found("ConfigMap", rule, with("{a: x}")).empty());  // a new object
  CHECK(found("ConfigMap", rule, with("{a: x}"), with("{a: x, b: z}")).empty());
  CHECK(found("ConfigMap", rule, with("{b: x}"), with("{b: z}")).empty());
  CHECK(found("ConfigMap", rule, with("{a: x}"), with("{a: z}")) ==
        std::vector<std::string>{"`a` cannot change"});
  CHECK(found("ConfigMap", rule, with("{b: z}"), with("{a: z}")) ==
        std::vector<std::string>{"`a` cannot be taken away"});
  CHECK(found("ConfigMap", rule, with("{a: z}"), with("{b: z}")) ==
        std::vector<std::string>{"`a` cannot be added"});
  CHECK(faults(file("pod", "{path: spec.hostNetwork, stays: true}")).size() == 1);
  CHECK(faults(file("ConfigMap", "{path: 'data[*]', stays: true}")).size() == 1);
}

TEST_CASE("`names` finds the name of no object among others of the kind") {
  const auto failing = [](const std::string& with, const std::string& rule) {
    const Document policy(
        "group: acme\nchecks: [{name: acme-a, kinds: [kueue.x-k8s.io/LocalQueue], "
        "sentence: A., rules: [{path: spec.clusterQueue, names: " +
        rule +
        "}], right: [{object: {apiVersion: kueue.x-k8s.io/v1beta1, kind: "
        "LocalQueue, metadata: {namespace: ml}, spec: {clusterQueue: a}}, with: [" +
        with + "]}]}]");
    const PolicyChecks checks(policy.root(), {});
    return test_policy(checks).faults.size() + checks.faults().size();
  };
  const std::string queue = "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: ";
  CHECK(failing("", "kueue.x-k8s.io/ClusterQueue") == 0);  // nothing is known of them
  CHECK(failing(queue + "{name: a}}", "kueue.x-k8s.io/ClusterQueue") == 0);
  CHECK(failing(queue + "{name: b}}", "kueue.x-k8s.io/ClusterQueue") == 1);
  CHECK(failing("", "acme.example/Thing") == 1);  // a kind that is not looked for
}

TEST_CASE("a rule may have releases and a severity of its own") {
  const auto severities = [](const std::string& rule) {
    const Document policy(
        "group: acme\nchecks: [{name: acme-a, kinds: [ConfigMap], sentence: A., "
        "rules: [{path: data, refuse: 'true', message: m, " +
        rule + "}]}]");
    const PolicyChecks checks(policy.root(), {});
    const std::vector<std::span<const Check>> tables{checks.rows()};
    CheckSelection selection({}, tables);
    CheckInputs surroundings;
    surroundings.selection = &selection;
    surroundings.versions.add("kueue", "0.10.0");
    Sink sink;
    CheckContext context(surroundings, sink);
    const Document document(kConfigMap + "{a: b}}");
    run_checks(document.root(), {}, {}, context);
    std::vector<Severity> all;
    for (const Diagnostic& each : sink.all()) all.push_back(each.severity);
    return all;
  };
  CHECK(severities("at: value") == std::vector{Severity::Error});
  CHECK(severities("severity: note") == std::vector{Severity::Note});
  CHECK(severities("releases: {kueue: '>=0.10'}").size() == 1);
  CHECK(severities("releases: {kueue: '>=0.11'}").empty());
  const std::string of_kubernetes = "{path: data, refuse: 'true', message: m, releases: ";
  CHECK(found("ConfigMap", of_kubernetes + "{kubernetes: '<1.20'}}", kConfigMap + "{}}").empty());
  CHECK(found("ConfigMap", of_kubernetes + "{kubernetes: '<1.99'}}", kConfigMap + "{}}").size() ==
        1);
}

TEST_CASE("one pass finds the values of all paths, each in the order of the document") {
  const Document document(
      "{spec: {a: [{k: 1, m: {x: 2}}, {k: null}, {k: 3}], b: {x: 4, z: {k: 5}}}, k: 6}");
  PolicyWalk walk;
  const auto number = [&](std::string_view path) { return walk.add(*read_policy_path(path)); };
  const auto texts = [&](std::size_t path) {
    std::string all;
    for (const auto& found : walk.values(path)) all += std::string(found.at.text()) + " ";
    return all;
  };
  const std::size_t names = number("spec.a[].k");
  CHECK(number("spec.a[].k") == names);
  const std::size_t entries = number("spec.b[*]");
  const std::size_t below = number("spec.b[*].k");
  walk.start(document.root(), nullptr);
  CHECK(texts(names) == "1 3 ");
  CHECK(walk.values(entries).size() == 2);
  CHECK(texts(below) == "5 ");
  const std::size_t late = number("k");  // a path that comes later is found, too
  walk.start(document.root(), nullptr);
  CHECK(texts(late) == "6 ");
  CHECK(texts(names) == "1 3 ");
  const Document other("{spec: {a: [{k: 7}]}}");
  walk.start(other.root(), nullptr);
  CHECK((texts(names) == "7 " && texts(late).empty() && walk.values(entries).empty()));
}

TEST_CASE("`refers` allows what the object declares, and `field` says where a finding stands") {
  const std::string rule =
      "{path: 'data.uses[]', refers: 'object.data.names.map(n, n.name)', message: 'no `{{ self "
      "}}`'}";
  const std::string names = "names: [{name: red}, {name: blue}], uses: ";
  CHECK(found("ConfigMap", rule, kConfigMap + "{" + names + "[red, blu, 1]}}") ==
        std::vector<std::string>{"no `blu`; expected `red` or `blue`"});
  CHECK(found("ConfigMap", "{path: 'data.uses[]', refers: '1'}", kConfigMap + "{uses: [a]}}") ==
        std::vector<std::string>{"check `acme-a` cannot judge this: it comes to no list"});
  const Document policy(file("ConfigMap", "{path: data, refuse: 'true', message: a, field: x.z}"));
  const PolicyChecks checks(policy.root(), {});
  const std::vector<std::span<const Check>> tables{checks.rows()};
  CheckSelection selection({}, tables);
  CheckInputs surroundings;
  surroundings.selection = &selection;
  for (const char* data : {"data: {x: {z: 1}}", "data: {x: 1}"}) {
    Sink sink;
    CheckContext context(surroundings, sink);
    const Document document("apiVersion: v1\nkind: ConfigMap\n" + std::string(data) + "\n");
    run_checks(document.root(), {}, {}, context);
    REQUIRE(sink.all().size() == 1);
    const View holder = get(document.root(), "data");
    const View field = get(get(holder, "x"), "z");
    CHECK(sink.all().front().span.begin == (field ? field : holder)->span.begin);
  }
}

TEST_CASE("the message of a format may say what is wrong") {
  CHECK(found("ConfigMap",
              "{path: data.a, format: dns1123Label, message: 'name {{ self }} {{ fault }}'}",
              kConfigMap + "{a: a.b}}")
            .front()
            .starts_with("name a.b "));
}

TEST_CASE("a name of let is none that expressions have already") {
  CHECK(faults(file("ConfigMap",
                    "{path: data, refuse: key == role, message: a}], let: {role: key}, "
                    "wrong: ["))
            .front()
            .starts_with("`role` has a meaning already"));
}
