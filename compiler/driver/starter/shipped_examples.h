#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// An example of examples/, which the program has in it.
struct ShippedExample {
  std::string_view name;     // of its folder
  std::string_view spec;     // the text
  std::string_view cluster;  // the text of the one that its comment names; "" for none
  std::string_view about;    // its first comment
  std::string framework;     // what it says, or the default
  std::string target;        // "" where it says none
  std::int64_t nodes = 1;
};

/// By name.
const std::vector<ShippedExample>& shipped_examples();
/// Null for none.
const ShippedExample* find_example(std::string_view name);

}  // namespace trainyard
