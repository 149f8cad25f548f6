#include "target/template.h"

#include <algorithm>
#include <string>
#include <utility>

#include "diag/suggest.h"

namespace trainyard {

namespace {

constexpr std::string_view kIf = "$if";
constexpr std::string_view kEach = "$each";
constexpr std::string_view kValue = "$value";
constexpr std::string_view kElse = "$else";
constexpr std::string_view kKey = "$key";
constexpr std::string_view kRole = "$role";
constexpr std::string_view kPod = "role.pod";
constexpr std::string_view kAnyItem = "*";

bool is_directive(std::string_view key) {
  return key.starts_with('$') && !key.starts_with("${");
}

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

}  // namespace

/// Checks a template once, so that filling it looks nothing up by name.
class TemplateCompiler {
 public:
  /// `part`: the template is filled within another one, with a role in scope.
  TemplateCompiler(Template& result, bool part, const FieldSet& fields, Sink& sink)
      : template_(result), part_(part), fields_(fields), sink_(sink) {}

  void node(NodeId id, std::vector<std::string_view>& scope, bool repeatable) {
    const std::size_t depth = scope.size();
    if (tree()[id].is_map()) directives(id, scope, repeatable);
    if (tree()[id].kind == Kind::String) holes(id, scope);
    for (NodeId child : tree().children(id)) {
      if (tree()[id].is_map()) {
        const std::string_view key = tree()[child].key;
        info(child).is_directive = is_directive(key);
        if (is_directive(key)) info(id).has_directives = true;
        if (key == kKey) holes(child, scope);
        if (is_directive(key) && key != kValue && key != kElse) continue;
        plain_key(tree()[child]);
      }
      node(child, scope, tree()[id].is_seq());
    }
    scope.resize(depth);
  }

 private:
  const Tree& tree() const { return template_.tree_; }
  Template::Info& info(NodeId id) { return template_.info_[id]; }

  void plain_key(const Node& entry) {
    if (entry.key.find("${") == std::string_view::npos) return;
    bad_directive(entry.key_span, "a key is written out; holes are for values");
  }

  void directives(NodeId map, std::vector<std::string_view>& scope, bool repeatable) {
    Template::Info& result = info(map);
    const Node* condition_entry = nullptr;
    result.key = tree().find(map, kKey);
    for (NodeId child : tree().children(map)) {
      const Node& entry = tree()[child];
      if (!is_directive(entry.key)) continue;
      if (entry.key == kEach) {
        loop(entry, result, scope, repeatable);
      } else if (entry.key == kKey) {
        key_of_entries(map, entry, repeatable);
      } else if (entry.key == kIf) {
        condition_entry = &entry;
      } else if (entry.key == kRole) {
        result.role = entry.text;
        if (entry.text.empty()) bad_directive(entry.span, "`$role` is the name of a role");
        scope.push_back("role");
      } else if (entry.key == kValue) {
        result.value = child;
      } else if (entry.key == kElse) {
        result.otherwise = child;
      } else {
        bad_directive(entry.key_span, quoted(entry.key) +
                                          " is not a directive; there are `$if`, `$else`, "
                                          "`$each`, `$key`, `$role` and `$value`");
      }
    }
    // After the loop, whose item the condition may name.
    if (condition_entry != nullptr) condition(*condition_entry, result, scope);
    if (result.value != kNoNode) only_directives(map);
    if (result.otherwise != kNoNode && (condition_entry == nullptr || result.value == kNoNode)) {
      bad_directive(tree()[result.otherwise].key_span, "`$else` needs an `$if` and a `$value`");
    }
  }

  /// A map of entries that are made from a list.
  void key_of_entries(NodeId map, const Node& entry, bool repeatable) {
    if (repeatable || tree().find(map, kEach) == kNoNode) {
      bad_directive(entry.key_span,
                    "`$key` names the entries of a map that an `$each` beside it fills");
    }
  }

  /// Beside `$value` there may be directives only: other entries would be dropped.
  void only_directives(NodeId map) {
    for (NodeId child : tree().children(map)) {
      const Node& entry = tree()[child];
      if (is_directive(entry.key)) continue;
      bad_directive(entry.key_span,
                    quoted(entry.key) + " stands beside `$value`, which is the whole");
    }
  }

