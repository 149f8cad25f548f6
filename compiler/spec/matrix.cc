#include "spec/matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

constexpr std::string_view kOpen = "${{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kPrefix = "matrix.";
constexpr std::string_view kLabelPrefix = "matrix.trainyard/";
constexpr std::string_view kLabelOfAll = "trainyard/matrix";
constexpr std::size_t kLongestParameter = 40;
constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kHashDigits = 8;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// A name that is good for a label as well.
bool is_parameter_name(std::string_view name) {
  const bool ends = !name.empty() && is_letter(name.front()) && is_word(name.back());
  return ends && name.size() <= kLongestParameter &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '_' || c == '-'; });
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// A `${{ ... }}` in a text, or a `$${{`, which stands for `${{`.
struct Hole {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view inside;
  bool escape = false;
  bool closed = true;

  bool is_reference() const { return inside.starts_with(kPrefix); }
  std::string_view name() const { return inside.substr(kPrefix.size()); }
};

std::optional<Hole> next_hole(std::string_view text, std::size_t from) {
  const std::size_t open = text.find(kOpen, from);
  if (open == std::string_view::npos) return std::nullopt;
  Hole hole;
  hole.begin = open;
  hole.end = open + kOpen.size();
  if (open > from && text[open - 1] == '$') {
    hole.begin = open - 1;
    hole.escape = true;
    return hole;
  }
  const std::size_t close = text.find(kClose, hole.end);
  hole.closed = close != std::string_view::npos;
  hole.inside = trimmed(text.substr(hole.end, hole.closed ? close - hole.end : text.npos));
  hole.end = hole.closed ? close + kClose.size() : text.size();
  return hole;
}

/// Calls `found` for each `${{ ... }}` of a text that is not escaped.
template <class Found>
void each_hole(std::string_view text, Found found) {
  for (auto hole = next_hole(text, 0); hole; hole = next_hole(text, hole->end)) {
    if (!hole->escape) found(*hole);
  }
}

bool is_list_of_values(const Node& node) {
  return node.key != "include" && node.key != "exclude";
}

/// Parameters of a matrix and where each is named first.
std::vector<std::pair<std::string_view, Span>> parameters_of(const Tree& tree, NodeId matrix) {
  std::vector<std::pair<std::string_view, Span>> found;
  const auto add = [&](const Node& node) {
    const bool known =
        std::ranges::any_of(found, [&](const auto& each) { return each.first == node.key; });
    if (!known) found.emplace_back(node.key, node.key_span);
  };
  for (NodeId id : tree.children(matrix)) {
    if (is_list_of_values(tree[id])) add(tree[id]);
  }
  for (NodeId entry : tree.children(tree.find(matrix, "include"))) {
    for (NodeId id : tree.children(entry)) add(tree[id]);
  }
  return found;
}

class Combiner {
 public:
  Combiner(const Tree& tree, NodeId matrix, Sink& sink)
      : tree_(tree), matrix_(matrix), sink_(sink) {}

  std::optional<std::vector<Combination>> all() {
    const std::size_t errors = sink_.error_count();
    for (const auto& [name, place] : parameters_of(tree_, matrix_)) {
      if (is_parameter_name(name)) continue;
      sink_.report(DiagnosticKind::BadMatrix, place,
                   shown(name) + " is no name for a parameter; expected at most " +
                       std::to_string(kLongestParameter) +
                       " letters, digits, `-` and `_`, with a letter first and no mark last");
    }
    for (NodeId id : tree_.children(matrix_)) {
      if (is_list_of_values(tree_[id])) list(id);
    }
    if (sink_.error_count() != errors || !multiply()) return std::nullopt;
    exclude(tree_.find(matrix_, "exclude"));
    include(tree_.find(matrix_, "include"));
    if (sink_.error_count() != errors || !has_right_number()) return std::nullopt;
    return std::move(all_);
  }

 private:
  const Node& at(NodeId id) const { return tree_[id]; }

  void list(NodeId list) {
    std::map<std::string_view, NodeId> values;
    for (NodeId id : tree_.children(list)) {
      const auto [first, is_new] = values.emplace(at(id).text, id);
      if (is_new) continue;
      sink_
          .report(DiagnosticKind::DuplicateItem, at(id).span,
                  "parameter " + shown(at(list).key) + " has the value " + shown(at(id).text) +
                      " twice, which makes the same job twice")
          .also(at(first->second).span, "the first one is here");
    }
    lists_.push_back(list);
  }

