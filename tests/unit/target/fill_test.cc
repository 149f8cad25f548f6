// What a template becomes when it is filled.
#include <string>

#include "unit/target/workshop.h"

using namespace trainyard;

using Lines = std::vector<std::string>;

TEST_CASE("a hole takes the type of the field that fills it") {
  Workshop shop;
  Role& role = shop.add_role("worker");
  role.image = Workshop::set<std::string_view>("8");
  role.gpus = Workshop::set<std::int64_t>(8);
  role.mount_token = Workshop::set(false);
  role.service_links = Workshop::set(true);
  role.command = {{"python", kNoOrigin}, {"1", kNoOrigin}};
  role.limits = {{"cpu", "2", kNoOrigin}, {"memory", "64Gi", kNoOrigin}};
  CHECK(shop.fill_one("$each: job.roles\n"
                      "text: ${role.image}\n"
                      "number: ${role.gpus}\n"
                      "falsy: ${role.mountToken}\n"
                      "truthy: ${role.serviceLinks}\n"
                      "list: ${role.command}\n"
                      "map: ${role.limits}\n") ==
        R"({"text":"8","number":8,"falsy":false,"truthy":true,"list":["python","1"],)"
        R"("map":{"cpu":"2","memory":"64Gi"}})");
}

TEST_CASE("a fragment is copied whole, empty maps and lists included") {
  Workshop shop;
  Tree& tree = shop.plan.tree;
  const NodeId volume = tree.add_map();
  tree.append(volume, "name", tree.add_string("scratch"));
  tree.append(volume, "emptyDir", tree.add_map());
  tree.append(volume, "items", tree.add_seq());
  const NodeId toleration = tree.add_map();
  tree.append(toleration, "operator", tree.add_string("Exists"));
  const NodeId affinity = tree.add_map();
  Role& role = shop.add_role("worker");
  role.volumes = {{"scratch", volume, kNoOrigin}};
  role.tolerations = {Workshop::set(toleration), Workshop::set(toleration)};
  role.affinity = Workshop::set(affinity);
  CHECK(shop.fill_one("$each: job.roles\n"
                      "volumes: ${role.volumes}\n"
                      "tolerations: ${role.tolerations}\n"
                      "affinity: ${role.affinity}\n") ==
        R"({"volumes":[{"name":"scratch","emptyDir":{},"items":[]}],)"
        R"("tolerations":[{"operator":"Exists"},{"operator":"Exists"}],"affinity":{}})");
}

TEST_CASE("a hole without a value takes its entry along, and maps and lists that are left empty") {
  Workshop shop;
  shop.add_role("worker");
  CHECK(shop.fill_one("kind: Job\n"
                      "metadata:\n"
                      "  name: ${job.name}\n"
                      "  labels: ${job.labels}\n"
                      "spec:\n"
                      "  list:\n"
                      "    - ${job.name}\n"
                      "    - {deeper: {name: '${job.name}'}}\n"
                      "  suspend: false\n") == R"({"kind":"Job","spec":{"suspend":false}})");
}

TEST_CASE("a document that loses all its entries is not there") {
  Workshop shop;
  CHECK(shop.fill("metadata: {name: '${job.name}'}").empty());
}

TEST_CASE("empty maps, lists and nulls that the template itself writes are kept") {
  Workshop shop;
  CHECK(shop.fill_one("a: {}\nb: []\nc: null\nd: ''\n") == R"({"a":{},"b":[],"c":null,"d":""})");
}

TEST_CASE("a map with nothing but a condition is an empty map when it holds") {
  Workshop shop;
  const std::string text = "kind: Job\nempty: {$if: job.queue}\n";
  CHECK(shop.fill_one(text) == R"({"kind":"Job"})");
  shop.plan.queue = Workshop::set<std::string_view>("research");
  CHECK(shop.fill_one(text) == R"({"kind":"Job","empty":{}})");
}

TEST_CASE("`$if` asks for a value other than false, and `!` turns it round") {
  const std::string text =
      "kind: Job\n"
      "several: {$if: job.multiNode, nodes: many}\n"
      "single: {$if: '!job.multiNode', nodes: one}\n"
      "named: {$if: job.queue, queue: '${job.queue}'}\n";
  Workshop unset;
  CHECK(unset.fill_one(text) == R"({"kind":"Job","single":{"nodes":"one"}})");
  Workshop no;
  no.plan.multi_node = Workshop::set(false);
  CHECK(no.fill_one(text) == R"({"kind":"Job","single":{"nodes":"one"}})");
  Workshop yes;
  yes.plan.multi_node = Workshop::set(true);
  yes.plan.queue = Workshop::set<std::string_view>("q");
  CHECK(yes.fill_one(text) == R"({"kind":"Job","several":{"nodes":"many"},"named":{"queue":"q"}})");
}

