#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/evaluation_context.h"
#include "cel/program.h"
#include "check/check.h"
#include "policy/policy_path.h"
#include "policy/policy_walk.h"
#include "policy/simple_test.h"
#include "policy/value_formats.h"
#include "schema/sources.h"
#include "tree/tree.h"

namespace trainyard {

/// The variables of expressions, in their order; names of `let` come after them.
enum PolicyVariable : std::size_t {
  kPolicySelf,
  kPolicyKey,
  kPolicyObject,
  kPolicyOld,
  kPolicyPod,
  kPolicyContainer,
  kPolicyRole,
  kPolicyJob,
  kPolicyPart,
  kPolicyFault,
  kPolicyVariables
};
inline constexpr auto kPolicyVariableNames = std::to_array<std::string_view>(
    {"self", "key", "object", "old", "pod", "container", "role", "job", "part", "fault"});
static_assert(kPolicyVariableNames.size() == kPolicyVariables);

/// An expression of a policy file. Views lead into the file.
struct PolicyExpression {
  View at;
  SimpleTerms simple = {};  // judges most values without a program
  // Nothing until it is needed, or if it does not compile.
  std::optional<cel::Program> program = std::nullopt;
};

/// A message: text with expressions in `{{ }}`.
struct PolicyMessage {
  struct Part {
    std::string_view text;
    bool is_expression = false;  // whose value takes the place of `text`
    std::optional<cel::Program> program = std::nullopt;
  };
  std::vector<Part> parts;
};

/// `batch/v1/Job`: without a version all versions.
struct PolicyKind {
  std::string_view group;  // "" for the core group
  std::string_view version;
  std::string_view kind;
  std::string_view api_version;  // `batch/v1`; "" without a version
};

/// A path in objects of a kind.
struct PolicyPart {
  std::string_view kind;  // "" for all kinds of the check
  PolicyPath path;
};

/// For which releases a check or a rule holds.
struct PolicyReleases {
  std::string_view since;   // the first Kubernetes; "" for all
  std::string_view before;  // the first Kubernetes for which it holds no more; "" for none
  OperatorSpan operators;
};

/// A path of a rule.
struct PolicyRulePath {
  std::size_t number = 0;  // in the walk
  std::string_view kind;   // of the objects for which it holds; "" for all
};

struct PolicyRule {
  View at;
  PolicyReleases releases;
  std::optional<Severity> severity;  // in place of that of the check
  std::vector<PolicyRulePath> paths;
  PolicyExpression refuse;  // this, or one of the next
  PolicyExpression refers;
  std::optional<PolicyKind> names;  // whose objects a text names
  std::vector<PolicyPath> stays;    // that keep their value
  std::vector<std::string_view> words;
  std::optional<std::array<double, 2>> range;
  std::string_view format;
  const ValueFormat* value_format = nullptr;  // of `format`; null for one of CEL's
  std::optional<std::string_view> unique;
  PolicyExpression when;  // whether a value that the above refuses is wrong
  PolicyMessage message;
  std::string_view note;
  bool at_key = false;
  std::optional<PolicyPath> field;  // of the value, where a finding stands
  std::vector<PolicyPath> also;     // whose first value counts
  bool also_in_value = false;       // else in the whole
  std::string_view also_text;
};

/// The paths of all checks of a file, by PolicyCheck::Subject.
using PolicyWalks = std::array<PolicyWalk, 3>;

/// An entry of `checks` of a policy file.
struct PolicyCheck {
  enum class Subject { Pod, Job, Object };

  View at;
  Subject subject = Subject::Object;
  std::vector<PolicyKind> kinds;  // of an Object
  bool of_versions = false;       // and not of all that these kinds have
  std::vector<PolicyPart> parts;  // `within`: where paths of rules begin; none for the whole
  std::vector<std::string_view> variables;
  std::vector<PolicyExpression> lets;
  std::vector<PolicyRule> rules;
  PolicyWalk* walk = nullptr;  // finds the values of all rules
  // For evaluations, so that two threads need a copy each.
  std::vector<cel::Value> values;  // of `variables`
  cel::Context cel;
};

/// What is wrong with a policy file.
struct PolicyFault {
  View at;
  std::string message;
  std::string meant;  // what to write instead, if that is clear
};

/// Who writes a policy file: the groups of the program are its own.
enum class PolicyAuthor { User, Program };

/// The checks of a policy file that fits the schema of a Policy. Not for two threads at once.
class PolicyChecks {
 public:
  /// The file must outlive this. Paths and expressions are compared with `schemas`: with none, only
  /// compiled.
  PolicyChecks(View file, SchemaSources schemas, PolicyAuthor author = PolicyAuthor::User);
  PolicyChecks(PolicyChecks&&) = delete;

  View file() const { return file_; }
  std::span<const Check> rows() const { return rows_; }
  const std::vector<PolicyFault>& faults() const { return faults_; }

 private:
  View file_;
  PolicyWalks walks_;
  std::deque<PolicyCheck> checks_;
  std::deque<std::string> subjects_;  // texts of Check::on
  std::vector<Check> rows_;
  std::vector<PolicyFault> faults_;
};

/// The examples of all checks that do not show what they should: `wrong` without a finding, `right`
/// with one.
struct PolicyTest {
  std::size_t examples = 0;
  std::vector<PolicyFault> faults;
};
PolicyTest test_policy(const PolicyChecks& checks);

}  // namespace trainyard