  void loop(const Node& entry, Template::Info& result, std::vector<std::string_view>& scope,
            bool repeatable) {
    const PlanLoop* found = fields_.loop(entry.text);
    if (found == nullptr) {
      std::vector<std::string_view> names;
      for (const PlanLoop& row : fields_.loops) names.push_back(row.path);
      // Whatever was meant is in scope: one mistake, one report.
      scope.push_back(kAnyItem);
      return unknown(entry.span,
                     "`$each` over " + quoted(entry.text) + ", which is no list to loop over",
                     entry.text, names);
    }
    const bool known = in_scope(found->path, scope);
    scope.push_back(found->item);
    if (!known) return out_of_scope(entry.span, found->path);
    if (!repeatable && result.key == kNoNode) {
      return bad_directive(entry.key_span, "`$each` repeats list items and documents only");
    }
    result.loop = found;
  }

  void condition(const Node& entry, Template::Info& result,
                 const std::vector<std::string_view>& scope) {
    std::string_view path = entry.text;
    result.negated = path.starts_with('!');
    if (result.negated) path.remove_prefix(1);
    if (const std::size_t equals = path.find('='); equals != std::string_view::npos) {
      result.wanted = path.substr(equals + 1);
      path = path.substr(0, equals);
      if (result.wanted.empty()) bad_directive(entry.span, "a value is missing behind `=`");
    }
    result.condition = field(path, entry.span, scope);
  }

  const PlanField* field(std::string_view path, Span where,
                         const std::vector<std::string_view>& scope) {
    const PlanField* found = fields_.field(path);
    if (found == nullptr) {
      std::vector<std::string_view> names;
      for (const PlanField& row : fields_.fields) names.push_back(row.path);
      unknown(where, "the plan has no field " + quoted(path), path, names);
    } else if (!in_scope(path, scope)) {
      out_of_scope(where, path);
      return nullptr;
    } else if (part_ && path == kPod) {
      bad_directive(where, quoted(kPod) + " would put the pod template into itself");
      return nullptr;
    }
    return found;
  }

  bool in_scope(std::string_view path, const std::vector<std::string_view>& scope) const {
    const std::string_view item = path.substr(0, path.find('.'));
    if (std::ranges::find(fields_.roots, item) != fields_.roots.end()) return true;
    return std::any_of(scope.begin(), scope.end(), [item](std::string_view known) {
      return known == item || known == kAnyItem;
    });
  }

  void holes(NodeId id, const std::vector<std::string_view>& scope) {
    const Node& scalar = tree()[id];
    if (scalar.text.find("${") == std::string_view::npos) return;
    Template::Info& result = info(id);
    result.first_part = static_cast<std::uint32_t>(template_.parts_.size());
    std::string_view rest = scalar.text;
    while (!rest.empty()) rest = part(rest, scalar.span, scope);
    result.part_count = static_cast<std::uint32_t>(template_.parts_.size()) - result.first_part;
    if (result.part_count < 2) return;
    for (std::size_t i = result.first_part; i < template_.parts_.size(); ++i) {
      const PlanField* hole = template_.parts_[i].field;
      if (hole == nullptr || !hole->structure) continue;
      sink_.report(DiagnosticKind::TemplateHoleInText, scalar.span,
                   quoted(hole->path) + " is a list or a map and has text around its hole");
    }
  }

  /// Takes the next literal text or hole off `rest`; returns what is left.
  std::string_view part(std::string_view rest, Span where,
                        const std::vector<std::string_view>& scope) {
    const std::size_t open = rest.find("${");
    const bool escaped = open != std::string_view::npos && open > 0 && rest[open - 1] == '$';
    if (escaped) {
      literal(rest.substr(0, open - 1));
      literal(rest.substr(open, 2));
      return rest.substr(open + 2);
    }
    if (open != 0) {
      literal(rest.substr(0, open));
      return open == std::string_view::npos ? std::string_view() : rest.substr(open);
    }
    const std::size_t close = rest.find('}');
    if (close == std::string_view::npos) {
      sink_.report(DiagnosticKind::TemplateUnknownHole, where, "a hole without its closing `}`");
      return {};
    }
    const PlanField* found = field(rest.substr(2, close - 2), where, scope);
    if (found != nullptr) template_.parts_.push_back({{}, found});
    return rest.substr(close + 1);
  }

  void literal(std::string_view text) {
    if (!text.empty()) template_.parts_.push_back({text, nullptr});
  }

  void unknown(Span where, std::string message, std::string_view typo,
               const std::vector<std::string_view>& names) {
    Diagnostic& report =
        sink_.report(DiagnosticKind::TemplateUnknownHole, where, std::move(message));
    if (const auto near = suggest(typo, names)) report.note("did you mean " + quoted(*near) + "?");
  }

