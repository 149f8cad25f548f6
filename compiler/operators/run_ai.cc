#include <algorithm>
#include <array>
#include <string>
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

void gpu_request(View object, CheckContext& context) {
  constexpr auto ways = std::to_array<std::string_view>({"gpu", "gpuMemory", "migProfile"});
  for (View spec : specs_of(object)) {
    View first;
    for (std::string_view way : ways) {
      const View field = get(spec, way);
      if (!field || !value_of(spec, way)) continue;
      if (first) {
        context
            .refuse_key(field,
                        "GPUs are asked for in one way: by `gpu`, `gpuMemory` or "
                        "`migProfile`")
            .also(context.place(first), "the other one");
      }
      first = first ? first : field;
    }
    const View gpu = value_of(spec, "gpu");
    if (!gpu || !gpu->is_scalar()) continue;
    const auto count = go_number(gpu->text);
    const bool whole = count && *count == static_cast<double>(static_cast<std::int64_t>(*count));
    if (count && *count >= 0 && (whole || *count < 1)) continue;
    context.refuse(gpu, "`gpu` is " + shown(gpu->text) +
                            "; expected a whole number, or a part of one GPU such as `0.5`");
  }
}

bool has_no_access_mode(View claim) {
  constexpr auto modes =
      std::to_array<std::string_view>({"readWriteOnce", "readOnlyMany", "readWriteMany"});
  return std::ranges::none_of(modes, [&](std::string_view mode) {
    const View own = get(claim, mode);
    return own && !is_false(own);
  });
}

void claims(View object, CheckContext& context) {
  for (View spec : specs_of(object)) {
    for (View item : entries_at(get(spec, "pvcs"), "items")) {
      const View claim = get(item, "value");
      if (!claim || !claim->is_map()) continue;
      const bool exists = is_true(get(claim, "existingPvc"));
      if (exists && string_at(claim, "claimName").empty()) {
        context.refuse(claim, "a claim that there is already needs its `claimName`");
      } else if (!exists && string_at(claim, "size").empty()) {
        context.refuse(claim,
                       "a claim to make needs its `size`; one that there is already, "
                       "`existingPvc: true` and `claimName`");
      } else if (!exists && has_no_access_mode(claim)) {
        context.warn(claim,
                     "a claim to make has a way of access: `readWriteOnce`, `readOnlyMany` or "
                     "`readWriteMany`, which many nodes need");
      }
    }
  }
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
    {.name = "run-ai-gpu-request",
     .group = CheckGroup::Gpu,
     .on = kKinds,
     .sentence = "GPUs are asked for in one way, as whole ones or as a part of one.",
     .source = kSource,
     .object = gpu_request,
     .operators = kRunAi},
    {.name = "run-ai-command-lines",
     .group = CheckGroup::Launch,
     .on = kKinds,
     .sentence = "Command and arguments can be split into words.",
     .source = kSource,
     .object = command_lines,
     .operators = kRunAi},
    {.name = "run-ai-claims",
     .group = CheckGroup::Storage,
     .on = kKinds,
     .sentence =
         "A claim to make has a size and a way of access, and one that there is has a name.",
     .source = kSource,
     .object = claims,
     .operators = kRunAi},
};

}  // namespace

constinit const std::span<const Check> run_ai_checks = kChecks;

}  // namespace trainyard
