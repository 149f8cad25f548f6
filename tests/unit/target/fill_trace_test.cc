// A plan that gives the answers of another one gets its nodes; one that does not is refused.
#include "target/fill_trace.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/target/workshop.h"

using namespace trainyard;

namespace {

constexpr std::string_view kForm = R"(kind: Job
name: ${job.name}
text: ${job.name}-of-${job.queue}
system: ${job.system}
many:
  $if: job.multiNode
  value: many
framework:
  $if: job.framework=pytorch|nemo
  $value: one
  $else: two
chief:
  $role: chief
  image: ${role.image}
evaluator:
  $role: evaluator
  image: ${role.image}
labels: ${job.labels}
roles:
- $each: job.roles
  gpus: ${role.gpus}
  token: ${role.mountToken}
  args: ${role.args}
  affinity: ${role.affinity}
  tolerations: ${role.tolerations}
  env:
  - $each: role.env
    name: ${env.name}
    value: ${env.value}
  limits:
    $each: role.limits
    $key: ${limit.name}
    $value: ${limit.amount}
  pod: ${role.pod}
)";

constexpr OriginId kOrigins = 50;  // that are there before anything is filled

NodeId toleration(Plan& plan, std::string_view key, OriginId origin = 20) {
  const NodeId map = plan.tree.add_map(origin);
  plan.tree.append(map, key, plan.tree.add_string("gpu", 21));
  return map;
}

void make_usual(Plan& plan) {
  plan.name = {"train", 1, true};
  plan.queue = {"research", 2, true};
  plan.multi_node = {true, 3, true};
  plan.framework = {"pytorch", 4, true};
  plan.labels = {{"team", "vision", 5}, {"tier", "a", 6}};
  for (std::string_view name : {"chief", "worker"}) {
    Role& role = plan.roles.emplace_back();
    role.name = name;
    role.image = {"image:1", 7, true};
    role.gpus = {8, 8, true};
    role.mount_token = {false, 9, true};
    role.args = {{"--seed", 10}, {"7", 11}};
    role.affinity = {toleration(plan, "node"), 12, true};
    role.tolerations = {{toleration(plan, "key"), 13, true}};
    role.env = {Workshop::variable("A", "1", 14), Workshop::variable("B", "2", 15)};
    role.limits = {{"cpu", "8", 16}, {"memory", "64Gi", 17}};
  }
}

/// What one filling was, and whether others are the same.
class Traced {
 public:
  Traced()
      : form_(shop_.compiled(std::string(kForm), {})),
        pod_(shop_.compiled("image: ${role.image}\nname: ${role.name}\n", {"role"})) {
    Plan plan;
    make_usual(plan);
    // Texts are views into the plan.
    fill(plan, nodes_, origins_, &trace_);
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      nodes_[id].text = texts_.intern(nodes_[id].text);
      nodes_[id].key = texts_.intern(nodes_[id].key);
    }
  }

  /// Whether a plan that was changed in this way is the same. If so, all that is made of it is.
  bool holds_after(const std::function<void(Plan&)>& change) {
    Plan plan;
    make_usual(plan);
    change(plan);
    std::vector<Node> nodes;
    for (NodeId id = 0; id < nodes_.size(); ++id) nodes.push_back(nodes_[id]);
    Arena arena;
    std::vector<OtherText> different;
    std::vector<std::string_view> pods;
    if (!trace_.repeat(plan, nodes, arena, different, pods)) return false;
    for (const OtherText& other : different) nodes[other.node].text = other.text;
    CHECK(pods == std::vector<std::string_view>{plan.roles[0].name, plan.roles[1].name});

    Tree made;
    Origins origins;
    fill(plan, made, origins, nullptr);
    REQUIRE(made.size() == nodes.size());
    REQUIRE(origins.size() == origins_.size());
    for (NodeId id = 0; id < made.size(); ++id) {
      INFO("node " << id << ", " << made[id].key);
      CHECK(made[id].text == nodes[id].text);
      CHECK(made[id].key == nodes[id].key);
      CHECK(made[id].kind == nodes[id].kind);
      CHECK(made[id].first == nodes[id].first);
      CHECK(made[id].next == nodes[id].next);
      CHECK(made[id].origin == nodes[id].origin);
    }
    for (OriginId id = 0; id < origins.size(); ++id) {
      CHECK(std::ranges::equal(origins.inputs(id), origins_.inputs(id)));
      CHECK(origins[id].span.begin == origins_[id].span.begin);
    }
    return true;
  }

 private:
  void fill(const Plan& plan, Tree& out, Origins& origins, FillTrace* trace) {
    for (OriginId id = 1; id <= kOrigins; ++id) origins.add(OriginKind::Constant, {});
    Filler filler(plan, &pod_, out, origins, shop_.sink, trace);
    REQUIRE(filler.fill(form_).size() == 1);
  }

  Workshop shop_;
  Template form_;
  Template pod_;
  FillTrace trace_;
  Tree nodes_;
  Arena texts_;
  Origins origins_;
};

}  // namespace

