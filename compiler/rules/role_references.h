#pragma once

#include <string_view>

#include "rules/rule_context.h"

namespace trainyard {

/// Writes what a program reads of another role, `$(roles.reward.address)`, as its value, wherever a
/// program or a variable can mention one.
class RoleReferences {
 public:
  explicit RoleReferences(RuleContext& context) : context_(context) {}

  void resolve(Run& run) const;
  void resolve(TextMap& variables) const;

 private:
  void resolve(Text& text) const;
  void resolve(TextList& words) const;
  std::string_view value(std::string_view reference, const Text& text) const;
  std::string_view value(const RoleInput& role, const RoleSpec& own, std::string_view field,
                         const Text& text) const;
  std::string_view port(const RoleSpec& own, std::string_view name, std::string_view role,
                        const Text& text) const;

  RuleContext& context_;
};

}  // namespace trainyard
