#include "check/quiet_answers.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "check/questions.h"
#include "source/text_equal.h"

namespace trainyard {
namespace {

/// Of one question.
constexpr std::uint8_t kMostAnswers = 24;
constexpr std::size_t kMostWatches = 64;
/// To note costs more than to ask: a small fleet is not worth it.
constexpr std::size_t kFirst = 40;
/// Which texts come again is found out from so many objects before the first one on,
constexpr std::size_t kBefore = 16;
/// up to this one.
constexpr std::size_t kLast = 96;
/// So many answers without one that helped, and the question is left alone.
constexpr std::uint8_t kTries = 4;

bool has(const QuietAnswers::Set& set, std::size_t question) {
  return (set[question / 64] >> question % 64 & 1) != 0;
}

void keep_only(QuietAnswers::Set& set, const QuietAnswers::Set& others) {
  for (std::size_t i = 0; i < set.size(); ++i) set[i] &= others[i];
}

bool is_none(const QuietAnswers::Set& set) {
  return std::ranges::all_of(set, [](std::uint64_t bits) { return bits == 0; });
}

}  // namespace

void QuietAnswers::begin(const Questions& questions, const Tree& tree, const NodeBits& different,
                         Set& due) {
  if (objects_ <= kLast) learn(questions, tree, different);
  if (different.has_more_than(varying_)) vary(different);
  for (Watch& watch : watches_) {
    const Answer* const known = watch.find(tree);
    if (known == nullptr) continue;
    for (std::size_t i = 0; i < known->quiet.size(); ++i) {
      helped_[i] |= due[i] & known->quiet[i];
      due[i] &= ~known->quiet[i];
    }
  }
}

void QuietAnswers::learn(const Questions& questions, const Tree& tree, const NodeBits& different) {
  if (++objects_ > kLast) {
    texts_.clear();
    return forget_those_without_help();
  }
  if (objects_ == 1) varying_.clear(tree.size());
  if (objects_ + kBefore < kFirst) return;
  hopeless_ = questions.none_due();
  helped_.resize(hopeless_.size());
  different.each([&](NodeId id) {
    if (!tree[id].is_scalar()) return;
    const std::size_t hash = std::hash<std::string_view>()(tree[id].text);
    const bool is_new = texts_.insert(hash ^ id * 0x9e3779b97f4a7c15U).second;
    if (is_new) questions.add_askers(id, hopeless_);
  });
}

void QuietAnswers::vary(const NodeBits& different) {
  varying_.add_all(different);
  std::erase_if(watches_, [&](const Watch& watch) { return watch.same.meets(different); });
}

void QuietAnswers::forget_those_without_help() {
  for (Watch& watch : watches_) {
    for (Answer& answer : watch.answers) keep_only(answer.quiet, helped_);
    std::erase_if(watch.answers, [](const Answer& answer) { return is_none(answer.quiet); });
    watch.last = 0;
  }
  std::erase_if(watches_, [](const Watch& watch) { return watch.answers.empty(); });
}

QuietAnswers::Answer* QuietAnswers::Watch::find(const Tree& tree) {
  for (NodeId each : digits) {
    if (!are_digits(tree[each].text)) return nullptr;
  }
  const std::size_t count = answers.size();
  for (std::size_t i = 0, at = last; i < count; ++i, at = at + 1 < count ? at + 1 : 0) {
    bool is_same = true;
    for (std::size_t n = 0; is_same && n < nodes.size(); ++n) {
      is_same = same_text(tree[nodes[n]].text, answers[at].texts[n]);
    }
    if (!is_same) continue;
    last = at;
    return &answers[at];
  }
  return nullptr;
}

bool QuietAnswers::wants(std::size_t question) const {
  if (objects_ < kFirst) return false;
  const std::uint8_t given = question < given_.size() ? given_[question] : 0;
  if (has(helped_, question)) return given < kMostAnswers;
  return given < kTries && objects_ <= kLast && !has(hopeless_, question);
}

QuietAnswers::Watch* QuietAnswers::watch_of(const Looks& looks, std::size_t tree_size) {
  Watch wanted{{}, looks.digits, NodeBits(tree_size), {}};
  for (NodeId id : looks.nodes) {
    if (varying_.has(id)) {
      wanted.nodes.push_back(id);
    } else {
      wanted.same.add(id);
    }
  }
  std::ranges::sort(wanted.nodes);
  std::ranges::sort(wanted.digits);
  for (Watch& each : watches_) {
    if (each.nodes != wanted.nodes || each.digits != wanted.digits) continue;
    each.same.add_all(wanted.same);
    return &each;
  }
  if (watches_.size() == kMostWatches) return nullptr;
  return &watches_.emplace_back(std::move(wanted));
}

void QuietAnswers::add(std::size_t question, const Tree& tree, const Looks& looks) {
  if (question >= given_.size()) given_.resize(question + 1);
  ++given_[question];
  Watch* const watch = watch_of(looks, tree.size());
  if (watch == nullptr) return;
  Answer* answer = watch->find(tree);
  if (answer == nullptr) {
    answer = &watch->answers.emplace_back();
    for (NodeId id : watch->nodes) answer->texts.emplace_back(tree[id].text);
    answer->quiet.resize(helped_.size());
  }
  answer->quiet[question / 64] |= std::uint64_t{1} << question % 64;
}

LookNotes::LookNotes(const Tree& tree, const Tree* same_for_all, Looks& looks)
    : tree_(tree), same_for_all_(same_for_all), before_(view_witness), looks_(looks) {
  looks_.nodes.clear();
  looks_.digits.clear();
  looks_.seen.clear(tree.size());
  view_witness = this;
}

LookNotes::~LookNotes() {
  view_witness = before_;
}

void LookNotes::looked_at(const Tree& tree, NodeId id) {
  if (&tree != &tree_) return looked_at_all(tree);
  if (looks_.seen.has(id) || !tree[id].is_scalar()) return;
  looks_.seen.add(id);
  looks_.nodes.push_back(id);
}

void LookNotes::looked_at_digits(const Tree& tree, NodeId id) {
  if (&tree != &tree_) return looked_at_all(tree);
  if (std::ranges::find(looks_.digits, id) == looks_.digits.end()) looks_.digits.push_back(id);
}

void LookNotes::looked_at_all(const Tree& tree) {
  if (&tree != same_for_all_) complete_ = false;
}

}  // namespace trainyard
