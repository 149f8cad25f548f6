#include "operators/durations.h"

#include <string>

#include "diag/words.h"
#include "manifest/go_text.h"
#include "tree/typed_fields.h"

namespace trainyard {

void check_duration(View at, CheckContext& context) {
  if (!at || at.kind() != Kind::String || go_duration(at->text)) return;
  const std::string_view text = at->text;
  const bool has_no_unit = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  context.refuse(at, shown(text) + (has_no_unit ? " has no unit" : " is no duration") +
                         "; expected for instance " +
                         (has_no_unit ? shown(std::string(text) + "s") : "`1h30m`"));
}

}  // namespace trainyard
