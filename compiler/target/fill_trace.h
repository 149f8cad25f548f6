#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/fields.h"
#include "source/arena.h"
#include "source/origin.h"
#include "tree/tree.h"

namespace trainyard {

/// A scalar that another plan gives another text.
struct OtherText {
  NodeId node = kNoNode;
  std::string_view text;
};

/// What templates asked of a plan while they were filled, in order, and which nodes came of the
/// answers. Filling depends on nothing else: a plan that gives the same answers but for the texts
/// of scalars makes the same nodes with the same origins, and only these texts differ. The same
/// answer is one with a value where there was one, of the same type and length, with the same keys
/// and the same origins, and the same outcome of each condition.
///
/// Texts of templates are copied, so that a trace may outlive them.
class FillTrace {
 public:
  FillTrace() = default;
  FillTrace(FillTrace&&) = default;
  FillTrace& operator=(FillTrace&&) = default;

  /// Asks `plan` the same questions. `nodes` are those that were filled when this was traced, or
  /// others of their form. True when all answers are the same; then `different` has the scalars
  /// whose texts are not those of `nodes`, and `pods` the roles of the pods. Texts that had to be
  /// made are in `arena`.
  bool repeat(const Plan& plan, std::span<const Node> nodes, Arena& arena,
              std::vector<OtherText>& different, std::vector<std::string_view>& pods) const;

  std::size_t step_count() const { return steps_.size(); }
  std::span<const OriginId> origins() const { return origins_; }

  // --- for who fills
  void clear();
  /// A loop over so many items. Where there are any, each follows, and then `leave`.
  void loop(const PlanLoop& loop, std::size_t count);
  void item(const PlanLoop& loop, std::size_t index);
  /// A role was asked for by its name. Where it was there, `leave` follows.
  void role(std::string_view name, bool found);
  void leave();
  void condition(const PlanField& field, std::string_view wanted, bool outcome);
  /// A hole without a value.
  void absent(const PlanField& field);
  /// One with a value that did not come out after all.
  void unused(const PlanField& field);
  void pod();
  /// A hole that was filled by nodes from `first` on.
  void value(const PlanField& field, const PlanValue& found, NodeId first);
  /// A text with holes: its parts, and the node that holds the whole.
  void text_part(std::string_view literal);
  void text_part(const PlanField& field);
  void joined(std::size_t parts, NodeId node);
  /// The text of this node, which was filled last, became a key.
  void key(NodeId node);
  /// The origin of what was asked for last.
  void origin(OriginId id) { origins_.push_back(id); }

 private:
  friend class Repeater;

  enum class Op : std::uint8_t {
    Loop,
    Item,
    Role,
    Leave,
    Condition,
    Absent,
    Unused,
    Pod,
    Value,
    Joined,
    Key
  };
  struct Step {
    Op op = Op::Leave;
    bool outcome = false;     // of a condition; whether there was such a role
    std::uint8_t type = 0;    // of a value
    std::uint32_t text = 0;   // index in `texts_`: a role's name, what a condition asks for
    std::uint32_t count = 0;  // of a loop, or parts
    std::uint32_t first = 0;  // node; index of an item
    const PlanField* field = nullptr;
    const PlanLoop* over = nullptr;
  };
  struct Part {
    std::string_view literal;  // where `field` is null
    const PlanField* field = nullptr;
  };

  Step& add(Op op);
  std::uint32_t kept(std::string_view text);

  std::vector<Step> steps_;
  std::vector<Part> parts_;
  std::vector<OriginId> origins_;  // of all answers, in order
  std::vector<std::string_view> texts_;
  Arena arena_;
};

/// Whether a condition of a template holds for what was found; `wanted` are values with `|`
/// between, or "" for any.
bool holds_for(const PlanValue& found, std::string_view wanted);

/// A scalar as text; nothing for a list or map.
void append_text(std::string& text, const PlanValue& found);

}  // namespace trainyard
