#include "operators/jobset_parts.h"

#include <algorithm>
#include <string>

#include "diag/suggest.h"
#include "diag/words.h"

namespace trainyard::jobset {

bool is_jobset(View object) {
  return string_at(object, "kind") == "JobSet";
}

View spec_of(View object) {
  const View spec = get(object, "spec");
  return is_jobset(object) ? spec : get(get(spec, "template"), "spec");
}

Items roles_of(View object) {
  return items_at(spec_of(object), "replicatedJobs");
}

View job_spec(View role) {
  return get(get(role, "template"), "spec");
}

View pod_spec(View role) {
  return get(get(job_spec(role), "template"), "spec");
}

bool is_indexed(View role) {
  const std::string_view mode = string_at(job_spec(role), "completionMode");
  return mode.empty() || mode == "Indexed";
}

std::vector<std::string_view> names_of(View object) {
  std::vector<std::string_view> names;
  for (View role : roles_of(object)) names.push_back(string_at(role, "name"));
  return names;
}

void a_role(View at, const std::vector<std::string_view>& names, CheckContext& context) {
  const std::string_view name = string_of(at);
  if (!at || at.kind() != Kind::String || std::ranges::find(names, name) != names.end()) return;
  const std::vector<std::string> all(names.begin(), names.end());
  Diagnostic& report =
      context.refuse(at, "there is no replicated job " + shown(name) +
                             (all.empty() ? std::string() : "; expected " + listed(all, "or")));
  if (const auto near = suggest(name, names)) {
    report.note("`" + std::string(*near) + "` is very likely meant");
  }
}

}  // namespace trainyard::jobset