TEST_CASE("a plan with other texts gives the same answers") {
  Traced traced;
  CHECK(traced.holds_after([](Plan&) {}));
  CHECK(traced.holds_after([](Plan& plan) { plan.name.value = "another"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.queue.value = ""; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.framework.value = "nemo"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.labels[1].value = "b"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].name = "ps"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[0].image.value = "image:2"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].gpus.value = 16; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].mount_token.value = true; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].args[0].text = "two\nlines"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].env[0].name = "C"; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].env[1].value = ""; }));
  CHECK(traced.holds_after([](Plan& plan) { plan.roles[1].limits[0].value = "9"; }));
  CHECK(traced.holds_after(
      [](Plan& plan) { plan.tree[plan.tree.find(*plan.roles[1].affinity, "node")].text = "cpu"; }));
}

TEST_CASE("a plan with other values, lengths, keys or types gives other answers") {
  Traced traced;
  using Change = std::function<void(Plan&)>;
  const Change changes[] = {
      [](Plan& plan) { plan.queue = {}; },
      [](Plan& plan) { plan.system = {"kueue", 0, true}; },
      [](Plan& plan) { plan.multi_node.value = false; },
      [](Plan& plan) { plan.framework.value = "jax"; },
      [](Plan& plan) { plan.labels.clear(); },
      [](Plan& plan) { plan.labels.pop_back(); },
      [](Plan& plan) { plan.labels.push_back({"more", "x", 6}); },
      [](Plan& plan) { plan.labels[0].name = "group"; },
      [](Plan& plan) { plan.roles.pop_back(); },
      [](Plan& plan) { plan.roles[0].name = "master"; },
      [](Plan& plan) { plan.roles[1].name = "evaluator"; },
      [](Plan& plan) { plan.roles[1].image = {}; },
      [](Plan& plan) { plan.roles[1].gpus = {}; },
      [](Plan& plan) { plan.roles[1].mount_token = {}; },
      [](Plan& plan) { plan.roles[1].args.pop_back(); },
      [](Plan& plan) { plan.roles[1].args.push_back({"x", 11}); },
      [](Plan& plan) { plan.roles[1].env.pop_back(); },
      [](Plan& plan) { plan.roles[1].env.push_back(Workshop::variable("C", "3", 15)); },
      [](Plan& plan) { plan.roles[1].env[1].secret = "wandb"; },
      [](Plan& plan) { plan.roles[1].limits[1].name = "ephemeral-storage"; },
      [](Plan& plan) { plan.roles[1].affinity = {}; },
      [](Plan& plan) { plan.roles[1].affinity.value = toleration(plan, "other"); },
      [](Plan& plan) { plan.roles[1].affinity.value = plan.tree.add_map(20); },
      [](Plan& plan) { plan.tree.append(*plan.roles[1].affinity, "b", plan.tree.add_int(1, 21)); },
      [](Plan& plan) { plan.tree[plan.tree[*plan.roles[1].affinity].first].kind = Kind::Int; },
      [](Plan& plan) { plan.roles[1].tolerations.push_back(plan.roles[1].tolerations[0]); },
  };
  for (const Change& change : changes) {
    INFO("change " << &change - changes);
    CHECK_FALSE(traced.holds_after(change));
  }
}

TEST_CASE("a plan with other origins gives other answers") {
  Traced traced;
  CHECK_FALSE(traced.holds_after([](Plan& plan) { plan.name.origin = 30; }));
  CHECK_FALSE(traced.holds_after([](Plan& plan) { plan.labels[0].origin = kNoOrigin; }));
  CHECK_FALSE(traced.holds_after([](Plan& plan) { plan.roles[1].args[1].origin = 30; }));
  CHECK_FALSE(traced.holds_after([](Plan& plan) { plan.roles[1].tolerations[0].origin = 30; }));
  CHECK_FALSE(traced.holds_after(
      [](Plan& plan) { plan.roles[1].affinity.value = toleration(plan, "node", 30); }));
  CHECK_FALSE(traced.holds_after([](Plan& plan) { plan.roles[1].limits[0].origin = 30; }));
}
