#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/json_schema.h"
#include "policy/json_value.h"

namespace trainyard {

/// One check of one document against a schema without faults.
class JsonSchemaWalk {
 public:
  using Breach = JsonSchema::Breach;

  JsonSchemaWalk(const Tree& schemas, const std::map<NodeId, NodeId>& targets, Patterns& patterns,
                 const Tree& document)
      : schemas_(schemas), targets_(targets), patterns_(patterns), document_(document) {}

  void run(NodeId schema, NodeId node, std::vector<Breach>& breaches) {
    breaches_ = &breaches;
    check(schema, node);
  }
  bool gave_up() const { return gave_up_ || steps_ == 0; }

 private:
  /// Whether a part fits, without a word about why not.
  bool fits(NodeId schema, NodeId node);
  void check(NodeId schema, NodeId node);
  void keywords(NodeId schema, NodeId node);
  void type(NodeId rule, NodeId node);
  void values(NodeId schema, NodeId node);
  void numbers(NodeId schema, NodeId node);
  void texts(NodeId schema, NodeId node);
  void lists(NodeId schema, NodeId node);
  void unique(NodeId rule, NodeId node);
  void maps(NodeId schema, NodeId node);
  void properties(NodeId schema, NodeId node);
  void dependencies(NodeId rule, NodeId node);
  void combinations(NodeId schema, NodeId node);
  void name(NodeId rule, NodeId entry);

  const Node& at(NodeId id) const { return schemas_[id]; }
  NodeId find(NodeId schema, std::string_view keyword) const {
    return schemas_.find(schema, keyword);
  }
  /// Whether a count breaks the bound of a keyword.
  bool beyond(NodeId rule, std::size_t count, bool least) const;
  void breach(NodeId rule, NodeId node, std::string message, bool at_key = false);
  /// Whether the check may go on, after work that counts as so many steps.
  bool step(std::size_t count = 1);
  NodeId entry(NodeId node, std::string_view key) {
    return find_within(document_, node, key, steps_);
  }

  const Tree& schemas_;
  const std::map<NodeId, NodeId>& targets_;
  Patterns& patterns_;
  const Tree& document_;
  std::vector<Breach>* breaches_ = nullptr;
  NodeId words_ = kNoNode;
  std::size_t steps_ = JsonSchema::kMostSteps;
  std::size_t depth_ = 0;
  bool gave_up_ = false;
};

}  // namespace trainyard
