#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "operators/tables.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kKinds = "run.ai TrainingWorkload DistributedWorkload";
constexpr std::string_view kSource = "run-ai/docs docs/developer/cluster-api/submit-yaml.md";
constexpr OperatorSpan kRunAi{.name = "runai"};

/// The parts of a workload that describe pods.
std::vector<View> specs_of(View object) {
  std::vector<View> specs;
  for (std::string_view key : {"spec", "masterSpec"}) {
    const View spec = get(object, key);
    if (spec && spec->is_map()) specs.push_back(spec);
  }
  return specs;
}

/// The value of a field, which stands in a wrapper.
View value_of(View spec, std::string_view field) {
  return get(get(spec, field), "value");
}

/// What is run is one text, which is split as a shell does.
void command_lines(View object, CheckContext& context) {
  for (View spec : specs_of(object)) {
    for (std::string_view field : {"command", "arguments"}) {
      const View line = value_of(spec, field);
      if (string_of(line).empty() || shell_words(line->text)) continue;
      context.refuse(line, "a quote of " + shown(field) + " is never closed");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "run-ai-command-lines",
     .group = CheckGroup::Launch,
     .on = kKinds,
     .sentence = "Command and arguments can be split into words.",
     .source = kSource,
     .object = command_lines,
     .operators = kRunAi},
};

}  // namespace

constinit const std::span<const Check> run_ai_checks = kChecks;

}  // namespace trainyard
