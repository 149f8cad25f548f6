#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "check/check_context.h"
#include "manifest/inventory.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether `word` is `known` with one typo: a letter too many, too few, another one, or two that
/// are swapped; or the same except for capitals, `-` and `_`. False for the word itself. Much
/// stricter than `suggest`, which gets words that are surely wrong.
bool is_typo_of(std::string_view word, std::string_view known);

/// The same for names that users choose: names of less than four characters, and names that differ
/// in digits alone, are no typos.
bool is_typo_of_name(std::string_view word, std::string_view known);

/// The one object whose name is one typo away from that of an object that is not among the inputs;
/// an empty view where the object is there, or none or several are near.
View find_similarly_named(const Inventory& inventory, std::string_view group, std::string_view kind,
                          std::string_view name_space, std::string_view name);

/// The object of this name in another namespace, where none is in the one that is asked for, nor
/// one that is in no namespace yet; an empty view for none.
View find_in_other_namespace(const Inventory& inventory, std::string_view group,
                             std::string_view kind, std::string_view name_space,
                             std::string_view name);

/// An object that pods name.
struct NamedObject {
  std::string_view group;
  std::string_view kind;
  std::string_view what;        // as people call it: `claim`
  std::string_view name_space;  // of the pods; "" for objects that are in none
  View name;
  /// Words at its end that say no more than what it names, as `sa` of `trainer-sa`: without them,
  /// the name may be that of the only one there.
  std::span<const std::string_view> idle = {};
};

/// Says that the object is in another namespace than the pods that name it. False where it is not,
/// and nothing is reported.
bool report_wrong_namespace(const NamedObject& object, CheckContext& context,
                            std::optional<Severity> severity = {});
/// The same for an object that is not among the inputs, if one with nearly its name is.
bool report_similar_name(const NamedObject& object, CheckContext& context,
                         std::optional<Severity> severity = {});

}  // namespace trainyard
