#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

class Questions;

/// Scalars of one tree, each once, in the order in which somebody came to them.
struct Looks {
  std::vector<NodeId> nodes;
  std::vector<NodeId> digits;  // of which it was seen that they are digits, at least
  NodeBits seen;
};

/// Of questions that are asked again and again of objects of one form: with which texts there was
/// nothing to say. A fleet has few numbers of nodes and of GPUs, and few images. Bounded; a
/// question that looks at what is new in each object is left alone.
class QuietAnswers {
 public:
  /// A set of questions, a bit for each.
  using Set = std::vector<std::uint64_t>;

  /// The next object. `different` are its scalars with other texts than the form's first object
  /// has, with the nodes that these are in. Takes those questions out of `due` that had nothing to
  /// say of an object with the same texts wherever they looked.
  void begin(const Questions& questions, const Tree& tree, const NodeBits& different, Set& due);
  /// Whether another answer may be of use.
  bool wants(std::size_t question) const;
  /// There was nothing to say, after a look at these scalars.
  void add(std::size_t question, const Tree& tree, const Looks& looks);
  /// Room for what is noted next, which is in use until then.
  Looks& looks() { return looks_; }

 private:
  struct Answer {
    std::vector<std::string> texts;  // of the nodes of its Watch
    Set quiet;                       // who had nothing to say
  };
  /// What some questions look at of that in which objects differ.
  struct Watch {
    std::vector<NodeId> nodes;
    std::vector<NodeId> digits;  // that may be any number
    NodeBits same;               // looked at as well, where no object has differed yet
    std::vector<Answer> answers;
    std::size_t last = 0;  // that helped

    Answer* find(const Tree& tree);
  };

  void learn(const Questions& questions, const Tree& tree, const NodeBits& different);
  /// For those who look so; null when there is no room.
  Watch* watch_of(const Looks& looks, std::size_t tree_size);
  void forget_those_without_help();
  /// Objects differ in more than was thought.
  void vary(const NodeBits& different);

  std::vector<Watch> watches_;
  NodeBits varying_;                 // in which objects differ
  std::vector<std::uint8_t> given_;  // answers, by question
  Set helped_;                       // questions of which one did
  // While it is found out which texts come again:
  std::size_t objects_ = 0;
  std::unordered_set<std::size_t> texts_;  // what was there, and where
  Set hopeless_;                           // questions that look at a new text
  Looks looks_;
};

/// Notes at which scalars of a tree somebody looks, as the witness of views as long as it lives.
class LookNotes final : public ViewWitness {
 public:
  /// Notes them in `looks`. `same_for_all` is a tree that is the same for all objects; null for
  /// none.
  LookNotes(const Tree& tree, const Tree* same_for_all, Looks& looks);
  ~LookNotes();
  LookNotes(const LookNotes&) = delete;
  LookNotes& operator=(const LookNotes&) = delete;

  /// False when somebody looked at what is not noted.
  bool are_complete() const { return complete_; }

  void looked_at(const Tree& tree, NodeId id) override;
  void looked_at_digits(const Tree& tree, NodeId id) override;
  void looked_at_all(const Tree& tree) override;

 private:
  const Tree& tree_;
  const Tree* same_for_all_;
  ViewWitness* before_;
  Looks& looks_;
  bool complete_ = true;
};

}  // namespace trainyard
