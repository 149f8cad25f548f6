#include <string>

#include "source/number_text.h"
#include "source/text_parts.h"
#include "target/template.h"
#include "tree/key_set.h"

namespace trainyard {
namespace {

/// Whether `values`, with `|` between, has this one.
bool is_among(std::string_view values, std::string_view value) {
  while (true) {
    const std::size_t bar = values.find('|');
    if (values.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    values.remove_prefix(bar + 1);
  }
}

/// Whether a condition of a template holds for what was found; `wanted` are values with `|`
/// between, or "" for any.
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

/// Appends a scalar as text; nothing for a list or map.
void append_text(std::string& text, const PlanValue& found) {
  if (const auto* string = std::get_if<std::string_view>(&found.value)) text += *string;
  if (const auto* number = std::get_if<std::int64_t>(&found.value)) {
    text += NumberText(*number).view();
  }
  if (const auto* flag = std::get_if<bool>(&found.value)) text += *flag ? "true" : "false";
}

}  // namespace

template <class Take>
void Filler::each(const Template& source, NodeId id, const Scope& scope, Take take) {
  const auto one = [&](const Scope& own) {
    const NodeId filled = node(source, id, own);
    if (filled != kNoNode) take(filled);
  };
  const PlanLoop* loop = source.info(id).loop;
  if (loop == nullptr) return one(scope);
  Scope inner = scope;
  const std::size_t count = loop->size(inner);
  for (std::size_t i = 0; i < count; ++i) {
    loop->enter(inner, i);
    one(inner);
  }
}

std::vector<NodeId> Filler::fill(const Template& source) {
  std::vector<NodeId> result;
  each(source, source.tree_.root(), whole_, [&](NodeId document) { result.push_back(document); });
  return result;
}

bool Filler::holds(const Template::Info& info, const Scope& scope) const {
  if (info.condition == nullptr) return true;
  return holds_for(info.condition->get(scope), info.wanted) != info.negated;
}

const Role* Filler::named_role(std::string_view name) const {
  if (whole_.plan == nullptr) return nullptr;  // a platform has no roles
  for (const Role& role : whole_.plan->roles) {
    if (role.name == name) return &role;
  }
  return nullptr;
}

NodeId Filler::node(const Template& source, NodeId id, const Scope& scope) {
  const Template::Info& info = source.info(id);
  if (info.part_count != 0) return scalar(source, id, scope);  // most are holes
  return info.has_directives ? directed(source, id, scope) : plain(source, id, scope);
}

NodeId Filler::directed(const Template& source, NodeId id, const Scope& scope) {
  const std::string_view role = source.info(id).role;
  if (role.empty()) return conditional(source, id, scope);
  Scope inner = scope;
  inner.role = named_role(role);
  return inner.role == nullptr ? kNoNode : conditional(source, id, inner);
}

NodeId Filler::conditional(const Template& source, NodeId id, const Scope& scope) {
  const Template::Info& info = source.info(id);
  if (info.key != kNoNode) return entries(source, id, scope);
  if (!holds(info, scope)) {
    return info.otherwise == kNoNode ? kNoNode : node(source, info.otherwise, scope);
  }
  return info.value == kNoNode ? plain(source, id, scope) : node(source, info.value, scope);
}

NodeId Filler::plain(const Template& source, NodeId id, const Scope& scope) {
  switch (source.tree_[id].kind) {
    case Kind::Map:
      return map(source, id, scope);
    case Kind::Seq:
      return list(source, id, scope);
    default:
      return scalar(source, id, scope);
  }
}

NodeId Filler::map(const Template& source, NodeId id, const Scope& scope) {
  NodeId result = kNoNode;  // until there is an entry: most maps of a pod are never filled
  bool is_empty = true;
  for (NodeId child : source.tree_.children(id)) {
    if (source.info(child).is_directive) continue;
    is_empty = false;
    const NodeId filled = node(source, child, scope);
    if (filled == kNoNode) continue;
    if (result == kNoNode) result = out_.add_map(template_origin(source, id));
    out_.append(result, source.tree_[child].key, filled);
  }
  return is_empty ? out_.add_map(template_origin(source, id)) : result;
}

NodeId Filler::entries(const Template& source, NodeId id, Scope scope) {
  const Template::Info& info = source.info(id);
  const NodeId result = out_.add_map(template_origin(source, id));
  const std::size_t count = info.loop->size(scope);
  KeySet keys;
  for (std::size_t i = 0; i < count; ++i) {
    info.loop->enter(scope, i);
    if (!holds(info, scope)) continue;
    const NodeId key = scalar(source, info.key, scope);
    const NodeId value =
        info.value == kNoNode ? map(source, id, scope) : node(source, info.value, scope);
    if (key == kNoNode || value == kNoNode) continue;
    if (!keys.add(out_, result, out_[key].text)) {
      sink_.report(DiagnosticKind::TemplateDuplicateKey, source.tree_[info.key].span,
                   "the key " + in_backticks(out_[key].text) + " comes out twice");
      continue;
    }
    out_.append(result, out_[key].text, value);
  }
  return out_[result].size == 0 ? kNoNode : result;
}

NodeId Filler::list(const Template& source, NodeId id, const Scope& scope) {
  const NodeId result = out_.add_seq(template_origin(source, id));
  for (NodeId child : source.tree_.children(id)) {
    each(source, child, scope, [&](NodeId item) { out_.append(result, item); });
  }
  return source.tree_[id].size != 0 && out_[result].size == 0 ? kNoNode : result;
}

NodeId Filler::scalar(const Template& source, NodeId id, const Scope& scope) {
  const Template::Info& info = source.info(id);
  if (info.part_count == 1) {
    const Template::Part& part = item_at(source.parts_, info.first_part);
    if (part.field != nullptr) return whole_hole(source, id, *part.field, scope);
  }
  if (info.part_count != 0) return interpolated(source, id, scope);
  const Node& from = source.tree_[id];
  return out_.add(from.kind, from.text, template_origin(source, id));
}

NodeId Filler::whole_hole(const Template& source, NodeId id, const PlanField& field,
                          const Scope& scope) {
  const PlanValue found = field.get(scope);
  if (!found.present()) return kNoNode;  // most are
  if (std::holds_alternative<PodOfRole>(found.value)) {
    if (pod_ == nullptr) {
      sink_.report(DiagnosticKind::BadTargetPack, source.tree_[id].span,
                   "the target names no `pod`, the template that would stand here");
      return kNoNode;
    }
    const NodeId pod = node(*pod_, pod_->tree_.root(), scope);
    pods_.push_back({pod, scope.role->name});
    return pod;
  }
  const Place place{source.tree_[id].span, template_origin(source, id, found.origin)};
  struct Visitor {
    Filler& filler;
    const Place& place;

    NodeId operator()(std::monostate) const { return kNoNode; }
    NodeId operator()(PodOfRole) const { return kNoNode; }
    NodeId operator()(std::string_view text) const { return out().add_string(text, place.origin); }
    NodeId operator()(std::int64_t number) const { return out().add_int(number, place.origin); }
    NodeId operator()(bool flag) const { return out().add_bool(flag, place.origin); }
    NodeId operator()(NodeId value) const { return filler.fragment(value, place); }
    NodeId operator()(std::span<const NamedValue> values) const {
      return filler.pairs(values, place);
    }
    NodeId operator()(std::span<const CommandWord> items) const {
      const NodeId list = out().add_seq(place.origin);
      for (const CommandWord& item : items) {
        out().append(list, out().add_string(item.text, filler.placed(item.origin, place)));
      }
      return list;
    }
    NodeId operator()(std::span<const Fragment> items) const {
      const NodeId list = out().add_seq(place.origin);
      for (const Fragment& item : items) add(list, *item, item.origin);
      return list;
    }
    NodeId operator()(std::span<const Volume> items) const {
      const NodeId list = out().add_seq(place.origin);
      for (const Volume& item : items) add(list, item.fragment, item.origin);
      return list;
    }
    void add(NodeId list, NodeId item, OriginId origin) const {
      const Place own{place.span, filler.placed(origin, place)};
      out().append(list, filler.fragment(item, own));
    }
    Tree& out() const { return filler.out_; }
  };
  return std::visit(Visitor{*this, place}, found.value);
}

NodeId Filler::interpolated(const Template& source, NodeId id, const Scope& scope) {
  const Template::Info& info = source.info(id);
  const std::span parts = std::span(source.parts_).subspan(info.first_part, info.part_count);
  std::string text;
  std::vector<OriginId> inputs;
  for (const Template::Part& part : parts) {
    if (part.field == nullptr) {
      text += part.text;
      continue;
    }
    const PlanValue found = part.field->get(scope);
    if (!found.present()) return kNoNode;
    inputs.push_back(found.origin);
    append_text(text, found);
  }
  const OriginId origin =
      origins_.add(OriginKind::Template, source.tree_[id].span, {}, std::span(inputs));
  return out_.add_string(out_.intern(text), origin);
}

NodeId Filler::fragment(NodeId id, const Place& place) {
  const Node& from = fragments_[id];
  const Place own{place.span, placed(from.origin, place)};
  const NodeId result = out_.add(from.kind, from.text, own.origin);
  for (NodeId child : fragments_.children(id)) {
    const NodeId copy = fragment(child, own);
    out_.append(result, fragments_[child].key, copy);
  }
  return result;
}

NodeId Filler::pairs(std::span<const NamedValue> values, const Place& place) {
  const NodeId result = out_.add_map(place.origin);
  KeySet keys;
  for (const NamedValue& entry : values) {
    if (!keys.add(out_, result, entry.name)) {
      sink_.report(DiagnosticKind::TemplateDuplicateKey, place.span,
                   "the key " + in_backticks(entry.name) + " comes out twice");
      continue;
    }
    out_.append(result, entry.name, out_.add_string(entry.value, placed(entry.origin, place)));
  }
  return result;
}

OriginId Filler::placed(OriginId own, const Place& place) {
  if (own == kNoOrigin) return place.origin;
  const std::span<const OriginId> inputs = origins_.inputs(place.origin);
  if (inputs.size() == 1 && inputs[0] == own) return place.origin;
  return origins_.add(OriginKind::Template, place.span, {}, {own});
}

OriginId Filler::template_origin(const Template& source, NodeId id, OriginId field) {
  return origins_.add(OriginKind::Template, source.tree_[id].span, {}, {field});
}

}  // namespace trainyard