  /// False when there are too many.
  bool multiply() {
    if (lists_.empty()) return true;
    std::size_t product = 1;
    std::string sum;
    for (NodeId list : lists_) {
      product = std::min<std::size_t>(product * at(list).size, 1'000'000'000);
      sum += (sum.empty() ? "" : " x ") + std::to_string(at(list).size);
    }
    if (product > kMostCombinations) {
      too_many(lists_.size() > 1 ? sum + " combinations" : sum + " values");
      return false;
    }
    all_.emplace_back();
    for (NodeId list : lists_) {
      std::vector<Combination> longer;
      for (const Combination& each : all_) {
        for (NodeId value : tree_.children(list)) {
          longer.push_back(each);
          longer.back().push_back({at(list).key, value});
        }
      }
      all_ = std::move(longer);
    }
    return true;
  }

  void too_many(const std::string& what) {
    sink_.report(
        DiagnosticKind::BadMatrix, at(matrix_).key_span,
        "the matrix has " + what + "; expected at most " + std::to_string(kMostCombinations));
  }

  bool is_parameter(std::string_view name) const {
    return std::ranges::any_of(lists_, [&](NodeId list) { return at(list).key == name; });
  }

  /// Whether a combination has each value of `entry` whose parameter it has.
  bool agrees(const Combination& combination, NodeId entry, std::size_t of_lists) const {
    for (NodeId id : tree_.children(entry)) {
      for (std::size_t i = 0; i < of_lists; ++i) {
        const ParameterValue& own = combination[i];
        if (own.name == at(id).key && at(own.value).text != at(id).text) return false;
      }
    }
    return true;
  }

  void exclude(NodeId entries) {
    std::vector<bool> out(all_.size(), false);
    for (NodeId entry : tree_.children(entries)) {
      if (!knows_all(entry)) continue;
      bool any = false;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (!agrees(all_[i], entry, lists_.size())) continue;
        out[i] = true;
        any = true;
      }
      if (any) continue;
      sink_.report(DiagnosticKind::BadMatrix, at(entry).span,
                   "this leaves out nothing: no combination has these values");
    }
    std::size_t i = 0;
    std::erase_if(all_, [&](const Combination&) { return out[i++]; });
  }

  bool knows_all(NodeId entry) {
    bool known = true;
    for (NodeId id : tree_.children(entry)) {
      if (is_parameter(at(id).key)) continue;
      known = false;
      Diagnostic& report = sink_.report(DiagnosticKind::UnknownParameter, at(id).key_span,
                                        "the matrix has no parameter " + shown(at(id).key));
      std::vector<std::string_view> names;
      for (NodeId list : lists_) names.push_back(at(list).key);
      if (const auto near = suggest(at(id).key, names)) {
        report.fix(at(id).key_span, std::string(*near), "write `" + std::string(*near) + "`");
      }
    }
    return known;
  }

  void include(NodeId entries) {
    const std::size_t of_lists = all_.size();
    for (NodeId entry : tree_.children(entries)) {
      bool taken = false;
      for (std::size_t i = 0; i < of_lists; ++i) {
        if (!agrees(all_[i], entry, lists_.size())) continue;
        add(all_[i], entry);
        taken = true;
      }
      if (taken) continue;
      all_.emplace_back();
      add(all_.back(), entry);
    }
  }

  void add(Combination& combination, NodeId entry) {
    for (NodeId id : tree_.children(entry)) {
      const auto known = std::ranges::find(combination, at(id).key, &ParameterValue::name);
      if (known == combination.end()) {
        combination.push_back({at(id).key, id});
      } else if (at(known->value).text != at(id).text) {
        known->value = id;  // what an earlier entry has added
      }
    }
  }

  bool has_right_number() {
    if (all_.size() > kMostCombinations) {
      too_many(std::to_string(all_.size()) + " combinations");
      return false;
    }
    if (!all_.empty()) return true;
    sink_.report(DiagnosticKind::BadMatrix, at(matrix_).key_span,
                 "the matrix makes no job: " +
                     std::string(lists_.empty() ? "it has no parameters"
                                                : "`exclude` leaves out all combinations"));
    return false;
  }