TEST_CASE("a whole document can have a condition") {
  Workshop shop;
  const std::string text = "$if: rendezvous.service\nkind: Service\n";
  CHECK(shop.fill(text).empty());
  shop.plan.rendezvous.service = Workshop::set<std::string_view>("llm");
  CHECK(shop.fill(text) == Lines{R"({"kind":"Service"})"});
}

TEST_CASE("`$value` stands for the whole map: a scalar, a list, a hole") {
  Workshop shop;
  shop.plan.multi_node = Workshop::set(true);
  shop.plan.name = Workshop::set<std::string_view>("llm");
  CHECK(shop.fill_one("mode: {$if: job.multiNode, $value: Indexed}\n"
                      "not: {$if: '!job.multiNode', $value: NonIndexed}\n"
                      "list: {$if: job.multiNode, $value: [a, '${job.name}', '${job.queue}']}\n"
                      "map: {$if: job.multiNode, $value: {a: 1}}\n"
                      "gone: {$if: job.multiNode, $value: '${job.queue}'}\n"
                      "bare: {$value: 7}\n") ==
        R"({"mode":"Indexed","list":["a","llm"],"map":{"a":1},"bare":7})");
}

TEST_CASE("`$else` stands for the whole map when the condition does not hold") {
  const std::string text =
      "mode: {$if: job.multiNode, $value: many, $else: one}\n"
      "nested: {$if: job.multiNode, $value: a, $else: {$if: job.queue, $value: b, $else: [c]}}\n"
      "name: {$if: job.multiNode, $value: many, $else: '${job.name}'}\n";
  Workshop shop;
  CHECK(shop.fill_one(text) == R"({"mode":"one","nested":["c"]})");
  shop.plan.queue = Workshop::set<std::string_view>("q");
  shop.plan.name = Workshop::set<std::string_view>("llm");
  CHECK(shop.fill_one(text) == R"({"mode":"one","nested":"b","name":"llm"})");
  shop.plan.multi_node = Workshop::set(true);
  CHECK(shop.fill_one(text) == R"({"mode":"many","nested":"a","name":"many"})");
}

TEST_CASE("`$each` with `$key` makes a map of a list") {
  Workshop shop;
  Role& role = shop.add_role("worker");
  role.env = {Workshop::variable("A", "1"), Workshop::variable("B", "")};
  EnvVar& reference = role.env.emplace_back(Workshop::variable("C", ""));
  reference.secret = "s";
  reference.key = "k";
  CHECK(shop.fill_one("$each: job.roles\n"
                      "kind: ${role.name}\n"
                      "items:\n"
                      "  $each: role.env\n"
                      "  $key: ${env.name}\n"
                      "  value: {$if: env.secret, $value: '${env.secret}.${env.key}', "
                      "$else: '${env.value}'}\n"
                      "literals:\n"
                      "  $each: role.env\n"
                      "  $key: VAR_${env.name}\n"
                      "  $if: '!env.secret'\n"
                      "  $value: ${env.value}\n"
                      "none: {items: {$each: role.mounts, $key: '${mount.volume}', a: 1}}\n") ==
        R"({"kind":"worker","items":{"A":{"value":"1"},"B":{"value":""},"C":{"value":"s.k"}},)"
        R"("literals":{"VAR_A":"1","VAR_B":""}})");
}

TEST_CASE("`$each` repeats documents, and list items within them, with the items in scope") {
  Workshop shop;
  for (const char* name : {"master", "worker"}) {
    Role& role = shop.add_role(name);
    role.env = {Workshop::variable("A", "1"), Workshop::variable("ROLE", name)};
  }
  shop.plan.roles[1].env.clear();
  CHECK(shop.fill("$each: job.roles\n"
                  "role: ${role.name}\n"
                  "env:\n"
                  "  - first\n"
                  "  - $each: role.env\n"
                  "    name: ${role.name}-${env.name}\n"
                  "    value: ${env.value}\n"
                  "only:\n"
                  "  - $each: role.env\n"
                  "    $value: ${env.name}\n") ==
        Lines{R"({"role":"master","env":["first",{"name":"master-A","value":"1"},)"
              R"({"name":"master-ROLE","value":"master"}],"only":["A","ROLE"]})",
              R"({"role":"worker","env":["first"]})"});
}

TEST_CASE("a loop within a loop sees both items") {
  Workshop shop;
  shop.add_role("a").mounts = {Workshop::mounted("/a")};
  shop.plan.roles[0].mounts[0].read_only = true;
  shop.add_role("b").mounts = {Workshop::mounted("/b", "x"), Workshop::mounted("/c")};
  CHECK(shop.fill_one("roles:\n"
                      "  - $each: job.roles\n"
                      "    mounts:\n"
                      "      - $each: role.mounts\n"
                      "        at: ${role.name}:${mount.path}\n"
                      "        sub: ${mount.subPath}\n"
                      "        readOnly: ${mount.readOnly}\n") ==
        R"({"roles":[{"mounts":[{"at":"a:/a","readOnly":true}]},)"
        R"({"mounts":[{"at":"b:/b","sub":"x"},{"at":"b:/c"}]}]})");
}

