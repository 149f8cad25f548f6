#include "check/quiet_answers.h"

#include <functional>
#include <string_view>

#include "check/questions.h"
#include "source/same_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostAnswers = 24;
/// To note costs more than to ask: a small fleet is not worth it.
constexpr std::size_t kFirst = 40;
/// Which texts come again is found out from so many objects before the first one on,
constexpr std::size_t kBefore = 16;
/// up to this one.
constexpr std::size_t kLast = 96;
/// So many answers without one that helped, and the question is left alone.
constexpr std::size_t kTries = 4;

}  // namespace

void QuietAnswers::begin(const Questions& questions, const Tree& tree, const NodeBits& different) {
  if (objects_ > kLast) return;
  if (++objects_ > kLast) return texts_.clear();
  if (objects_ + kBefore < kFirst) return;
  hopeless_ = questions.none_due();
  different.each([&](NodeId id) {
    if (!tree[id].is_scalar()) return;
    const std::size_t hash = std::hash<std::string_view>()(tree[id].text);
    const bool is_new = texts_.insert(hash ^ id * 0x9e3779b97f4a7c15U).second;
    if (is_new) questions.add_askers(id, hopeless_);
  });
}

bool QuietAnswers::has(std::size_t question, const Tree& tree, const NodeBits& different) {
  if (question >= of_.size()) return false;
  Answers& answers = of_[question];
  if (!answers.helped && objects_ > kLast) return false;
  const std::size_t count = answers.known.size();
  for (std::size_t i = 0, at = answers.last; i < count; ++i, at = at + 1 < count ? at + 1 : 0) {
    if (!answers.known[at].holds(tree, different)) continue;
    answers.last = at;
    answers.helped = true;
    return true;
  }
  return false;
}

bool QuietAnswers::Answer::holds(const Tree& tree, const NodeBits& different) const {
  for (const Text& each : others) {
    if (!same_text(tree[each.node].text, each.text)) return false;
  }
  return !as_first.meets(different);
}

bool QuietAnswers::wants(std::size_t question) const {
  if (question < of_.size()) {
    const Answers& answers = of_[question];
    if (answers.helped) return answers.known.size() < kMostAnswers;
    if (answers.known.size() == kTries) return false;
  }
  return objects_ >= kFirst && objects_ <= kLast &&
         (hopeless_[question / 64] >> question % 64 & 1) == 0;
}

void QuietAnswers::add(std::size_t question, const Tree& tree, const NodeBits& different,
                       const Looks& looks) {
  if (question >= of_.size()) of_.resize(question + 1);
  Answer& answer = of_[question].known.emplace_back(Answer{NodeBits(tree.size()), {}});
  for (NodeId id : looks.nodes) {
    if (different.has(id)) {
      answer.others.push_back({id, std::string(tree[id].text)});
    } else {
      answer.as_first.add(id);
    }
  }
}

LookNotes::LookNotes(const Tree& tree, const Tree* same_for_all, Looks& looks)
    : tree_(tree), same_for_all_(same_for_all), before_(view_witness), looks_(looks) {
  looks_.nodes.clear();
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

void LookNotes::looked_at_all(const Tree& tree) {
  if (&tree != same_for_all_) complete_ = false;
}

}  // namespace trainyard
