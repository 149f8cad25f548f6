#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/selection.h"
#include "check/severities.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether a selector means a check. A selector is the name of a check (`gang-size`), a pattern of
/// names with `*` and `?` (`mpi-*`), or the word of a group, an effect or a stage (`gang`, `risky`,
/// `preview`).
bool selects(std::string_view selector, const Check& check);

/// The checks that a selector means, also one with the name of an earlier release; none when it
/// means nothing.
std::vector<const Check*> selected(CheckTables tables, std::string_view selector);

/// All words and names that a selector can be, for guesses at what was meant.
std::vector<std::string_view> selector_words(CheckTables tables);

/// What the user asks of the checks of a selector.
struct CheckChoice {
  std::string selector;
  SeverityOverride choice;
};

/// Adds choices of one place to those from before, which they override. Among themselves a name
/// counts before a pattern, a pattern before a word, and the last of a kind before the others.
void ask(const std::vector<CheckChoice>& choices, CheckTables tables, Severities& severities);

/// Adds the choices in the annotation of an object. What cannot be read is left out here, and
/// reported by check `checks-annotation`.
void ask_annotation(View object, CheckTables tables, Severities& severities);

}  // namespace trainyard
