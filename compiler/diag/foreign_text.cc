#include "diag/foreign_text.h"

#include "diag/glyph.h"
#include "diag/secrets.h"

namespace trainyard {

std::string foreign_text(std::string_view text) {
  return printable(without_secrets(text));
}

std::string foreign_lines(std::string_view text) {
  return printable_lines(without_secrets(text));
}

}  // namespace trainyard
