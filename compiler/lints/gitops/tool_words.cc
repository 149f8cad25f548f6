// Annotations that say what Argo CD and Flux do with an object. A word that they do not
// know changes nothing, and neither says so.

#include "lints/gitops/tool_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/severity_list.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "source/characters.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// An annotation or a label of Flux with its words. `enabled` means that it is as if it were not
/// there; capitals do not count.
struct FluxKey {
  std::string_view key;
  std::array<std::string_view, 4> words;  // "" for none
};
constexpr auto kFluxKeys = std::to_array<FluxKey>({
    {"kustomize.toolkit.fluxcd.io/prune", {"disabled", "enabled"}},
    {"kustomize.toolkit.fluxcd.io/reconcile", {"disabled", "enabled"}},
    {"kustomize.toolkit.fluxcd.io/substitute", {"disabled", "enabled"}},
    {"kustomize.toolkit.fluxcd.io/force", {"enabled", "disabled"}},
    {"kustomize.toolkit.fluxcd.io/ssa", {"Override", "Merge", "IfNotPresent", "Ignore"}},
});

bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

/// Options for syncing: of objects, and of Applications.
constexpr auto kSyncOptions = word_table<
    "ApplyOutOfSyncOnly ClientSideApplyMigration CreateNamespace Delete FailOnSharedResource "
    "Force Prune PruneLast PrunePropagationPolicy Replace RespectIgnoreDifferences "
    "ServerSideApply SkipDryRunOnMissingResource Validate">;
constexpr auto kCompareOptions = std::to_array<std::string_view>(
    {"IgnoreExtraneous", "IncludeMutationWebhook", "ServerSideDiff"});
constexpr auto kValues = std::to_array<std::string_view>(
    {"true", "false", "confirm", "foreground", "background", "orphan"});

/// The word that was meant. A word that is like none may be one of a newer Argo CD.
std::optional<std::string_view> meant(std::string_view word,
                                      std::span<const std::string_view> known) {
  for (const std::string_view each : known) {
    if (each == word) return std::nullopt;
  }
  for (const std::string_view each : known) {
    if (is_same_word(each, word)) return each;
  }
  return suggest(word, known);
}

void options_in(View list, std::string_view key, std::span<const std::string_view> known,
                CheckContext& context) {
  each_severity_override(string_of(list), [&](std::string_view name, std::string_view value) {
    const std::string option = std::string(name) + (value.empty() ? "" : "=") + std::string(value);
    const auto near_name = meant(name, known);
    const bool is_known = std::ranges::find(known, name) != known.end();
    // A value is only known of an option that is.
    const auto near_value =
        is_known && !value.empty() ? meant(value, kValues) : std::optional<std::string_view>();
    if (!near_name && !near_value) return;
    const std::string right = std::string(near_name.value_or(name)) + (value.empty() ? "" : "=") +
                              std::string(near_value.value_or(value));
    context.lint(list, shown(option) + " is no option that Argo CD knows for " + shown(key))
        .note("did you mean " + shown(right) + "?");
  });
}

}  // namespace

void flux_words(View object, CheckContext& context) {
  for (const std::string_view map : {"annotations", "labels"}) {
    for (const View entry : entries_at(get(object, "metadata"), map)) {
      if (!entry.key().starts_with("kustomize.toolkit.fluxcd.io/")) continue;
      const auto* known = std::ranges::find(kFluxKeys, entry.key(), &FluxKey::key);
      const std::string_view found = entry.text();
      if (known == kFluxKeys.end() || found.empty()) continue;
      const auto is_it = [&](std::string_view word) { return is_same_word(word, found); };
      if (std::ranges::any_of(known->words, is_it)) continue;
      std::vector<std::string> words;
      for (const std::string_view word : known->words) {
        if (!word.empty()) words.emplace_back(word);
      }
      context.lint(entry, shown(found) + " is no word that Flux knows for " + shown(known->key) +
                              "; expected " + listed(words, "or"));
    }
  }
}

void argo_options(View object, CheckContext& context) {
  for (const auto& [key, known] : {std::pair<std::string_view, std::span<const std::string_view>>{
                                       "argocd.argoproj.io/sync-options", kSyncOptions},
                                   {"argocd.argoproj.io/compare-options", kCompareOptions}}) {
    options_in(annotation(object, key), key, known, context);
  }
}

void application_options(View object, CheckContext& context) {
  const bool is_set = string_at(object, "kind") == "ApplicationSet";
  View spec = get(object, "spec");
  if (is_set) spec = get(get(spec, "template"), "spec");
  for (const View each : items_at(get(spec, "syncPolicy"), "syncOptions")) {
    options_in(each, "syncOptions", kSyncOptions, context);
  }
}

}  // namespace trainyard
