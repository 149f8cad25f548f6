#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::structure {

/// A function, or a lambda of a table, with its body.
struct Function {
  std::string name;  // with its class: `Walk::value`
  int line = 0;      // where its declaration begins
  int lines = 0;     // from there to the closing brace, without its constant tables
};

/// The functions of a source that clang-format has laid out, in the order in which they end. The
/// initialiser of a variable outside functions is none, however long it is.
std::vector<Function> functions_of(std::string_view source);

/// Lines as `wc -l` counts them.
int lines_of(std::string_view source);

}  // namespace trainyard::structure