  void out_of_scope(Span where, std::string_view path) {
    const std::string_view item = path.substr(0, path.find('.'));
    sink_.report(DiagnosticKind::TemplateUnknownHole, where,
                 quoted(path) + " is used outside of a loop that yields " + quoted(item));
  }

  void bad_directive(Span where, std::string message) {
    sink_.report(DiagnosticKind::TemplateBadDirective, where, std::move(message));
  }

  Template& template_;
  bool part_;
  const FieldSet& fields_;
  Sink& sink_;
};

std::optional<Template> Template::compile(Tree tree, std::vector<std::string_view> scope,
                                          Sink& sink, const FieldSet& fields) {
  Template result;
  result.tree_ = std::move(tree);
  result.info_.resize(result.tree_.size());
  const std::size_t errors = sink.error_count();
  const bool part = !scope.empty();
  TemplateCompiler(result, part, fields, sink).node(result.tree_.root(), scope, !part);
  if (sink.error_count() != errors) return std::nullopt;
  return result;
}

template <class Take>
void Filler::each(const Template& source, NodeId id, const Scope& scope, Take take) {
  const auto one = [&](const Scope& own) {
    const NodeId filled = node(source, id, own);
    if (filled != kNoNode) take(filled);
  };
  const PlanLoop* loop = source.info_[id].loop;
  if (loop == nullptr) return one(scope);
  Scope inner = scope;
  const std::size_t count = enter(*loop, inner);
  for (std::size_t i = 0; i < count; ++i) {
    next(*loop, inner, i);
    one(inner);
  }
  leave(count);
}

std::size_t Filler::enter(const PlanLoop& loop, Scope& scope) {
  const std::size_t count = loop.size(scope);
  if (trace_ != nullptr) trace_->loop(loop, count);
  return count;
}

void Filler::next(const PlanLoop& loop, Scope& scope, std::size_t index) {
  if (trace_ != nullptr) trace_->item(loop, index);
  loop.enter(scope, index);
}

void Filler::leave(std::size_t count) {
  if (trace_ != nullptr && count != 0) trace_->leave();
}

std::vector<NodeId> Filler::fill(const Template& source) {
  std::vector<NodeId> result;
  each(source, source.tree_.root(), whole_, [&](NodeId document) { result.push_back(document); });
  return result;
}

bool Filler::holds(const Template::Info& info, const Scope& scope) {
  if (info.condition == nullptr) return true;
  const bool is_true = holds_for(info.condition->get(scope), info.wanted);
  if (trace_ != nullptr) trace_->condition(*info.condition, info.wanted, is_true);
  return is_true != info.negated;
}

const Role* Filler::named_role(std::string_view name) const {
  if (whole_.plan == nullptr) return nullptr;  // a platform has no roles
  for (const Role& role : whole_.plan->roles) {
    if (role.name == name) return &role;
  }
  return nullptr;
}

NodeId Filler::node(const Template& source, NodeId id, const Scope& scope) {
  return source.info_[id].has_directives ? directed(source, id, scope) : plain(source, id, scope);
}

NodeId Filler::directed(const Template& source, NodeId id, const Scope& scope) {
  const std::string_view role = source.info_[id].role;
  if (role.empty()) return conditional(source, id, scope);
  Scope inner = scope;
  inner.role = named_role(role);
  if (trace_ != nullptr) trace_->role(role, inner.role != nullptr);
  if (inner.role == nullptr) return kNoNode;
  const NodeId filled = conditional(source, id, inner);
  leave(1);
  return filled;
}

NodeId Filler::conditional(const Template& source, NodeId id, const Scope& scope) {
  const Template::Info& info = source.info_[id];
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
    if (source.info_[child].is_directive) continue;
    is_empty = false;
    const NodeId filled = node(source, child, scope);
    if (filled == kNoNode) continue;
    if (result == kNoNode) result = out_.add_map(template_origin(source, id));
    out_.append(result, source.tree_[child].key, filled);
  }
  return is_empty ? out_.add_map(template_origin(source, id)) : result;
}

