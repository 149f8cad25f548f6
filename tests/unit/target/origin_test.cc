// Every node that a template emits knows the template's line and what filled it.
#include <string>

#include "unit/target/workshop.h"

using namespace trainyard;

namespace {

/// `line 3 <- rule names`: the origin of a node of the output.
std::string origin_of(const Workshop& shop, NodeId node) {
  const OriginId id = shop.out[node].origin;
  const Origin& origin = shop.origins[id];
  if (origin.kind != OriginKind::Template) return "no template";
  std::string result =
      "line " + std::to_string(shop.sources.position(origin.span.file, origin.span.begin).line);
  for (OriginId input : shop.origins.inputs(id)) {
    result += " <- " + std::string(shop.origins[input].name);
  }
  return result;
}

NodeId at(const Workshop& shop, std::initializer_list<std::string_view> path) {
  NodeId node = shop.roots.at(0);
  for (std::string_view key : path) {
    node = key == "0" ? shop.out[node].first : shop.out.find(node, key);
    REQUIRE(node != kNoNode);
  }
  return node;
}

void check_all_have_origins(const Workshop& shop, NodeId node) {
  CHECK(shop.origins[shop.out[node].origin].kind == OriginKind::Template);
  for (NodeId child : shop.out.children(node)) check_all_have_origins(shop, child);
}

OriginId rule(Workshop& shop, std::string_view name) {
  return shop.origins.add(OriginKind::Rule, {}, name);
}

}  // namespace

TEST_CASE("the origin of a node is its template line, with the field's origin as input") {
  Workshop shop;
  shop.plan.name = Workshop::set<std::string_view>("llm", rule(shop, "names"));
  shop.plan.rendezvous.port = Workshop::set<std::int64_t>(29500, rule(shop, "port"));
  shop.plan.labels = {{"app", "llm", rule(shop, "labels")}, {"team", "nlp", kNoOrigin}};
  Role& role = shop.add_role("worker");
  role.image = Workshop::set<std::string_view>("trainer", rule(shop, "image"));
  role.command = {{"python", rule(shop, "launch")}};
  role.env = {Workshop::variable("A", "1", rule(shop, "env"))};
  Tree& tree = shop.plan.tree;
  const NodeId volume = tree.add_map();
  tree.append(volume, "name", tree.add_string("shm"));
  tree.append(volume, "emptyDir", tree.add_map(rule(shop, "shm")));
  role.volumes = {{"shm", volume, rule(shop, "volumes")}};

  shop.fill(
      "$each: job.roles\n"
      "kind: Job\n"
      "name: ${job.name}\n"
      "address: ${job.name}:${rendezvous.port}\n"
      "labels: ${job.labels}\n"
      "command: ${role.command}\n"
      "env:\n"
      "  - $each: role.env\n"
      "    name: ${env.name}\n"
      "volumes: ${role.volumes}\n"
      "template: ${role.pod}\n");

  CHECK(origin_of(shop, at(shop, {"kind"})) == "line 2");
  CHECK(origin_of(shop, at(shop, {"name"})) == "line 3 <- names");
  CHECK(origin_of(shop, at(shop, {"address"})) == "line 4 <- names <- port");
  CHECK(origin_of(shop, at(shop, {"labels", "app"})) == "line 5 <- labels");
  CHECK(origin_of(shop, at(shop, {"labels", "team"})) == "line 5");
  CHECK(origin_of(shop, at(shop, {"command", "0"})) == "line 6 <- launch");
  CHECK(origin_of(shop, at(shop, {"env", "0", "name"})) == "line 9 <- env");
  CHECK(origin_of(shop, at(shop, {"volumes", "0"})) == "line 10 <- volumes");
  CHECK(origin_of(shop, at(shop, {"volumes", "0", "name"})) == "line 10 <- volumes");
  CHECK(origin_of(shop, at(shop, {"volumes", "0", "emptyDir"})) == "line 10 <- shm");
  CHECK(origin_of(shop, at(shop, {"template", "image"})) == "line 1 <- image");
  check_all_have_origins(shop, shop.roots[0]);
}

TEST_CASE("an absent hole adds nothing to the table of origins") {
  Workshop shop;
  shop.fill("a: 1\n");
  const std::size_t before = shop.origins.size();
  shop.fill("a: 1\n");
  const std::size_t one_document = shop.origins.size() - before;
  shop.fill("a: 1\nb: ${job.queue}\nc: ${job.labels}\n");
  CHECK(shop.origins.size() - before - one_document == one_document);
}
