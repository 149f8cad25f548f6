#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/check_context.h"
#include "check/quiet_answers.h"
#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

struct Check;
struct JobPlace;
struct KindChecks;
struct PodPlace;

/// For the nodes of a tree, sets of those who look at each.
class Askers {
 public:
  Askers() = default;
  /// So many nodes, and so many words in a set.
  Askers(std::size_t nodes, std::size_t words) : words_(words), rows_of_(nodes, kNoRow) {}

  void add(NodeId node, std::size_t asker);
  /// Adds those of a node to `all`.
  void add_to(std::vector<std::uint64_t>& all, NodeId node) const {
    const std::uint32_t row = rows_of_[node];
    if (row == kNoRow) return;
    const std::uint64_t* words = &rows_[row * words_];
    for (std::size_t i = 0; i < words_; ++i) all[i] |= words[i];
  }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffff;

  std::size_t words_ = 0;
  std::vector<std::uint32_t> rows_of_;  // by node
  std::vector<std::uint64_t> rows_;
};

/// What checks are asked about: a pod, a Job, pods that work together, or the whole object.
struct Subject {
  enum class Sort : std::uint8_t { Pod, Job, Workload, Object };

  Sort sort = Sort::Object;
  NodeId node = kNoNode;  // of the pod's holder or the Job's spec
  const PodPlace* pod_place = nullptr;
  const JobPlace* job_place = nullptr;
};

/// The questions that checks were asked about one object, and at which texts each looked to answer.
///
/// An answer of "nothing to say" depends on what the check looked at, which all goes through views,
/// and on what is the same for all objects of a run. So of another object that has the same nodes
/// with other texts of scalars, a question whose scalars have the same texts has the same answer.
/// A question with something to say is asked again always.
class Questions {
 public:
  struct Group {
    Subject subject;
    std::size_t begin = 0;  // of its questions
    std::size_t end = 0;
  };
  /// Questions to be asked again, a bit for each.
  using Due = std::vector<std::uint64_t>;

  void forget() { *this = {}; }

  /// Fills `due` for an object of which `different` are the scalars with other texts; what these
  /// are in may be in it too. False when nothing is known of it.
  bool find_due(const Tree& tree, const NodeBits& different, Due& due);
  /// Adds those that look at this scalar.
  void add_askers(NodeId scalar, Due& due) const { askers_.add_to(due, scalar); }
  Due none_due() const { return Due(words_); }

  /// That of the checks of which they are.
  std::uint64_t number() const { return number_; }
  const std::vector<Group>& groups() const { return groups_; }
  const Check& check(std::size_t question) const { return *checks_[question]; }
  /// Whether which questions there are, in this group, may be another.
  bool is_open(const Due& due, std::size_t group) const { return has(due, checks_.size() + group); }
  /// Calls `found` with each question of a group that is due.
  template <class Found>
  void each_due(const Due& due, const Group& group, Found found) const {
    for (std::size_t at = group.begin; at < group.end;) {
      const std::uint64_t bits = due[at / 64] >> at % 64;
      if (bits == 0) {
        at = (at / 64 + 1) * 64;
        continue;
      }
      at += static_cast<std::size_t>(std::countr_zero(bits));
      if (at < group.end) found(at);
      ++at;
    }
  }
  bool any_due(const Due& due, const Group& group) const {
    bool any = false;
    each_due(due, group, [&any](std::size_t) { any = true; });
    return any;
  }

 private:
  friend class QuestionNotes;

  const Due& due_of(const NodeBits& different);
  static bool has(const Due& due, std::size_t bit) { return (due[bit / 64] >> bit % 64 & 1) != 0; }
  /// Of what is asked before and between groups.
  std::size_t rest() const { return checks_.size() + groups_.size(); }

  std::uint64_t number_ = 0;          // 0 for no object yet
  std::vector<const Check*> checks_;  // by question
  std::vector<Group> groups_;
  std::vector<Kind> kinds_;     // by node
  std::size_t words_ = 0;       // in a Due
  Askers askers_;               // which questions, groups and rest looked at a node
  Askers askers_of_digits_;     // that only saw that it is digits
  std::vector<NodeId> digits_;  // which they looked at
  Due always_;                  // what is asked again whatever differs
  // Object after object differs at the same places, or at one of a few sets of them.
  struct Met {
    NodeBits different;
    Due due;
  };
  std::vector<Met> met_;
  std::size_t next_met_ = 0;  // that makes room
};

/// Notes them while they are asked for the first time: the witness of views as long as it lives.
class QuestionNotes final : public ViewWitness {
 public:
  /// `same_for_all` is a tree that is the same for all objects; null for none.
  QuestionNotes(const Tree& tree, const Tree* same_for_all, Questions& questions);
  ~QuestionNotes();
  QuestionNotes(const QuestionNotes&) = delete;
  QuestionNotes& operator=(const QuestionNotes&) = delete;

  void begin_group(const Subject& subject);
  void end_group();
  void begin_question(const Check& check);
  /// `again` when it is to be asked of every object.
  void end_question(bool again);
  /// When all of `checks` have been asked. `all_told` when only they had something to say.
  void finish(const KindChecks& checks, bool all_told);

  void looked_at(const Tree& tree, NodeId id) override;
  void looked_at_digits(const Tree& tree, NodeId id) override;
  void looked_at_all(const Tree& tree) override;

 private:
  struct Look {
    NodeId node;
    std::uint32_t by;
    bool at_digits;
  };

  std::size_t bit_of(std::uint32_t by) const;

  const Tree& tree_;
  const Tree* same_for_all_;
  Questions& questions_;
  ViewWitness* before_;
  std::uint32_t by_;  // who looks: the number of a question, or a group or the rest
  std::vector<std::uint32_t> last_by_;  // by node
  std::vector<Look> looks_;
  std::vector<std::uint32_t> again_;  // who has to look again whatever differs
};

/// How checks are asked: all of them; all, to note what they look at; or those that are due.
struct Asked {
  Questions* note = nullptr;
  const Questions* known = nullptr;
  Questions::Due* due = nullptr;        // without those that `quiet` answers, once asked
  QuietAnswers* quiet = nullptr;        // to those that were due so far
  const NodeBits* different = nullptr;  // by which those are due
};

/// As run_checks. With notes, the object has to be without fault by its schema; with what is due,
/// it has to be of the form of the one of which it was noted, in the same surroundings.
void run_checks(View root, std::string name, std::vector<NodeId> flagged, const Asked& asked,
                CheckContext& context);

/// The same for run_checks_alone, of a new object.
std::vector<const Check*> run_checks_alone(View root, const Surroundings& surroundings,
                                           const Asked& asked, Sink& sink);

}  // namespace trainyard
