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
  NodeBits seen;
};

/// Of questions that are asked again and again of objects of one form: with which texts there was
/// nothing to say. A fleet has few numbers of nodes and of GPUs, and few images. Bounded; a
/// question that looks at what is new in each object is left alone.
class QuietAnswers {
 public:
  /// The next object. `different` are its scalars with other texts than the form's first object
  /// has, with the nodes that these are in.
  void begin(const Questions& questions, const Tree& tree, const NodeBits& different);
  /// Whether the question had nothing to say of an object that has the same texts wherever it
  /// looked.
  bool has(std::size_t question, const Tree& tree, const NodeBits& different);
  /// Whether another answer may be of use.
  bool wants(std::size_t question) const;
  /// There was nothing to say, after a look at these scalars.
  void add(std::size_t question, const Tree& tree, const NodeBits& different, const Looks& looks);
  /// Room for what is noted next, which is in use until then.
  Looks& looks() { return looks_; }

 private:
  struct Text {
    NodeId node;
    std::string text;
  };
  struct Answer {
    NodeBits as_first;         // where it looked and the form's first object has the same text
    std::vector<Text> others;  // where it looked besides

    bool holds(const Tree& tree, const NodeBits& different) const;
  };
  struct Answers {
    std::vector<Answer> known;
    std::size_t last = 0;  // that helped
    bool helped = false;   // one of them did
  };

  std::vector<Answers> of_;  // by question
  // While it is found out which texts come again:
  std::size_t objects_ = 0;
  std::unordered_set<std::size_t> texts_;  // what was there, and where
  std::vector<std::uint64_t> hopeless_;    // questions that look at a new text, a bit for each
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
  void looked_at_all(const Tree& tree) override;

 private:
  const Tree& tree_;
  const Tree* same_for_all_;
  ViewWitness* before_;
  Looks& looks_;
  bool complete_ = true;
};

}  // namespace trainyard
