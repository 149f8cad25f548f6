#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "plan/fields.h"
#include "tree/tree.h"

namespace trainyard {

/// A structural template: a YAML tree in which
///   * a scalar that is one hole, `${role.image}`, is replaced by the field's value, of any type;
///   * a hole for a scalar may stand inside text, `${job.name}-config`;
///   * an entry with a hole that has no value disappears, and so does a map or list that loses all
///     its entries this way;
///   * a map with `$if: job.multiNode` is there only when the field has a value other than false
///     (or, with `$if: '!job.multiNode'`, only when it has none or is false);
///   * `$if: job.framework=pytorch|nemo` asks for one of these values, `!` for none of them;
///   * a map with `$role: master` is there only when the plan has a role of that name, which is
///     then in scope;
///   * a list item, or a whole document, with `$each: role.env` is repeated for each item;
///   * a map with `$each: role.env` and `$key: ${env.name}` is a map with an entry for each item;
///   * in a map with a directive, `$value` stands for the whole: for scalars and lists; `$else`
///     stands for it when the condition does not hold;
///   * `$${` is a literal `${`.
/// There is nothing more: what does not fit becomes a field of the plan.
class Template {
 public:
  /// Checks every hole and directive against the fields of the plan. `scope` names the items that
  /// are in scope from the start ("role" for the pod template); such a template is a part of
  /// documents and no document itself. `fields` are those of the plan that will fill it, and
  /// outlive the template. Nothing when there was an error.
  static std::optional<Template> compile(Tree tree, std::vector<std::string_view> scope, Sink& sink,
                                         const FieldSet& fields = job_fields());

  const Tree& tree() const { return tree_; }

 private:
  friend class TemplateCompiler;
  friend class Filler;

  struct Part {
    std::string_view text;  // literal text, when `field` is null
    const PlanField* field = nullptr;
  };
  struct Info {
    std::uint32_t first_part = 0;
    std::uint32_t part_count = 0;  // 0: no hole
    const PlanField* condition = nullptr;
    std::string_view wanted;  // values that the condition asks for, `|` between; "" for any
    bool negated = false;
    std::string_view role;  // of `$role`
    const PlanLoop* loop = nullptr;
    NodeId value = kNoNode;      // of `$value`
    NodeId otherwise = kNoNode;  // of `$else`
    NodeId key = kNoNode;        // of `$key`
    bool is_directive = false;   // an entry that does not come out
    bool has_directives = false;
  };

  const Info& info(NodeId id) const { return item_at(info_, id); }

  Tree tree_;
  std::vector<Info> info_;  // one for each node of the tree
  std::vector<Part> parts_;
};

/// A pod template that was filled, and the role it is for.
struct FilledPod {
  NodeId root = kNoNode;
  std::string_view role;
};

/// Fills templates from a plan into one tree.
class Filler {
 public:
  /// `pod` is the shared pod template, compiled with "role" in scope; null when there is none.
  Filler(const Plan& plan, const Template* pod, Tree& out, Origins& origins, Sink& sink)
      : fragments_(plan.tree), pod_(pod), out_(out), origins_(origins), sink_(sink) {
    whole_.plan = &plan;
  }
  /// For templates of a platform, which has no pods.
  Filler(const PlatformPlan& plan, Tree& out, Origins& origins, Sink& sink)
      : fragments_(plan.tree), out_(out), origins_(origins), sink_(sink) {
    whole_.platform.plan = &plan;
  }

  /// The documents that the template yields, in order; none when its condition does not hold.
  std::vector<NodeId> fill(const Template& source);

  /// The pods that were filled so far.
  const std::vector<FilledPod>& pods() const { return pods_; }

 private:
  /// The hole that is being filled.
  struct Place {
    Span span;
    OriginId origin = kNoOrigin;
  };

  /// Calls `take` with what the node at `id` yields: nothing, one node or, in a loop, several.
  template <class Take>
  void each(const Template& source, NodeId id, const Scope& scope, Take take);
  bool holds(const Template::Info& info, const Scope& scope) const;
  const Role* named_role(std::string_view name) const;
  NodeId node(const Template& source, NodeId id, const Scope& scope);
  /// A map with directives; with all of them but `$role`.
  NodeId directed(const Template& source, NodeId id, const Scope& scope);
  NodeId conditional(const Template& source, NodeId id, const Scope& scope);
  NodeId plain(const Template& source, NodeId id, const Scope& scope);
  NodeId map(const Template& source, NodeId id, const Scope& scope);
  NodeId entries(const Template& source, NodeId id, Scope scope);
  NodeId list(const Template& source, NodeId id, const Scope& scope);
  NodeId scalar(const Template& source, NodeId id, const Scope& scope);
  NodeId whole_hole(const Template& source, NodeId id, const PlanField& field, const Scope& scope);
  NodeId interpolated(const Template& source, NodeId id, const Scope& scope);
  NodeId fragment(NodeId id, const Place& place);
  NodeId pairs(std::span<const NamedValue> values, const Place& place);
  /// Why a part of a hole's value is there: the hole, and the part's own origin where it has one.
  OriginId placed(OriginId own, const Place& place);
  OriginId template_origin(const Template& source, NodeId id, OriginId field = kNoOrigin);

  Scope whole_;  // outside of all loops
  const Tree& fragments_;
  const Template* pod_ = nullptr;
  Tree& out_;
  Origins& origins_;
  Sink& sink_;
  std::vector<FilledPod> pods_;
};

}  // namespace trainyard
