#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// What is known of one thing that has a name, for people and for programs.
struct Page {
  struct Fact {
    std::string label;
    std::string text;
  };
  /// A way to use it, with facts of its own: a profile of a fabric.
  struct Part {
    std::string sort;
    std::string name;
    std::vector<Fact> facts;
  };
  /// A field, or one value of it, that a target cannot carry.
  struct Limit {
    std::string phrase;
    std::string because;
    bool planned = false;  // not written yet
  };

  std::string sort = {};  // `rule`; empty for a page about nothing
  std::string name = {};
  std::string sentence = {};
  std::string text = {};  // for people, in place of the lines below; "" to use these
  std::vector<Fact> facts = {};
  std::vector<Limit> limits = {};
  std::vector<Part> parts = {};

  bool empty() const { return sort.empty(); }
};

/// In lines of a readable width.
std::string page_text(const Page& page);
/// As docs/explain.md describes it.
NodeId add_page(Tree& tree, const Page& page);

}  // namespace trainyard
