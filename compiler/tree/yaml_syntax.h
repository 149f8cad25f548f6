#pragma once

#include <cstddef>
#include <string>

#include "tree/yaml_text.h"

namespace trainyard {

/// Where a parser gave up, and what it had understood.
struct SyntaxBreak {
  std::size_t at = 0;        // where the parser stopped
  std::size_t last_end = 0;  // everything before this was understood
  std::size_t bracket;       // of the innermost flow collection known to be open; text size: none
  long column = -1;          // of the innermost collection known to be open; -1: none
};

struct SyntaxFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
  bool tab = false;  // the fault is a tab
};

/// Finds from the text itself what is wrong near the break, in words that do not depend on the
/// version of the parser.
SyntaxFault explain_syntax(const YamlText& text, const SyntaxBreak& where);

}  // namespace trainyard
