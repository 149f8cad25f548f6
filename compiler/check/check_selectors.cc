#include "check/check_selectors.h"

#include <algorithm>

#include "check/check.h"
#include "check/retired.h"
#include "check/severity_list.h"
#include "diag/effect.h"
#include "source/glob.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

enum class Precision : std::uint8_t { Word, Pattern, Name };

/// A selector without wildcards that is the name of no check is a word.
Precision precision_of(std::string_view selector, CheckTables tables) {
  if (selector.find_first_of("*?") != selector.npos) return Precision::Pattern;
  return find_check(tables, current_name(selector)) == nullptr ? Precision::Word : Precision::Name;
}

}  // namespace

bool selects(std::string_view selector, const Check& check) {
  if (selector.find_first_of("*?") != selector.npos) return fits_glob(selector, check.name);
  return selector == check.name || selector == check.group_word() ||
         selector == word(check.effect) || selector == word(check.stage);
}

std::vector<const Check*> selected(CheckTables tables, std::string_view selector) {
  std::vector<const Check*> found;
  selector = current_name(selector);
  for (const std::span<const Check>& table : tables) {
    for (const Check& check : table) {
      if (selects(selector, check)) found.push_back(&check);
    }
  }
  return found;
}

std::vector<std::string_view> selector_words(CheckTables tables) {
  std::vector<std::string_view> words(kGroupWords.begin(), kGroupWords.end());
  words.insert(words.end(), kEffectWords.begin(), kEffectWords.end());
  words.insert(words.end(), kStageWords.begin(), kStageWords.end());
  for (const std::span<const Check>& table : tables) {
    for (const Check& check : table) {
      words.push_back(check.name);
      if (check.policy != nullptr) words.push_back(check.policy_group);
    }
  }
  return words;
}

void ask(const std::vector<CheckChoice>& choices, CheckTables tables, Severities& severities) {
  for (Precision precision : {Precision::Word, Precision::Pattern, Precision::Name}) {
    for (const CheckChoice& each : choices) {
      if (precision_of(each.selector, tables) != precision) continue;
      for (const Check* check : selected(tables, each.selector)) {
        severities.set(std::string(check->name), each.choice);
      }
    }
  }
}

void ask_annotation(View object, CheckTables tables, Severities& severities) {
  const View text = get(get(get(object, "metadata"), "annotations"), kChecksAnnotation);
  std::vector<CheckChoice> choices;
  each_severity_override(string_of(text), [&](std::string_view selector, std::string_view word) {
    SeverityOverride choice;
    if (parse_severity_override(word, choice)) choices.push_back({std::string(selector), choice});
  });
  ask(choices, tables, severities);
}

}  // namespace trainyard
