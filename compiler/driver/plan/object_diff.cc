#include "driver/plan/object_diff.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "diag/credentials.h"
#include "diag/foreign_text.h"
#include "tree/entry_index.h"
#include "tree/json.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// kubernetes/apimachinery pkg/apis/meta/v1/types.go, ObjectMeta
constexpr std::array<std::string_view, 7> kOfTheServer = {
    "creationTimestamp", "generation", "managedFields",    "resourceVersion",
    "selfLink",          "uid",        "deletionTimestamp"};
constexpr std::string_view kMask = "••••";

/// The differences of the entries of two maps that are not passed over.
template <typename Skip>
void append_entries(View before, View after, const std::string& prefix, Skip skip,
                    std::vector<Difference>& into) {
  const EntryIndex old(before);
  const EntryIndex next(after);
  for (const View entry : Items(before)) {
    if (skip(entry.key())) continue;
    append_differences(entry, next[entry.key()], prefix + std::string(entry.key()), into);
  }
  for (const View entry : Items(after)) {
    if (skip(entry.key()) || old[entry.key()]) continue;
    append_differences(View(), entry, prefix + std::string(entry.key()), into);
  }
}

/// Values as they may be shown.
class Shower {
 public:
  Shower(bool is_secret, const std::string& path) : is_secret_(is_secret), path_(path) {}

  std::string value(View view) const {
    if (!view) return {};
    const bool of_secret = is_secret_ && !path_.starts_with("metadata");
    if (of_secret || is_credential(view)) return std::string(kMask);
    std::string text;
    if (view.is_scalar() && view->kind == Kind::String && !view.text().empty()) {
      text = view.text();
    } else {
      write_json(view.tree(), view.id(), text, 0);
    }
    return foreign_text(text);
  }

 private:
  /// By the name of its field, or of the variable whose value it is.
  bool is_credential(View view) const {
    if (!view.is_scalar()) return false;
    std::string_view name = path_;
    if (name.ends_with("].value")) name.remove_suffix(std::string_view("].value").size());
    const std::size_t begin = name.find_last_of(".[");
    if (begin != std::string_view::npos) name.remove_prefix(begin + 1);
    if (name.ends_with(']')) name.remove_suffix(1);
    return is_named_credential(name, view.text());
  }

  bool is_secret_;
  const std::string& path_;
};

}  // namespace

std::vector<Difference> object_differences(View before, View after) {
  std::vector<Difference> found;
  append_entries(
      before, after, "", [](std::string_view key) { return key == "status" || key == "metadata"; },
      found);
  append_entries(
      before["metadata"], after["metadata"], "metadata.",
      [](std::string_view key) {
        return std::ranges::find(kOfTheServer, key) != kOfTheServer.end();
      },
      found);
  return found;
}

ValueChange shown_change(const Difference& difference, bool is_secret) {
  const Shower shower(is_secret, difference.path);
  return {difference.path, shower.value(difference.before), shower.value(difference.after)};
}

std::vector<ValueChange> changes_between(View before, View after) {
  const bool is_secret = after["kind"].text() == "Secret" || before["kind"].text() == "Secret";
  std::vector<ValueChange> changes;
  for (const Difference& each : object_differences(before, after)) {
    changes.push_back(shown_change(each, is_secret));
  }
  return changes;
}

}  // namespace trainyard
