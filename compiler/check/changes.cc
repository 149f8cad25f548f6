#include "check/changes.h"

#include <algorithm>

#include "check/read.h"

namespace trainyard {
namespace {

bool is_among(std::string_view key, std::span<const std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

/// Whether there is anything in `value` that a default or a free choice would not explain.
bool says_something(View value, const ChangeRules& rules) {
  if (!value || value->kind == Kind::Null) return false;
  if (!value->is_map()) return true;
  const Items entries(value);
  return std::any_of(entries.begin(), entries.end(), [&](View entry) {
    return !is_among(entry->key, rules.free) && !is_among(entry->key, rules.filled) &&
           says_something(entry, rules);
  });
}

View changed_map(View old, View now, const ChangeRules& rules) {
  for (View entry : Items(now)) {
    const View before = get(old, entry->key);
    if (is_among(entry->key, rules.free)) continue;
    if (!before && is_among(entry->key, rules.filled)) continue;
    if (const View at = changed(before, entry, rules)) return at;
  }
  for (View entry : Items(old)) {
    if (is_among(entry->key, rules.free) || is_among(entry->key, rules.filled)) continue;
    if (!get(now, entry->key) && says_something(entry, rules)) return now;
  }
  return {};
}

View changed_list(View old, View now, const ChangeRules& rules) {
  if (old->size != now->size) return now;
  auto before = Items(old).begin();
  for (View item : Items(now)) {
    if (const View at = changed(*before, item, rules)) return at;
    ++before;
  }
  return {};
}

}  // namespace

View changed(View old, View now, const ChangeRules& rules) {
  if (!says_something(old, rules)) return says_something(now, rules) ? now : View();
  if (!says_something(now, rules)) return now;
  if (old->is_map() && now->is_map()) return changed_map(old, now, rules);
  if (old->is_seq() && now->is_seq()) return changed_list(old, now, rules);
  return old->kind == now->kind && old->text == now->text ? View() : now;
}

}  // namespace trainyard
