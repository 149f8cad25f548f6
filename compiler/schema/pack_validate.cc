// Looks at every index of a pack image once, so that code which uses a pack can do without checks.

#include <algorithm>
#include <vector>

#include "schema/pack.h"

namespace trainyard {
namespace {

bool within(PackRange range, std::size_t size) {
  return range.first <= size && range.count <= size - range.first;
}

struct Sizes {
  std::size_t nodes, properties, texts, ids, rules, strings;

  bool text(PackText t) const { return t.offset <= strings && t.size <= strings - t.offset; }
  bool id(SchemaId id) const { return id < nodes; }
  bool optional_id(SchemaId id) const { return id == kNoLimit || id < nodes; }

  bool node(const SchemaNode& n) const {
    return n.list_type <= ListType::Map && n.map_type <= MapType::Granular &&
           within(n.properties, properties) && within(n.required, texts) &&
           within(n.enum_values, texts) && within(n.list_keys, texts) &&
           within(n.merge_keys, texts) && within(n.all_of, ids) && within(n.any_of, ids) &&
           within(n.one_of, ids) && within(n.rules, rules) && optional_id(n.negated) &&
           optional_id(n.items) && optional_id(n.additional) && text(n.pattern) && text(n.format) &&
           text(n.default_value) && text(n.description);
  }
  bool rule(const SchemaRule& r) const {
    return text(r.rule) && text(r.message) && text(r.message_expression) && text(r.reason) &&
           text(r.field_path);
  }
  bool kind(const SchemaKind& k) const {
    return text(k.group) && text(k.version) && text(k.kind) && text(k.source) &&
           text(k.replicas_path) && text(k.before) && id(k.schema);
  }
};

/// A schema that contains itself through allOf, anyOf, oneOf or not would check one value forever.
class LogicCycles {
 public:
  LogicCycles(const SchemaPack& pack, std::size_t size) : pack_(pack), state_(size, kNew) {}

  bool any() {
    for (SchemaId id = 0; id < state_.size(); ++id) {
      if (from(id)) return true;
    }
    return false;
  }

 private:
  enum State : char { kNew, kEntered, kLeft };
  struct Step {
    SchemaId id;
    bool leave;
  };

  bool from(SchemaId start) {
    std::vector<Step> open = {{start, false}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      if (step.leave) {
        state_[step.id] = kLeft;
        continue;
      }
      if (state_[step.id] == kLeft) continue;
      if (state_[step.id] == kEntered) return true;
      state_[step.id] = kEntered;
      open.push_back({step.id, true});
      if (!push_parts(pack_[step.id], open)) return true;
    }
    return false;
  }

  bool push_parts(const SchemaNode& node, std::vector<Step>& open) {
    bool good = true;
    const auto push = [&](SchemaId id) {
      if (state_[id] == kEntered) good = false;
      if (state_[id] == kNew) open.push_back({id, false});
    };
    for (const PackRange range : {node.all_of, node.any_of, node.one_of}) {
      for (const SchemaId id : pack_.ids(range)) push(id);
    }
    if (node.negated != kNoLimit) push(node.negated);
    return good;
  }

  const SchemaPack& pack_;
  std::vector<State> state_;
};

}  // namespace

bool SchemaPack::indices_in_bounds() const {
  const Sizes sizes{nodes_.size(), properties_.size(), texts_.size(),
                    ids_.size(),   rules_.size(),      strings_.size()};
  const auto all = [](auto table, auto good) {
    return std::all_of(table.begin(), table.end(), good);
  };
  const auto kind = [&](const SchemaKind& k) { return sizes.kind(k); };
  return all(properties_,
             [&](const auto& p) { return sizes.text(p.name) && sizes.id(p.schema); }) &&
         all(texts_, [&](PackText t) { return sizes.text(t); }) &&
         all(ids_, [&](SchemaId id) { return sizes.id(id); }) &&
         all(rules_, [&](const SchemaRule& r) { return sizes.rule(r); }) && all(kinds_, kind) &&
         all(definitions_, kind) &&
         all(nodes_, [&](const SchemaNode& n) { return sizes.node(n); }) &&
         !LogicCycles(*this, nodes_.size()).any();
}

}  // namespace trainyard
