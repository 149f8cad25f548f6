#include "policy/data_checks.h"

#include <map>
#include <unordered_map>
#include <vector>

#include "policy/policy_evaluation.h"
#include "policy/policy_reader.h"
#include "source/embedded_files.h"
#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_checks();  // made by the build from templates/checks

namespace {

/// The entries of all files, by name.
class Entries {
 public:
  Entries() {
    for (const EmbeddedFiles::File& file : EmbeddedFiles::open(embedded_checks())->list()) {
      if (file.path.ends_with(".yaml"))
        trees_.push_back(embedded_tree(embedded_checks(), file.path));
    }
    for (const Tree& tree : trees_) {
      for (View each : items_at(View(tree, tree.root()), "checks")) {
        by_name_.emplace(string_at(each, "name"), each);
      }
    }
  }

  View at(std::string_view name) const { return by_name_.at(name); }

 private:
  std::vector<Tree> trees_;
  std::map<std::string_view, View> by_name_;
};

/// Read when an object first needs them; each thread compiles its own.
PolicyCheck& rules_of(const Check& check) {
  static const Entries entries;
  thread_local std::unordered_map<const Check*, PolicyCheck> known;
  const auto found = known.find(&check);
  if (found != known.end()) return found->second;
  return known.emplace(&check, read_policy_check(entries.at(check.name))).first->second;
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
