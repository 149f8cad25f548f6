#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/patterns.h"
#include "tree/tree.h"

namespace trainyard {

/// A JSON Schema (draft 7) over trees, with bounds: patterns are those of RE2, which takes linear
/// time, references stay within the file, and a check ends after a number of steps.
///
/// `format` and the `content` keywords say nothing, as the draft allows. Numbers are compared as
/// doubles where they are no 64-bit integers.
class JsonSchema {
 public:
  /// Something that the schema does not allow.
  struct Breach {
    NodeId node = kNoNode;  // of the document
    bool at_key = false;
    NodeId rule = kNoNode;  // of the schema: the keyword's value
    std::string message;
    NodeId words = kNoNode;  // of the schema: the nearest `x-message` around the rule
  };
  /// Something wrong with the schema itself.
  struct Fault {
    NodeId node = kNoNode;
    std::string message;
  };
  enum class Verdict : std::uint8_t { Fits, Breaks, GaveUp };

  /// The tree must outlive this and stay in place. Schemas of one file share a budget.
  JsonSchema(const Tree& tree, NodeId root,
             std::shared_ptr<PatternBudget> budget = std::make_shared<PatternBudget>());

  const std::vector<Fault>& faults() const { return faults_; }
  /// The verdict on a document; only a schema without faults may be asked.
  Verdict check(const Tree& document, NodeId root, std::vector<Breach>& breaches);

  /// So many parts of a schema are held against parts of a document before a check is given up, and
  /// so deep. Searches in large maps and reading long texts count as well.
  static constexpr std::size_t kMostSteps = 2'000'000;
  static constexpr std::size_t kMostDepth = 200;

 private:
  void examine(NodeId schema, std::size_t depth);
  void examine_keyword(NodeId keyword, std::size_t depth);
  void examine_types(NodeId types);
  void examine_pattern(NodeId at, std::string_view pattern);
  void collect_ids(NodeId node, std::size_t depth);
  NodeId resolve(std::string_view reference);
  void fault(NodeId at, std::string message);

  const Tree& tree_;
  NodeId root_;
  std::vector<Fault> faults_;
  std::size_t steps_ = kMostSteps;                  // for where references lead to
  std::map<NodeId, NodeId> targets_;                // of `$ref`
  std::map<std::string_view, NodeId> identifiers_;  // of `$id`
  // References lead to parts that no keyword does.
  std::vector<NodeId> to_examine_;
  std::set<NodeId> examined_;
  Patterns patterns_;
  std::shared_ptr<PatternBudget> budget_;
};

}  // namespace trainyard
