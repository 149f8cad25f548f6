#include "check/questions.h"

#include <algorithm>

namespace trainyard {
namespace {

constexpr std::size_t kMostMet = 64;
constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::uint32_t kRest = 0xfffffffe;
constexpr std::uint32_t kGroup = 0x80000000;  // and the number of the group

}  // namespace

void Askers::add(NodeId node, std::size_t asker) {
  std::uint32_t& row = rows_of_[node];
  if (row == kNoRow) {
    row = static_cast<std::uint32_t>(rows_.size() / words_);
    rows_.resize(rows_.size() + words_);
  }
  rows_[row * words_ + asker / 64] |= std::uint64_t{1} << asker % 64;
}

bool Questions::find_due(const Tree& tree, const NodeBits& different, Due& due) {
  if (number_ == 0 || tree.size() != kinds_.size()) return false;
  bool same_kinds = true;
  different.each([&](NodeId id) { same_kinds = same_kinds && tree[id].kind == kinds_[id]; });
  if (!same_kinds) return false;
  due = due_of(different);
  for (NodeId id : digits_) {
    if (!are_digits(tree[id].text)) askers_of_digits_.add_to(due, id);
  }
  return !has(due, rest());
}

const Questions::Due& Questions::due_of(const NodeBits& different) {
  const auto is_met = [&different](const Met& met) { return met.different == different; };
  const auto known = std::ranges::find_if(met_, is_met);
  if (known != met_.end()) return known->due;
  const bool is_full = met_.size() == kMostMet;
  Met& met = is_full ? met_[next_met_++ % kMostMet] : met_.emplace_back();
  met = {different, always_};
  different.each([&](NodeId id) { add_askers(id, met.due); });
  return met.due;
}

QuestionNotes::QuestionNotes(const Tree& tree, const Tree* same_for_all, Questions& questions)
    : tree_(tree),
      same_for_all_(same_for_all),
      questions_(questions),
      before_(view_witness),
      by_(kRest),
      last_by_(tree.size(), kNobody) {
  questions_.forget();
  view_witness = this;
}

QuestionNotes::~QuestionNotes() {
  view_witness = before_;
}

void QuestionNotes::begin_group(const Subject& subject) {
  by_ = kGroup | static_cast<std::uint32_t>(questions_.groups_.size());
  questions_.groups_.push_back({subject, questions_.checks_.size(), 0});
}

void QuestionNotes::end_group() {
  questions_.groups_.back().end = questions_.checks_.size();
  by_ = kRest;
}

void QuestionNotes::begin_question(const Check& check) {
  by_ = static_cast<std::uint32_t>(questions_.checks_.size());
  questions_.checks_.push_back(&check);
}

void QuestionNotes::end_question(bool again) {
  if (again) again_.push_back(by_);
  by_ = kGroup | static_cast<std::uint32_t>(questions_.groups_.size() - 1);
}

void QuestionNotes::looked_at(const Tree& tree, NodeId id) {
  if (&tree != &tree_) return looked_at_all(tree);
  if (last_by_[id] == by_ || !tree[id].is_scalar()) return;
  last_by_[id] = by_;
  looks_.push_back({id, by_, false});
}

void QuestionNotes::looked_at_digits(const Tree& tree, NodeId id) {
  if (&tree != &tree_) return looked_at_all(tree);
  if (last_by_[id] == by_) return;
  looks_.push_back({id, by_, true});
}

void QuestionNotes::looked_at_all(const Tree& tree) {
  if (&tree == same_for_all_) return;
  if (again_.empty() || again_.back() != by_) again_.push_back(by_);
}

std::size_t QuestionNotes::bit_of(std::uint32_t by) const {
  if (by == kRest) return questions_.rest();
  return (by & kGroup) != 0 ? questions_.checks_.size() + (by & ~kGroup) : by;
}

void QuestionNotes::finish(const KindChecks& checks, bool all_told) {
  Questions& to = questions_;
  if (!all_told) return to.forget();
  to.words_ = (to.rest() + 1 + 63) / 64;
  to.always_.assign(to.words_, 0);
  for (std::uint32_t by : again_) {
    const std::size_t bit = bit_of(by);
    to.always_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  to.askers_ = Askers(tree_.size(), to.words_);
  to.askers_of_digits_ = Askers(tree_.size(), to.words_);
  NodeBits digits(tree_.size());
  for (const Look& look : looks_) {
    (look.at_digits ? to.askers_of_digits_ : to.askers_).add(look.node, bit_of(look.by));
    if (look.at_digits) digits.add(look.node);
  }
  digits.each([&to](NodeId id) { to.digits_.push_back(id); });
  to.kinds_.reserve(tree_.size());
  for (NodeId id = 0; id < tree_.size(); ++id) to.kinds_.push_back(tree_[id].kind);
  to.number_ = checks.number;
}

}  // namespace trainyard
