#include "check/questions.h"

namespace trainyard {
namespace {

constexpr std::uint32_t kNoRow = 0xffffffff;
constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::uint32_t kRest = 0xfffffffe;
constexpr std::uint32_t kGroup = 0x80000000;  // and the number of the group

}  // namespace

bool Questions::find_due(const Tree& tree, const NodeBits& different, Due& due) {
  if (number_ == 0 || tree.size() != kinds_.size()) return false;
  bool same_kinds = true;
  different.each([&](NodeId id) { same_kinds = same_kinds && tree[id].kind == kinds_[id]; });
  if (!same_kinds) return false;
  if (different != last_different_) {
    last_different_ = different;
    last_due_ = always_;
    different.each([&](NodeId id) { add_askers(id, last_due_); });
  }
  due = last_due_;
  return !has(due, rest());
}

void Questions::add_askers(NodeId scalar, Due& due) const {
  const std::uint32_t row = rows_of_[scalar];
  if (row == kNoRow) return;
  const std::uint64_t* words = &rows_[row * words_];
  for (std::size_t i = 0; i < words_; ++i) due[i] |= words[i];
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
  looks_.push_back({id, by_});
}

void QuestionNotes::looked_at_all(const Tree& tree) {
  if (&tree == same_for_all_) return;
  if (again_.empty() || again_.back() != by_) again_.push_back(by_);
}

void QuestionNotes::finish(const KindChecks& checks, bool all_told) {
  Questions& to = questions_;
  if (!all_told) return to.forget();
  const std::size_t bits = to.rest() + 1;
  const auto bit_of = [&to](std::uint32_t by) -> std::size_t {
    if (by == kRest) return to.rest();
    return (by & kGroup) != 0 ? to.checks_.size() + (by & ~kGroup) : by;
  };
  const auto set = [](std::uint64_t* words, std::size_t bit) {
    words[bit / 64] |= std::uint64_t{1} << bit % 64;
  };
  to.words_ = (bits + 63) / 64;
  to.always_.assign(to.words_, 0);
  for (std::uint32_t by : again_) set(to.always_.data(), bit_of(by));
  to.rows_of_.assign(tree_.size(), kNoRow);
  for (const Look& look : looks_) {
    std::uint32_t& row = to.rows_of_[look.node];
    if (row == kNoRow) {
      row = static_cast<std::uint32_t>(to.rows_.size() / to.words_);
      to.rows_.resize(to.rows_.size() + to.words_);
    }
    set(&to.rows_[row * to.words_], bit_of(look.by));
  }
  to.kinds_.reserve(tree_.size());
  for (NodeId id = 0; id < tree_.size(); ++id) to.kinds_.push_back(tree_[id].kind);
  to.number_ = checks.number;
}

}  // namespace trainyard
