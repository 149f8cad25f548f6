#include "admission/admission_registration.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/admission_scope.h"
#include "admission/name_checks.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::uint32_t kMostConditions = 64;

bool holds(View list, std::string_view word) {
  return std::ranges::any_of(Items(list), [&](View each) { return string_of(each) == word; });
}

/// Some items at least, and `*` alone.
void words(View rule, std::string_view key, CheckContext& context) {
  const View list = get(rule, key);
  if (!has_items(list)) {
    context.refuse(list ? list : rule, "no " + shown(key) + ": expected one at least, or `*`");
  } else if (list->is_seq() && list->size > 1 && holds(list, "*")) {
    context.refuse(list, "`*` means all of them; leave the others out");
  }
}

void not_empty(View list, CheckContext& context) {
  for (View each : Items(list)) {
    if (each.kind() == Kind::String && each->text.empty()) {
      context.refuse(each, "an empty text is no " +
                               std::string(list.key() == "apiVersions" ? "version" : "resource"));
    }
  }
}

/// `pods`, `pods/status`, `*/scale`: none that an earlier one has in it already.
void resources(View list, CheckContext& context) {
  if (!list || !list->is_seq()) return;
  not_empty(list, context);
  if (list->size > 1 && holds(list, "*/*")) {
    context.refuse(list, "`*/*` means all of them; leave the others out");
    return;
  }
  View alone;  // the last one without a part, which is all that the server looks at
  std::vector<std::string_view> seen;
  for (View each : Items(list)) {
    const std::string_view text = string_of(each);
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
      if (!text.empty()) alone = each;
      continue;
    }
    const std::string whole = std::string(text.substr(0, slash)) + "/*";
    const std::string part = "*" + std::string(text.substr(slash));
    for (const std::string& wide : {whole, part}) {
      if (std::ranges::find(seen, wide) == seen.end()) continue;
      context.refuse(each, shown(wide) + " has " + shown(text) + " in it; leave one of them out");
      break;
    }
    seen.push_back(text);
  }
  if (holds(list, "*") && alone && alone->text != "*") {
    context.refuse(alone, "`*` has " + shown(alone->text) + " in it; leave one of them out");
  }
}

}  // namespace

void check_request_rule(View rule, CheckContext& context) {
  constexpr auto operations =
      std::to_array<std::string_view>({"*", "CREATE", "UPDATE", "DELETE", "CONNECT"});
  constexpr auto scopes = std::to_array<std::string_view>({"*", "Cluster", "Namespaced"});
  if (!rule->is_map()) return;
  for (std::string_view key : {"operations", "apiGroups", "apiVersions"}) {
    words(rule, key, context);
  }
  for (View each : items_at(rule, "operations")) {
    context.allow_written(each, "operation", operations);
  }
  if (const View versions = get(rule, "apiVersions"); has_items(versions)) {
    not_empty(versions, context);
  }
  const View list = get(rule, "resources");
  if (!has_items(list)) {
    context.refuse(list ? list : rule, "no `resources`: expected one at least, such as `pods`");
  }
  resources(list, context);
  context.allow_written(get(rule, "scope"), "scope", scopes);
  std::vector<View> seen;
  for (View name : items_at(rule, "resourceNames")) {
    context.name(name, "object", why_not_path_segment);
    for (View first : seen) {
      if (first->text != name->text) continue;
      context.refuse(name, shown(name->text) + " comes twice")
          .also(context.place(first), "the first one");
      break;
    }
    seen.push_back(name);
  }
}

void check_match_conditions(View holder, bool has_params, CheckContext& context) {
  const View list = get(holder, "matchConditions");
  if (!list || !list->is_seq()) return;
  if (list->size > kMostConditions) {
    context.refuse(list, std::to_string(list->size) + " conditions, at most 64 are allowed");
  }
  unique_names(list, "condition", context);
  ExpressionScope scope;
  declare_request(scope, has_params, true);
  for (View condition : Items(list)) {
    if (!condition->is_map()) continue;
    require_text(condition, "name", context);
    context.name(get(condition, "name"), "condition", why_not_label_key);
    require_text(condition, "expression", context);
    check_expression(get(condition, "expression"), scope, Outcome::Bool, context);
  }
}

void check_failure_policy(View policy, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"Fail", "Ignore"});
  context.allow_written(policy, "failure policy", policies);
}

void check_match_policy(View policy, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"Equivalent", "Exact"});
  context.allow_written(policy, "match policy", policies);
}

}  // namespace trainyard