  const Tree& tree_;
  NodeId matrix_;
  Sink& sink_;
  std::vector<NodeId> lists_;
  std::vector<Combination> all_;
};

class ReferenceCheck {
 public:
  ReferenceCheck(const Tree& tree, NodeId matrix, Sink& sink)
      : tree_(tree), matrix_(matrix), sink_(sink) {
    if (matrix != kNoNode) known_ = parameters_of(tree, matrix);
  }

  bool run() {
    const std::size_t errors = sink_.error_count();
    for (NodeId id : tree_.children(tree_.root())) {
      if (id != matrix_) walk(id);
    }
    for (const auto& [name, place] : known_) {
      if (used_.contains(name) || !is_parameter_name(name)) continue;
      sink_
          .report(DiagnosticKind::UnusedParameter, place,
                  "no value of the spec refers to parameter " + shown(name) +
                      ": its jobs would be the same")
          .note("refer to it by `${{ matrix." + std::string(name) + " }}`");
    }
    return sink_.error_count() == errors;
  }

 private:
  void walk(NodeId id) {
    const Node& node = tree_[id];
    each_hole(node.key, [&](const Hole& hole) {
      if (matrix_ == kNoNode && !hole.is_reference()) return;
      if (hole.is_reference()) used_.insert(hole.name());
      sink_.report(DiagnosticKind::BadHole, node.key_span,
                   "a key refers to the matrix; only values can");
    });
    if (node.kind == Kind::String) {
      each_hole(node.text, [&](const Hole& hole) { reference(node, hole); });
    }
    for (NodeId child : tree_.children(id)) walk(child);
  }

  void reference(const Node& node, const Hole& hole) {
    if (matrix_ == kNoNode) {
      if (!hole.is_reference()) return;  // somebody else's
      sink_
          .report(DiagnosticKind::UnknownParameter, node.span,
                  "`${{ " + std::string(hole.inside) + " }}` refers to a matrix, and there is none")
          .note("list the values of the parameter under `matrix`");
      return;
    }
    if (!hole.closed || !hole.is_reference()) {
      sink_
          .report(DiagnosticKind::BadHole, node.span,
                  hole.closed ? "`${{ " + std::string(hole.inside) + " }}` is no reference"
                              : "`${{` is not closed by `}}`")
          .note("expected `${{ matrix.NAME }}`; `$${{` stands for the text `${{`");
      return;
    }
    used_.insert(hole.name());
    const bool known =
        std::ranges::any_of(known_, [&](const auto& each) { return each.first == hole.name(); });
    if (known) return;
    Diagnostic& report = sink_.report(DiagnosticKind::UnknownParameter, node.span,
                                      "the matrix has no parameter " + shown(hole.name()));
    std::vector<std::string_view> names;
    for (const auto& each : known_) names.push_back(each.first);
    if (const auto near = suggest(hole.name(), names)) {
      report.note("did you mean `" + std::string(*near) + "`?");
      used_.insert(*near);
    } else if (!known_.empty()) {
      report.also(known_.front().second, "the parameters are named here");
    }
  }

  const Tree& tree_;
  NodeId matrix_;
  Sink& sink_;
  std::vector<std::pair<std::string_view, Span>> known_;
  std::set<std::string_view> used_;
};

/// The text of a value as names and labels can have it: a sign in words, and nothing for a plus.
std::string spelled(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool number = i + 1 < text.size() && (is_digit(text[i + 1]) || text[i + 1] == '.');
    if (i == 0 && text[i] == '-' && number) {
      result += "minus";
    } else if (text[i] != '+' || !number) {
      result += text[i];
    }
  }
  return result;
}