TEST_CASE("the condition of a repeated item is asked for each item, and may name it") {
  Workshop shop;
  Role& role = shop.add_role("worker");
  EnvVar token = Workshop::variable("TOKEN", "");
  token.secret = "hub";
  role.env = {Workshop::variable("PLAIN", "1"), token};
  CHECK(shop.fill_one("$each: job.roles\n"
                      "secrets:\n"
                      "  - {$if: env.secret, $each: role.env, name: '${env.name}'}\n") ==
        R"({"secrets":[{"name":"TOKEN"}]})");
}

TEST_CASE("holes within text, and `$${` for a literal `${`") {
  Workshop shop;
  shop.plan.name = Workshop::set<std::string_view>("llm");
  shop.plan.rendezvous.port = Workshop::set<std::int64_t>(29500);
  shop.plan.multi_node = Workshop::set(true);
  CHECK(shop.fill_one("a: x-${job.name}-y\n"
                      "b: ${job.name}:${rendezvous.port}\n"
                      "c: ${job.multiNode}${job.multiNode}\n"
                      "d: echo $${HOME} ${job.name} $$HOME $\n"
                      "e: $${\n"
                      "f: a}b\n"
                      "g: ${job.name}${job.queue}\n"
                      "h: ${rendezvous.port}0\n") ==
        R"({"a":"x-llm-y","b":"llm:29500","c":"truetrue","d":"echo ${HOME} llm $$HOME $",)"
        R"("e":"${","f":"a}b","h":"295000"})");
}

TEST_CASE("a value is never read as a template again") {
  Workshop shop;
  Role& role = shop.add_role("worker");
  role.image = Workshop::set<std::string_view>("${job.name}");
  role.args = {{"$${x}", kNoOrigin}};
  CHECK(shop.fill_one("$each: job.roles\nimage: ${role.image}\nargs: ${role.args}\n") ==
        R"({"image":"${job.name}","args":["$${x}"]})");
}

TEST_CASE("an empty environment value is a value") {
  Workshop shop;
  shop.add_role("worker").env = {Workshop::variable("EMPTY", "")};
  CHECK(shop.fill_one("$each: job.roles\n"
                      "env:\n"
                      "  - {$each: role.env, name: '${env.name}', value: '${env.value}'}\n") ==
        R"({"env":[{"name":"EMPTY","value":""}]})");
}

TEST_CASE("each role gets its own pod") {
  Workshop shop;
  shop.add_role("a").image = Workshop::set<std::string_view>("image-a");
  shop.add_role("b").image = Workshop::set<std::string_view>("image-b");
  CHECK(shop.fill_one("tasks:\n"
                      "  - {$each: job.roles, name: '${role.name}', template: '${role.pod}'}\n") ==
        R"({"tasks":[{"name":"a","template":{"image":"image-a"}},)"
        R"({"name":"b","template":{"image":"image-b"}}]})");
}

TEST_CASE("the same key twice in a map of pairs is an error at the template's line") {
  Workshop shop;
  shop.plan.labels = {{"app", "a", kNoOrigin}, {"app", "b", kNoOrigin}};
  shop.fill("kind: Job\nlabels: ${job.labels}\n");
  REQUIRE(shop.sink.all().size() == 1);
  const Diagnostic& report = shop.sink.all()[0];
  CHECK(report.kind == DiagnosticKind::TemplateDuplicateKey);
  CHECK(report.message == "the key `app` comes out twice");
  CHECK(shop.sources.position(report.span.file, report.span.begin).line == 2);
}

TEST_CASE("a part for a named role is there when the plan has the role") {
  Workshop shop;
  shop.add_role("master").replicas = Workshop::set<std::int64_t>(1);
  shop.add_role("worker").replicas = Workshop::set<std::int64_t>(3);
  CHECK(shop.fill_one("Master: {$role: master, replicas: '${role.replicas}'}\n"
                      "Worker: {$role: worker, replicas: '${role.replicas}'}\n"
                      "PS: {$role: ps, replicas: '${role.replicas}'}\n") ==
        R"({"Master":{"replicas":1},"Worker":{"replicas":3}})");
}

TEST_CASE("a condition may ask for one of several values") {
  Workshop shop;
  shop.plan.framework = Workshop::set<std::string_view>("nemo");
  CHECK(shop.fill_one("a: {$if: job.framework=pytorch|nemo, $value: 1}\n"
                      "b: {$if: job.framework=jax, $value: 1}\n"
                      "c: {$if: '!job.framework=jax', $value: 1}\n"
                      "d: {$if: '!job.framework=jax|nemo', $value: 1}\n") == R"({"a":1,"c":1})");
}
