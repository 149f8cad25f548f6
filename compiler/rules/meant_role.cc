#include "rules/meant_role.h"

#include "diag/suggest.h"

namespace trainyard {

std::optional<std::string_view> meant_role(const Entry<RoleSpec>& role) {
  if (!names_program(role.key) || field_of_program(*role.value).known()) return std::nullopt;
  const std::string word = folded(role.key);
  if (word == "parameterserver" || word == "parameterservers") return "ps";
  return suggest(role.key, words(RoleKind{}));
}

}  // namespace trainyard
