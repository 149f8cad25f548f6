#include "check/typos.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether two words are one but for capitals, `-` and `_`. Nearly all differ at their first
/// letter.
bool is_folded_alike(std::string_view a, std::string_view b) {
  const auto counts = [](char c) { return c != '-' && c != '_'; };
  for (;;) {
    a.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(a, counts) - a.begin()));
    b.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(b, counts) - b.begin()));
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    if (to_lower(a.front()) != to_lower(b.front())) return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
}

std::string without_digits(std::string_view text) {
  std::string result(text);
  std::erase_if(result, is_digit);
  return result;
}

void lint(View at, std::string message, std::optional<Severity> severity, View other,
          std::string label, CheckContext& context) {
  Diagnostic& told = severity ? context.lint(at, std::move(message), *severity)
                              : context.lint(at, std::move(message));
  told.also(context.place(other), std::move(label));
  told.found_by.effect = Effect::Risky;  // another program may make what is wanted
}

}  // namespace

bool is_typo_of(std::string_view word, std::string_view known) {
  if (word == known) return false;
  if (is_folded_alike(word, known)) return true;
  const auto [a, b] = std::ranges::mismatch(word, known);
  const std::string_view rest(a, word.end());
  const std::string_view other(b, known.end());
  const auto same = [](std::string_view x, std::string_view y) { return x == y; };
  if (rest.size() == other.size() + 1) return same(rest.substr(1), other);
  if (rest.size() + 1 == other.size()) return same(rest, other.substr(1));
  if (rest.size() != other.size()) return false;
  const bool swapped = rest.size() > 1 && rest[0] == other[1] && rest[1] == other[0];
  return same(rest.substr(1), other.substr(1)) ||
         (swapped && same(rest.substr(2), other.substr(2)));
}

bool is_typo_of_name(std::string_view word, std::string_view known) {
  constexpr std::size_t kShortest = 4;
  return word.size() >= kShortest && is_typo_of(word, known) &&
         without_digits(word) != without_digits(known);
}

View find_similarly_named(const Inventory& inventory, std::string_view group, std::string_view kind,
                          std::string_view name_space, std::string_view name) {
  if (name.find('$') != name.npos) return {};
  if (inventory.has(group, kind, name_space, name)) return {};
  View found;
  for (const std::string_view known : inventory.names(group, kind)) {
    if (!is_typo_of_name(name, known)) continue;
    for (View object : inventory.named(group, kind, known)) {
      const std::string_view its = metadata_namespace(object);
      if (!its.empty() && !name_space.empty() && its != name_space) continue;
      if (found) return {};
      found = object;
    }
  }
  return found;
}

View find_in_other_namespace(const Inventory& inventory, std::string_view group,
                             std::string_view kind, std::string_view name_space,
                             std::string_view name) {
  // Kubernetes and OpenShift put these into each namespace.
  constexpr auto everywhere =
      std::to_array<std::string_view>({"default", "kube-root-ca.crt", "openshift-service-ca.crt"});
  if (std::ranges::find(everywhere, name) != everywhere.end()) return {};
  if (name.empty() || name_space.empty() || inventory.has(group, kind, name_space, name)) return {};
  for (View object : inventory.named(group, kind, name)) {
    if (!metadata_namespace(object).empty()) return object;
  }
  return {};
}

bool report_wrong_namespace(const NamedObject& object, CheckContext& context,
                            std::optional<Severity> severity) {
  const Inventory* inventory = context.inventory();
  const std::string_view name = string_of(object.name);
  const View other =
      inventory == nullptr
          ? View()
          : find_in_other_namespace(*inventory, object.group, object.kind, object.name_space, name);
  if (!other) return false;
  const View space = get(get(other, "metadata"), "namespace");
  lint(object.name,
       std::string(object.what) + " " + shown(name) + " is in namespace " + shown(space->text) +
           ", and these pods are in " + shown(object.name_space),
       severity, space, "where it is", context);
  return true;
}

namespace {

/// `trainer` of `trainer-sa`.
std::string_view without_idle(std::string_view name, std::span<const std::string_view> idle) {
  for (std::string_view word : idle) {
    if (name.size() > word.size() + 1 && name.ends_with(word) &&
        name[name.size() - word.size() - 1] == '-') {
      return name.substr(0, name.size() - word.size() - 1);
    }
  }
  return name;
}

/// `train-hi` for `train-high`.
bool is_cut_short(std::string_view name, std::string_view known) {
  constexpr std::size_t kShortest = 6;
  constexpr std::size_t kMost = 3;
  return name.size() >= kShortest && known.starts_with(name) &&
         known.size() - name.size() <= kMost &&
         std::ranges::all_of(known.substr(name.size()), is_lower);
}

/// The only object of its kind there, where its name says the same.
View only_object(const Inventory& inventory, const NamedObject& object) {
  const std::string_view name = string_of(object.name);
  if (object.idle.empty() || name.empty() || name.find('$') != name.npos ||
      inventory.count(object.group, object.kind) > Inventory::kMostNames ||
      inventory.has(object.group, object.kind, object.name_space, name)) {
    return {};
  }
  View found;
  for (View each : inventory.all(object.group, object.kind)) {
    const std::string_view its = string_at(get(each, "metadata"), "namespace");
    if (!its.empty() && !object.name_space.empty() && its != object.name_space) continue;
    if (found) return {};
    found = each;
  }
  const std::string_view known = string_at(get(found, "metadata"), "name");
  if (known.empty()) return {};
  const bool same = without_idle(name, object.idle) == without_idle(known, object.idle);
  return same || is_cut_short(name, known) ? found : View();
}

}  // namespace

bool report_similar_name(const NamedObject& object, CheckContext& context,
                         std::optional<Severity> severity) {
  const Inventory* inventory = context.inventory();
  const std::string_view name = string_of(object.name);
  if (inventory == nullptr) return false;
  View near = find_similarly_named(*inventory, object.group, object.kind, object.name_space, name);
  if (!near) near = only_object(*inventory, object);
  if (!near) return false;
  const View its = get(get(near, "metadata"), "name");
  lint(object.name,
       "no " + std::string(object.what) + " " + shown(name) + " is among the inputs, but " +
           shown(its->text) + " is",
       severity, its, "this one", context);
  return true;
}

}  // namespace trainyard
