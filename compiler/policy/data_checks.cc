#include "policy/data_checks.h"

#include <memory>
#include <vector>

#include "policy/policy_evaluation.h"
#include "policy/policy_reader.h"
#include "source/embedded_files.h"
#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_checks();  // made by the build from templates/checks

namespace {

/// The entries of all files, in the order of `data_checks`.
class Entries {
 public:
  Entries() {
    for (const EmbeddedFiles::File& file : EmbeddedFiles::open(embedded_checks())->list()) {
      if (file.path.ends_with(".yaml"))
        trees_.push_back(embedded_tree(embedded_checks(), file.path));
    }
    for (const Tree& tree : trees_) {
      for (View each : items_at(View(tree, tree.root()), "checks")) entries_.push_back(each);
    }
  }

  View operator[](std::size_t index) const { return entries_[index]; }

 private:
  std::vector<Tree> trees_;
  std::vector<View> entries_;
};

/// What a thread has read and compiled.
struct Rules {
  PolicyWalks walks;
  std::vector<std::unique_ptr<PolicyCheck>> known{data_checks.size()};
};

PolicyCheck& read_rules(std::size_t index, Rules& rules) {
  static const Entries entries;
  rules.known[index] =
      std::make_unique<PolicyCheck>(read_policy_check(entries[index], rules.walks));
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
