#include "spec/matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "source/characters.h"
#include "spec/matrix_holes.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestParameter = 40;

bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// A name that is good for a label as well.
bool is_parameter_name(std::string_view name) {
  const bool ends = !name.empty() && is_letter(name.front()) && is_word(name.back());
  return ends && name.size() <= kLongestParameter &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '_' || c == '-'; });
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
      if (strange_ > 0) {  // which is the reference that is missing
        --strange_;
        continue;
      }
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
    each_hole(node.key, [&](const MatrixHole& hole) {
      if (matrix_ == kNoNode && !hole.is_reference()) return;
      if (hole.is_reference()) used_.insert(hole.name());
      sink_.report(DiagnosticKind::BadHole, node.key_span,
                   "a key refers to the matrix; only values can");
    });
    if (node.kind == Kind::String) {
      each_hole(node.text, [&](const MatrixHole& hole) { reference(node, hole); });
      if (matrix_ != kNoNode) check_braces(node);
    }
    for (NodeId child : tree_.children(id)) walk(child);
  }

  /// `{{ matrix.lr }}`, `${matrix.lr}` and `$(matrix.lr)` would stay as they are written.
  void check_braces(const Node& node) {
    constexpr std::string_view kStart = "matrix.";
    const std::string_view text = node.text;
    for (std::size_t at = text.find(kStart); at != text.npos; at = text.find(kStart, at + 1)) {
      const std::size_t last = at == 0 ? text.npos : text.find_last_not_of(' ', at - 1);
      if (last == text.npos || last == 0) continue;
      const std::string_view mark = text.substr(last - 1, 2);
      const bool is_whole = last > 1 && mark == "{{" && text[last - 2] == '$';
      if (is_whole || (mark != "{{" && mark != "${" && mark != "$(")) continue;
      const std::string_view rest = text.substr(at + kStart.size());
      const auto has = [&](const auto& each) { return rest.starts_with(each.first); };
      const auto meant = std::ranges::find_if(known_, has);
      if (meant == known_.end()) continue;
      used_.insert(meant->first);
      sink_
          .report(DiagnosticKind::BadHole, node.span,
                  shown(std::string(mark) + " matrix.") + " begins no reference: it stays as it is")
          .note("expected `${{ matrix.NAME }}`");
      return;
    }
  }

  void reference(const Node& node, const MatrixHole& hole) {
    if (matrix_ == kNoNode) {
      if (!hole.is_reference()) return;  // not a reference of ours
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
      ++strange_;
    }
  }

  const Tree& tree_;
  NodeId matrix_;
  Sink& sink_;
  std::vector<std::pair<std::string_view, Span>> known_;
  std::set<std::string_view> used_;
  std::size_t strange_ = 0;  // references to what is nearly no parameter
};

}  // namespace

std::optional<std::vector<Combination>> combinations(const Tree& tree, NodeId matrix, Sink& sink) {
  return Combiner(tree, matrix, sink).all();
}

bool check_references(const Tree& tree, NodeId matrix, Sink& sink) {
  return ReferenceCheck(tree, matrix, sink).run();
}

bool may_refer_to_matrix(std::string_view text) {
  return text.find(kMatrixOpen) != std::string_view::npos;
}

}  // namespace trainyard
