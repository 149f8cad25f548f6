#include "admission/immutable_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "source/text_parts.h"
#include "tree/node_words.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Fields that hold an amount, or a map of them: `8`, `"8"` and `8000m` are the same.
constexpr auto kAmounts = std::to_array<std::string_view>(
    {"limits", "requests", "capacity", "overhead", "sizeLimit", "divisor"});

/// Whether there is anything in `value` that a default or a free choice would not explain.
bool says_something(View value, const ImmutabilityRules& rules) {
  if (!value || value.kind() == Kind::Null || is_false(value)) return false;
  if (value->is_seq()) return value->size != 0;
  if (!value->is_map()) return value.kind() != Kind::String || !value->text.empty();
  const Items entries(value);
  return std::any_of(entries.begin(), entries.end(), [&](View entry) {
    return !is_one_of(entry.key(), rules.free) && !is_one_of(entry.key(), rules.filled) &&
           says_something(entry, rules);
  });
}

/// What tells an item of a list from the others there: the path of a mount, the name of anything
/// else.
View identity_of(View item) {
  for (std::string_view key : {"mountPath", "devicePath", "containerPort", "name"}) {
    if (const View own = get(item, key)) return own;
  }
  return {};
}

bool same_scalar(View old, View now, bool amount) {
  if (amount) {
    const std::optional<Quantity> before = Quantity::parse(old->text);
    return before && before == Quantity::parse(now->text);
  }
  if (old.kind() != now.kind()) return false;
  if (old->text == now->text) return true;
  return old.kind() == Kind::Int && integer_of(old) && integer_of(old) == integer_of(now);
}

/// Finds the first change.
class Comparison {
 public:
  explicit Comparison(const ImmutabilityRules& rules) : rules_(rules) {}

  std::optional<Change> values(View old, View now, bool amounts = false) const {
    const bool said = says_something(old, rules_);
    if (rules_.merges && !says_something(now, rules_)) return {};
    if (said != says_something(now, rules_)) return Change{old, now, now};
    if (!said) return {};
    if (old->is_map() && now->is_map()) return maps(old, now, amounts);
    if (old->is_seq() && now->is_seq()) return lists(old, now);
    const bool same = old->is_scalar() && now->is_scalar() && same_scalar(old, now, amounts);
    return same ? std::nullopt : std::optional(Change{old, now, now});
  }

 private:
  std::optional<Change> maps(View old, View now, bool amounts) const {
    for (View entry : Items(now)) {
      const View before = get(old, entry.key());
      if (is_one_of(entry.key(), rules_.free)) continue;
      if (!before && is_one_of(entry.key(), rules_.filled)) continue;
      if (auto at = values(before, entry, amounts || is_one_of(entry.key(), kAmounts))) return at;
    }
    if (rules_.merges) return {};
    for (View entry : Items(old)) {
      if (is_one_of(entry.key(), rules_.free) || is_one_of(entry.key(), rules_.filled)) continue;
      if (!get(now, entry.key()) && says_something(entry, rules_)) {
        return Change{entry, {}, now};
      }
    }
    return {};
  }

  std::optional<Change> lists(View old, View now) const {
    if (old->size != now->size) return rules_.merges ? named(old, now) : Change{old, now, now};
    auto before = Items(old).begin();
    for (View item : Items(now)) {
      if (auto at = values(*before, item)) return at;
      ++before;
    }
    return {};
  }

  std::optional<Change> named(View old, View now) const {
    for (View item : Items(now)) {
      const View own = identity_of(item);
      const Items items(old);
      const auto before = std::find_if(items.begin(), items.end(), [&](View each) {
        const View its = identity_of(each);
        return its && own && its->text == own->text;
      });
      if (before == items.end()) return Change{old, now, item};
      if (auto at = values(*before, item)) return at;
    }
    return {};
  }

  const ImmutabilityRules& rules_;
};

}  // namespace

std::optional<Change> first_change(View old, View now, const ImmutabilityRules& rules) {
  return Comparison(rules).values(old, now);
}

View changed(View old, View now, const ImmutabilityRules& rules) {
  const std::optional<Change> change = first_change(old, now, rules);
  return change ? change->at : View();
}

Diagnostic* keep(View before, View now, std::string_view key, const ImmutabilityRules& rules,
                 std::string_view whose, CheckContext& context) {
  const std::optional<Change> change = first_change(get(before, key), get(now, key), rules);
  if (!change) return nullptr;
  const View at = change->at ? change->at : now;
  const View named = change->now ? change->now : change->was;
  const std::string_view name = named.key().empty() ? key : named.key();
  const std::string of = " of an existing " + std::string(whose) + " cannot change";
  if (!change->now) return &context.refuse(at, shown(name) + of + ", and here it is left out");
  const bool short_text = change->was && change->was->is_scalar() &&
                          change->was.kind() != Kind::Null && !named.key().empty();
  Diagnostic& told =
      context.refuse(at, shown(name) + of + (short_text ? ": it is " + shown(*change->was) : ""));
  if (change->was && !short_text) told.also(context.place(change->was), "what is there");
  return &told;
}

}  // namespace trainyard
