#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A scalar as the formatter writes it: the first line, and for a text of several lines the others
/// without their indentation. Empty others stay empty.
struct ScalarText {
  std::string first;
  std::vector<std::string_view> more;
  bool block = false;  // literal or folded
};

/// The column at which the lines of a literal or folded scalar begin; npos when it has none.
std::size_t block_indentation(std::string_view source, std::size_t parent);

/// `source` is the scalar's text in the file, `parent` the column of the key or dash it belongs to.
/// In a flow collection a plain text must not hold brackets or commas.
ScalarText format_scalar(const Node& node, std::string_view source, std::size_t parent,
                         bool in_flow);

/// The key of a map entry.
std::string format_key(const Node& node, std::string_view source, bool in_flow);

}  // namespace trainyard
