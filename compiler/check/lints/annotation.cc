// The annotation by which objects ask for severities.

#include <string>
#include <vector>

#include "check/check.h"
#include "check/read.h"
#include "check/severity_list.h"
#include "check/tables.h"
#include "diag/suggest.h"
#include "schema/words.h"

namespace trainyard {
namespace {

void report_unknown(View text, std::string_view name, CheckContext& context) {
  Diagnostic& report = context.lint(text, "there is no check " + shown(name));
  std::vector<std::string_view> names;
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) names.push_back(check.name);
  }
  if (const auto near = suggest(name, names)) {
    report.note("did you mean " + shown(*near) + "?");
  } else {
    report.note("`trainyard list checks` shows all");
  }
}

void annotation(View object, CheckContext& context) {
  const View text = get(get(get(object, "metadata"), "annotations"), kChecksAnnotation);
  each_wish(string_of(text), [&](std::string_view name, std::string_view word) {
    Severities::Wish wish;
    const Check* check = find_check(name);
    if (check == nullptr) {
      report_unknown(text, name, context);
    } else if (!read_wish(word, wish)) {
      context.lint(text, "the severity of " + shown(name) + " is " +
                             (word.empty() ? "missing" : shown(word)) + "; expected " +
                             std::string(kWishWords));
    } else if (!check->is_lint()) {
      context.lint(text, shown(name) +
                             " is not a lint: what the API server or a controller refuses "
                             "is refused all the same");
    }
  });
}

constexpr Check kChecks[] = {
    {.name = "checks-annotation",
     .on = "any",
     .sentence = "The annotation `trainyard/checks` names lints and severities that there are.",
     .source = "docs/checks.md of this project",
     .object = annotation,
     .severity = Severity::Warning,
     .because = "What it asks for has no effect otherwise.",
     .fix = "write `trainyard/checks: \"mutable-image-tag=off, gang-size=error\"`"},
};

}  // namespace

const std::span<const Check> annotation_lints = kChecks;

}  // namespace trainyard
