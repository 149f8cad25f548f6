#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cel/program.h"
#include "cel/types.h"
#include "policy/policy_checks.h"
#include "policy/schema_types.h"
#include "schema/sources.h"

namespace trainyard {

/// What cannot be, by the schemas of what a check looks at.
struct PolicyTypeFault {
  std::string message;
  std::string meant;  // the name that is probably meant; may be empty
};

/// The types of the variables of one expression, for each kind that it is asked of.
class PolicyTyping {
 public:
  std::optional<PolicyTypeFault> fault_in(const cel::Program& program) const;

 private:
  friend class PolicyTypes;
  struct Case {
    cel::Types* types;
    std::vector<cel::TypeRef> variables;
  };
  std::vector<Case> cases_;
};

/// What the schemas say of what a check looks at.
class PolicyTypes {
 public:
  /// Kinds that no schema describes may hold anything.
  PolicyTypes(const PolicyCheck& check, SchemaSources schemas);

  /// For an expression of `let`.
  PolicyTyping without_value();
  /// For an expression of a rule, whose values are at these paths.
  PolicyTyping of_values(std::span<const PolicyPart> paths);
  /// A field in a path that the schemas of all kinds lack.
  std::optional<PolicyTypeFault> fault_in(const PolicyPart& part) const;

 private:
  /// A schema of what the check looks at.
  struct Subject {
    const SchemaPack* pack;
    std::string_view kind;
    SchemaId schema;  // of the pod template, the spec of a Job, or the object
    cel::Types types;
    std::optional<SchemaTypes> of_schemas;
  };
  void add_typing(const PolicyPart* part, PolicyTyping& to);
  void add(const SchemaSource& source, const SchemaKind* kind);

  const PolicyCheck& check_;
  std::deque<Subject> subjects_;
};

}  // namespace trainyard
