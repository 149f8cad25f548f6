#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What no Python reads, and where.
struct PythonFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string what;  // a sentence without a full stop
};

/// A word of a program: a name, a text with its quotes, or one sign.
struct PythonToken {
  std::string_view text;
  std::size_t begin = 0;

  bool is_name() const;
  /// Without quotes; "" for what is no plain text in one line.
  std::string_view literal() const;
};

/// A program of Python, as far as its words go; comments are left out.
struct PythonText {
  std::vector<PythonToken> tokens;
  std::optional<PythonFault> fault;  // brackets and quotes that are not closed
};

PythonText read_python(std::string_view text);

}  // namespace trainyard