NodeId Filler::entries(const Template& source, NodeId id, Scope scope) {
  const Template::Info& info = source.info_[id];
  const NodeId result = out_.add_map(template_origin(source, id));
  const std::size_t count = enter(*info.loop, scope);
  for (std::size_t i = 0; i < count; ++i) {
    next(*info.loop, scope, i);
    if (!holds(info, scope)) continue;
    const NodeId key = scalar(source, info.key, scope);
    if (trace_ != nullptr && key != kNoNode) trace_->key(key);
    const NodeId value =
        info.value == kNoNode ? map(source, id, scope) : node(source, info.value, scope);
    if (key == kNoNode || value == kNoNode) continue;
    if (out_.find(result, out_[key].text) != kNoNode) {
      sink_.report(DiagnosticKind::TemplateDuplicateKey, source.tree_[info.key].span,
                   "the key " + quoted(out_[key].text) + " comes out twice");
      continue;
    }
    out_.append(result, out_[key].text, value);
  }
  leave(count);
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
  const Template::Info& info = source.info_[id];
  if (info.part_count == 1) {
    const Template::Part& part = source.parts_[info.first_part];
    if (part.field != nullptr) return whole_hole(source, id, *part.field, scope);
  }
  if (info.part_count != 0) return interpolated(source, id, scope);
  const Node& from = source.tree_[id];
  return out_.add(from.kind, from.text, template_origin(source, id));
}

NodeId Filler::whole_hole(const Template& source, NodeId id, const PlanField& field,
                          const Scope& scope) {
  const PlanValue found = field.get(scope);
  if (!found.present()) {
    if (trace_ != nullptr) trace_->absent(field);
    return kNoNode;
  }
  if (std::holds_alternative<PodOfRole>(found.value)) {
    if (pod_ == nullptr) {
      sink_.report(DiagnosticKind::BadTargetPack, source.tree_[id].span,
                   "the target names no `pod`, the template that would stand here");
      return kNoNode;
    }
    const NodeId pod = node(*pod_, pod_->tree_.root(), scope);
    if (trace_ != nullptr) trace_->pod();
    pods_.push_back({pod, scope.role->name});
    return pod;
  }
  if (trace_ != nullptr) {
    trace_->value(field, found, static_cast<NodeId>(out_.size()));
    trace_->origin(found.origin);
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
  const Template::Info& info = source.info_[id];
  const std::span parts = std::span(source.parts_).subspan(info.first_part, info.part_count);
  std::string text;
  std::vector<OriginId> inputs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].field == nullptr) {
      text += parts[i].text;
      continue;
    }
    const PlanValue found = parts[i].field->get(scope);
    if (!found.present()) {
      if (trace_ != nullptr) trace_without(parts.first(i + 1));
      return kNoNode;
    }
    inputs.push_back(found.origin);
    append_text(text, found);
  }
  if (trace_ != nullptr) trace_joined(parts, inputs);
  const OriginId origin =
      origins_.add(OriginKind::Template, source.tree_[id].span, {}, std::span(inputs));
  return out_.add_string(out_.intern(text), origin);
}

void Filler::trace_without(std::span<const Template::Part> parts) {
  for (const Template::Part& part : parts.first(parts.size() - 1)) {
    if (part.field != nullptr) trace_->unused(*part.field);
  }
  trace_->absent(*parts.back().field);
}

void Filler::trace_joined(std::span<const Template::Part> parts, std::span<const OriginId> inputs) {
  for (const Template::Part& part : parts) {
    if (part.field == nullptr) {
      trace_->text_part(part.text);
    } else {
      trace_->text_part(*part.field);
    }
  }
  trace_->joined(parts.size(), static_cast<NodeId>(out_.size()));
  for (OriginId input : inputs) trace_->origin(input);
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
  for (const NamedValue& entry : values) {
    if (out_.find(result, entry.name) != kNoNode) {
      sink_.report(DiagnosticKind::TemplateDuplicateKey, place.span,
                   "the key " + quoted(entry.name) + " comes out twice");
      continue;
    }
    out_.append(result, entry.name, out_.add_string(entry.value, placed(entry.origin, place)));
  }
  return result;
}

OriginId Filler::placed(OriginId own, const Place& place) {
  if (trace_ != nullptr) trace_->origin(own);
  if (own == kNoOrigin) return place.origin;
  const std::span<const OriginId> inputs = origins_.inputs(place.origin);
  if (inputs.size() == 1 && inputs[0] == own) return place.origin;
  return origins_.add(OriginKind::Template, place.span, {}, {own});
}

OriginId Filler::template_origin(const Template& source, NodeId id, OriginId field) {
  return origins_.add(OriginKind::Template, source.tree_[id].span, {}, {field});
}

}  // namespace trainyard
