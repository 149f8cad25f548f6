#include "target/template.h"

#include <algorithm>
#include <string>
#include <utility>

#include "diag/suggest.h"
#include "source/text_parts.h"

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
        bad_directive(entry.key_span, in_backticks(entry.key) +
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
                    in_backticks(entry.key) + " stands beside `$value`, which is the whole");
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
                     "`$each` over " + in_backticks(entry.text) + ", which is no list to loop over",
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
      unknown(where, "the plan has no field " + in_backticks(path), path, names);
    } else if (!in_scope(path, scope)) {
      out_of_scope(where, path);
      return nullptr;
    } else if (part_ && path == kPod) {
      bad_directive(where, in_backticks(kPod) + " would put the pod template into itself");
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
                   in_backticks(hole->path) + " is a list or a map and has text around its hole");
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
    if (const auto near = suggest(typo, names))
      report.note("did you mean " + in_backticks(*near) + "?");
  }

  void out_of_scope(Span where, std::string_view path) {
    const std::string_view item = path.substr(0, path.find('.'));
    sink_.report(
        DiagnosticKind::TemplateUnknownHole, where,
        in_backticks(path) + " is used outside of a loop that yields " + in_backticks(item));
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

}  // namespace trainyard
