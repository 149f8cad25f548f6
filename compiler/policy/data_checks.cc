#include "policy/data_checks.h"

#include <memory>
#include <optional>
#include <vector>

#include "policy/policy_evaluation.h"
#include "policy/policy_reader.h"
#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_checks();  // made by the build from templates/checks

namespace {

/// What a thread has read and compiled.
struct Rules {
  PolicyWalks walks;
  std::vector<std::optional<Tree>> files{data_check_files.size()};
  std::vector<std::unique_ptr<PolicyCheck>> known{data_checks.size()};
};

/// The entry of a check of `data_checks`. Only files that objects need are opened.
View entry_of(std::size_t index, Rules& rules) {
  std::size_t file = 0;
  while (index >= data_check_files[file].checks) index -= data_check_files[file++].checks;
  std::optional<Tree>& tree = rules.files[file];
  if (!tree) tree = embedded_tree(embedded_checks(), data_check_files[file].path);
  View entry = get(View(*tree, tree->root()), "checks").first();
  for (; index > 0; --index) entry = entry.next();
  return entry;
}

PolicyCheck& read_rules(std::size_t index, Rules& rules) {
  rules.known[index] =
      std::make_unique<PolicyCheck>(read_policy_check(entry_of(index, rules), rules.walks));
  return *rules.known[index];
}

/// Read when an object first needs them.
PolicyCheck& rules_of(const Check& check) {
  thread_local Rules rules;
  const auto index = static_cast<std::size_t>(&check - data_checks.data());
  PolicyCheck* const known = rules.known[index].get();
  return known != nullptr ? *known : read_rules(index, rules);
}

}  // namespace

void ask_data_check_of_pod(const Pod& pod, CheckContext& context) {
  ask_of_pod(pod, rules_of(context.check()), context);
}

void ask_data_check_of_job(const Job& job, CheckContext& context) {
  ask_of_job(job, rules_of(context.check()), context);
}

void ask_data_check_of_object(View object, CheckContext& context) {
  ask_of_object(object, rules_of(context.check()), context);
}

}  // namespace trainyard
