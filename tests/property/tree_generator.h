#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Makes random trees, the same for the same seed on every machine, whose texts are those that
/// YAML writers get wrong.
class TreeGenerator {
 public:
  explicit TreeGenerator(std::uint64_t seed) : state_(seed) {}

  /// A document whose root is a map or a list, or now and then a scalar.
  Tree document();
  std::string text();

 private:
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <class Choices>
  std::string_view pick(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

  NodeId node(Tree& tree, int depth);
  NodeId scalar(Tree& tree);
  NodeId collection(Tree& tree, int depth);
  std::string fragments(std::uint64_t count);
  std::string lines();
  std::string code_points();
  std::string key();

  std::uint64_t state_;
};

}  // namespace trainyard
