#include "target/fill_trace.h"

#include <string>

#include "source/number_text.h"
#include "source/text_equal.h"

namespace trainyard {
namespace {

bool is_among(std::string_view values, std::string_view value) {
  while (true) {
    const std::size_t bar = values.find('|');
    if (values.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    values.remove_prefix(bar + 1);
  }
}

}  // namespace

bool holds_for(const PlanValue& found, std::string_view wanted) {
  if (!found.present()) return false;
  const bool* flag = std::get_if<bool>(&found.value);
  if (flag != nullptr && !*flag) return false;
  if (wanted.empty()) return true;
  if (flag != nullptr) return is_among(wanted, "true");
  if (const auto* text = std::get_if<std::string_view>(&found.value)) {
    return is_among(wanted, *text);
  }
  if (const auto* number = std::get_if<std::int64_t>(&found.value)) {
    return is_among(wanted, NumberText(*number).view());
  }
  return is_among(wanted, {});
}

void append_text(std::string& text, const PlanValue& found) {
  if (const auto* string = std::get_if<std::string_view>(&found.value)) text += *string;
  if (const auto* number = std::get_if<std::int64_t>(&found.value)) {
    text += NumberText(*number).view();
  }
  if (const auto* flag = std::get_if<bool>(&found.value)) text += *flag ? "true" : "false";
}

void FillTrace::clear() {
  steps_.clear();
  parts_.clear();
  origins_.clear();
  texts_.clear();
  arena_.clear();
}

FillTrace::Step& FillTrace::add(Op op) {
  Step& step = steps_.emplace_back();
  step.op = op;
  return step;
}

std::uint32_t FillTrace::kept(std::string_view text) {
  texts_.push_back(arena_.intern(text));
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

void FillTrace::loop(const PlanLoop& loop, std::size_t count) {
  Step& step = add(Op::Loop);
  step.over = &loop;
  step.count = static_cast<std::uint32_t>(count);
}

void FillTrace::item(const PlanLoop& loop, std::size_t index) {
  Step& step = add(Op::Item);
  step.over = &loop;
  step.first = static_cast<std::uint32_t>(index);
}

void FillTrace::role(std::string_view name, bool found) {
  Step& step = add(Op::Role);
  step.text = kept(name);
  step.outcome = found;
}

void FillTrace::leave() {
  add(Op::Leave);
}

void FillTrace::condition(const PlanField& field, std::string_view wanted, bool outcome) {
  Step& step = add(Op::Condition);
  step.field = &field;
  step.text = kept(wanted);
  step.outcome = outcome;
}

void FillTrace::absent(const PlanField& field) {
  add(Op::Absent).field = &field;
}

void FillTrace::unused(const PlanField& field) {
  add(Op::Unused).field = &field;
}

void FillTrace::pod() {
  add(Op::Pod);
}

void FillTrace::value(const PlanField& field, const PlanValue& found, NodeId first) {
  Step& step = add(Op::Value);
  step.field = &field;
  step.type = static_cast<std::uint8_t>(found.value.index());
  step.first = first;
}

void FillTrace::text_part(std::string_view literal) {
  parts_.push_back({arena_.intern(literal), nullptr});
}

void FillTrace::text_part(const PlanField& field) {
  parts_.push_back({{}, &field});
}

void FillTrace::joined(std::size_t parts, NodeId node) {
  Step& step = add(Op::Joined);
  step.count = static_cast<std::uint32_t>(parts);
  step.first = node;
}

void FillTrace::key(NodeId node) {
  add(Op::Key).first = node;
}

/// Asks a plan what a trace asked.
class Repeater {
 public:
  Repeater(const FillTrace& trace, const Plan& plan, std::span<const Node> nodes, Arena& arena,
           std::vector<OtherText>& different, std::vector<std::string_view>& pods)
      : trace_(trace),
        plan_(plan),
        nodes_(nodes),
        arena_(arena),
        different_(different),
        pods_(pods),
        origin_(trace.origins_.data()),
        last_origin_(origin_ + trace.origins_.size()) {
    scopes_.reserve(3);
    scopes_.emplace_back().plan = &plan;
  }

  bool run() {
    for (const FillTrace::Step& step : trace_.steps_) {
      if (!one(step)) return false;
    }
    return origin_ == last_origin_;
  }

 private:
  using Op = FillTrace::Op;

  bool one(const FillTrace::Step& step) {
    switch (step.op) {
      case Op::Absent:
        return !step.field->get(scope()).present();
      case Op::Unused:
        return step.field->get(scope()).present();
      case Op::Loop:
        if (step.over->size(scope()) != step.count) return false;
        if (step.count != 0) scopes_.emplace_back(scopes_.back());
        return true;
      case Op::Item:
        step.over->enter(scope(), step.first);
        return true;
      case Op::Role:
        return role(step);
      case Op::Leave:
        scopes_.pop_back();
        return true;
      case Op::Condition:
        return holds_for(step.field->get(scope()), trace_.texts_[step.text]) == step.outcome;
      case Op::Pod:
        pods_.push_back(scope().role->name);
        return true;
      case Op::Value:
        return value(step);
      case Op::Joined:
        return joined(step);
      case Op::Key:
        return different_.empty() || different_.back().node != step.first;
    }
    return false;
  }

  Scope& scope() { return scopes_.back(); }

  bool role(const FillTrace::Step& step) {
    const std::string_view name = trace_.texts_[step.text];
    for (const Role& role : plan_.roles) {
      if (role.name != name) continue;
      if (!step.outcome) return false;
      scopes_.emplace_back(scopes_.back());
      scope().role = &role;
      return true;
    }
    return !step.outcome;
  }

  bool is_expected(OriginId origin) { return origin_ != last_origin_ && *origin_++ == origin; }

  void text(NodeId id, std::string_view text) {
    if (!same_text(text, nodes_[id].text)) different_.push_back({id, text});
  }

  void made_text(NodeId id, std::string_view text) {
    if (!same_text(text, nodes_[id].text)) different_.push_back({id, arena_.intern(text)});
  }

  bool value(const FillTrace::Step& step) {
    const PlanValue found = step.field->get(scope());
    if (found.value.index() != step.type || !is_expected(found.origin)) return false;
    NodeId next = step.first;
    return std::visit([&](const auto& value) { return take(value, next); }, found.value);
  }

  // What nodes from `next` on hold.
  bool take(std::monostate, NodeId) { return false; }
  bool take(PodOfRole, NodeId) { return false; }
  bool take(std::string_view value, NodeId next) {
    text(next, value);
    return true;
  }
  bool take(std::int64_t number, NodeId next) {
    made_text(next, NumberText(number).view());
    return true;
  }
  bool take(bool flag, NodeId next) {
    text(next, flag ? "true" : "false");
    return true;
  }
  bool take(NodeId value, NodeId next) { return fragment(value, next); }
  bool take(std::span<const NamedValue> values, NodeId next) {
    if (nodes_[next++].size != values.size()) return false;
    for (const NamedValue& entry : values) {
      if (!is_expected(entry.origin) || !same_text(entry.name, nodes_[next].key)) return false;
      text(next++, entry.value);
    }
    return true;
  }
  bool take(std::span<const CommandWord> items, NodeId next) {
    if (nodes_[next++].size != items.size()) return false;
    for (const CommandWord& item : items) {
      if (!is_expected(item.origin)) return false;
      text(next++, item.text);
    }
    return true;
  }
  bool take(std::span<const Fragment> items, NodeId next) {
    if (nodes_[next++].size != items.size()) return false;
    for (const Fragment& item : items) {
      if (!is_expected(item.origin) || !fragment(item.value, next)) return false;
    }
    return true;
  }
  bool take(std::span<const Volume> items, NodeId next) {
    if (nodes_[next++].size != items.size()) return false;
    for (const Volume& item : items) {
      if (!is_expected(item.origin) || !fragment(item.fragment, next)) return false;
    }
    return true;
  }

  /// A copy of a part of the plan's tree has its nodes one behind the other.
  bool fragment(NodeId from, NodeId& next) {
    const Node& node = plan_.tree[from];
    const NodeId id = next++;
    const Node& known = nodes_[id];
    if (node.kind != known.kind || node.size != known.size || !is_expected(node.origin)) {
      return false;
    }
    if (node.is_scalar()) {
      text(id, node.text);
      return true;
    }
    for (NodeId child : plan_.tree.children(from)) {
      if (!same_text(plan_.tree[child].key, nodes_[next].key)) return false;
      if (!fragment(child, next)) return false;
    }
    return true;
  }

  bool joined(const FillTrace::Step& step) {
    text_.clear();
    for (std::uint32_t i = 0; i < step.count; ++i) {
      const FillTrace::Part& part = trace_.parts_[part_++];
      if (part.field == nullptr) {
        text_ += part.literal;
        continue;
      }
      const PlanValue found = part.field->get(scope());
      if (!found.present() || !is_expected(found.origin)) return false;
      append_text(text_, found);
    }
    made_text(step.first, text_);
    return true;
  }

  const FillTrace& trace_;
  const Plan& plan_;
  std::span<const Node> nodes_;
  Arena& arena_;
  std::vector<OtherText>& different_;
  std::vector<std::string_view>& pods_;
  const OriginId* origin_;
  const OriginId* last_origin_;
  std::size_t part_ = 0;
  std::vector<Scope> scopes_;  // those around the innermost
  std::string text_;
};

bool FillTrace::repeat(const Plan& plan, std::span<const Node> nodes, Arena& arena,
                       std::vector<OtherText>& different,
                       std::vector<std::string_view>& pods) const {
  different.clear();
  pods.clear();
  return Repeater(*this, plan, nodes, arena, different, pods).run();
}

}  // namespace trainyard