/// Lower-case letters, digits and single dashes, with no dash first or last.
std::string name_word(std::string_view text) {
  std::string result;
  for (char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (is_word(lower)) {
      result += lower;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  return result;
}

std::string label_value(std::string_view text) {
  std::string result = spelled(text);
  for (char& c : result) {
    if (!is_word(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  while (!result.empty() && !is_word(result.back())) result.pop_back();
  while (!result.empty() && !is_word(result.front())) result.erase(0, 1);
  if (result.size() <= kLongestLabel) return result;
  result.resize(kLongestLabel - kHashDigits - 1);
  return result + "-" + sha256_hex(text).substr(0, kHashDigits);
}

std::string name_ending(const Tree& tree, const Combination& combination) {
  std::string result;
  for (const ParameterValue& each : combination) {
    const std::string value = name_word(spelled(tree[each.value].text));
    const bool together = !value.empty() && is_digit(value.front());
    result += "-" + name_word(each.name) + (together || value.empty() ? "" : "-") + value;
  }
  return result;
}

std::string content_hash(const Tree& tree, const Combination& combination) {
  Sha256 hash;
  for (const ParameterValue& each : combination) {
    hash.update_field(each.name);
    hash.update_field(tree[each.value].text);
  }
  return hash.finish_hex().substr(0, kHashDigits);
}

/// Makes the document of one combination.
class Variant {
 public:
  Variant(const SchemaPack& pack, const Tree& from, const Combination& combination, Tree& to,
          SpecPlaces& places, Sink& sink)
      : pack_(pack),
        from_(from),
        combination_(combination),
        to_(to),
        places_(places),
        sink_(sink) {}

  bool make(SchemaId schema, std::string_view name_ending) {
    const std::size_t errors = sink_.error_count();
    const Node& root = from_[from_.root()];
    const NodeId made = shell(root);
    for (NodeId id : from_.children(from_.root())) {
      if (from_[id].key != "matrix") to_.append(made, copy(below(schema, from_[id]), id));
    }
    to_.set_root(made);
    for (const ParameterValue& each : combination_) {
      places_.add_parameter(from_[each.value].span, to_.intern(each.name));
    }
    mark(name_ending);
    return sink_.error_count() == errors;
  }

 private:
  NodeId shell(const Node& source) {
    const NodeId made = to_.add(source.kind, to_.intern(source.text));
    Node& node = to_[made];
    node.key = to_.intern(source.key);
    node.span = source.span;
    node.key_span = source.key_span;
    node.style = source.style;
    return made;
  }

  /// The schema of a value in what `schema` describes; kNoLimit when it says nothing.
  SchemaId below(SchemaId schema, const Node& value) const {
    if (schema == kNoLimit) return kNoLimit;
    if (value.key.empty() && pack_[schema].items != kNoLimit) return pack_[schema].items;
    return pack_.property(pack_[schema], value.key).value_or(pack_[schema].additional);
  }

  bool is_for_texts(SchemaId schema) const {
    return schema != kNoLimit && pack_[schema].types == kString &&
           (pack_[schema].flags & (kIntOrString | kQuantity)) == 0;
  }

  NodeId copy(SchemaId schema, NodeId id) {
    const Node source = from_[id];
    const NodeId made = shell(source);
    if (source.kind == Kind::String && source.text.find(kOpen) != std::string_view::npos) {
      fill(schema, source, made);
    }
    for (NodeId child : from_.children(id)) {
      const NodeId value = copy(below(schema, from_[child]), child);
      to_.append(made, value);
    }
    return made;
  }

  const ParameterValue* find(std::string_view name, Span where) {
    const auto found = std::ranges::find(combination_, name, &ParameterValue::name);
    if (found != combination_.end()) return &*found;
    std::string others;
    for (const ParameterValue& each : combination_) {
      others += (others.empty() ? "" : ", ") + std::string(each.name) + ": " +
                std::string(from_[each.value].text);
    }
    sink_.report(DiagnosticKind::UnknownParameter, where,
                 "parameter " + shown(name) + " has no value in the job of {" + others +
                     "}; expected one in each entry of `include`");
    return nullptr;
  }

  void fill(SchemaId schema, const Node& source, NodeId made) {
    const auto only = next_hole(source.text, 0);
    const bool whole = only && !only->escape && only->begin == 0 && only->end == source.text.size();
    if (whole) {
      const ParameterValue* parameter = find(only->name(), source.span);
      if (parameter == nullptr) return;
      const Node& value = from_[parameter->value];
      Node& node = to_[made];
      const bool as_text = is_for_texts(schema) && value.kind != Kind::String;
      node.kind = as_text ? Kind::String : value.kind;
      node.text = to_.intern(value.text);
      node.style = as_text ? Style::DoubleQuoted : value.style;
      node.span = value.span;
      places_.add({value.span, OriginKind::Spec, source.span});
      return;
    }
    std::string text;
    std::size_t done = 0;
    for (auto hole = next_hole(source.text, 0); hole; hole = next_hole(source.text, hole->end)) {
      text += source.text.substr(done, hole->begin - done);
      done = hole->end;
      if (hole->escape) {
        text += kOpen;
        continue;
      }
      const ParameterValue* parameter = find(hole->name(), source.span);
      if (parameter == nullptr) continue;
      const Node& value = from_[parameter->value];
      text += value.text;
      places_.add({source.span, OriginKind::Parameter, value.span, to_.intern(parameter->name)});
    }
    text += source.text.substr(done);
    to_[made].text = to_.intern(text);
    if (to_[made].style == Style::Plain) to_[made].style = Style::DoubleQuoted;
  }

  /// Name and labels by which the jobs are told apart.
  void mark(std::string_view name_ending) {
    const NodeId metadata = to_.find(to_.root(), "metadata");
    const NodeId name = to_.find(metadata, "name");
    if (name == kNoNode || to_[name].kind != Kind::String) return;  // which is refused later
    const std::string base(to_[name].text);
    if (!name_ending.empty()) {
      to_[name].text = to_.intern(base + std::string(name_ending));
      for (const ParameterValue& each : combination_) {
        places_.add(
            {to_[name].span, OriginKind::Parameter, from_[each.value].span, to_.intern(each.name)});
      }
    }
    NodeId labels = to_.find(metadata, "labels");
    if (labels == kNoNode || to_[labels].kind == Kind::Null) {
      if (labels != kNoNode) to_.remove(metadata, labels);
      labels = to_.add_map();
      to_[labels].span = to_[name].span;
      to_[labels].key_span = to_[name].key_span;
      to_.append(metadata, "labels", labels);
    }
    if (!to_[labels].is_map()) return;
    const NodeId matrix = from_.find(from_.root(), "matrix");
    if (!name_ending.empty()) label(labels, kLabelOfAll, base, from_[matrix].key_span);
    for (const ParameterValue& each : combination_) {
      const Node& value = from_[each.value];
      label(labels, std::string(kLabelPrefix) + std::string(each.name), value.text, value.span);
    }
  }

  void label(NodeId labels, std::string_view key, std::string_view value, Span place) {
    if (to_.find(labels, key) != kNoNode) return;  // the user's own
    const NodeId made = to_.add_string(to_.intern(label_value(value)));
    to_[made].span = place;
    to_[made].key_span = place;
    to_.append(labels, to_.intern(key), made);
  }

  const SchemaPack& pack_;
  const Tree& from_;
  const Combination& combination_;
  Tree& to_;
  SpecPlaces& places_;
  Sink& sink_;
};

}  // namespace

std::optional<std::vector<Combination>> combinations(const Tree& tree, NodeId matrix, Sink& sink) {
  return Combiner(tree, matrix, sink).all();
}

bool check_references(const Tree& tree, NodeId matrix, Sink& sink) {
  return ReferenceCheck(tree, matrix, sink).run();
}

bool may_refer_to_matrix(std::string_view text) {
  return text.find(kOpen) != std::string_view::npos;
}

std::vector<std::string> name_endings(const Tree& tree, const std::vector<Combination>& all) {
  const NodeId name = tree.find(tree.find(tree.root(), "metadata"), "name");
  const bool own = name != kNoNode && may_refer_to_matrix(tree[name].text);
  if (own) return std::vector<std::string>(all.size());
  std::vector<std::string> endings;
  std::map<std::string, std::size_t> times;
  for (const Combination& each : all) {
    endings.push_back(name_ending(tree, each));
    ++times[endings.back()];
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (times[endings[i]] > 1) endings[i] += "-" + content_hash(tree, all[i]);
  }
  return endings;
}

bool make_variant(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                  const Combination& combination, std::string_view name_ending, Tree& out,
                  SpecPlaces& places, Sink& sink) {
  out.clear();
  return Variant(pack, tree, combination, out, places, sink).make(schema, name_ending);
}

}  // namespace trainyard
