#include "driver/validate/json_pointer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Steps = std::vector<std::string>;

/// RFC 6901: `~1` is a slash, and `~0` a tilde.
Steps steps_of(std::string_view pointer) {
  Steps steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '/') {
      steps.emplace_back();
    } else if (!steps.empty() && c == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!steps.empty()) {
      steps.back() += c;
    }
  }
  return steps;
}

/// The entry of a map or the item of a list; empty for none.
View entry_of(View value, const std::string& step) {
  if (value->is_map()) return value[step];
  const auto index = read_number<std::size_t>(step);
  if (!value->is_seq() || !index || *index >= value->size) return View();
  auto item = Items(value).begin();
  for (std::size_t i = 0; i < *index; ++i) ++item;
  return *item;
}

/// Whether an earlier change decides what is at a place: it is above or below, or in the same list,
/// where it moves others.
bool is_decided(const Steps& place, const std::vector<Steps>& changed) {
  return std::ranges::any_of(changed, [&](Steps each) {
    if (!each.empty() && (each.back() == "-" || read_number<std::size_t>(each.back())))
      each.pop_back();
    const std::size_t both = std::min(each.size(), place.size());
    return std::equal(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(both),
                      place.begin());
  });
}

std::string path_of(const Steps& steps, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) path += "/" + steps[i];
  return path;
}

/// kustomize keeps notes of its own in the annotations of an object while it works on it.
bool is_always_there(const Steps& steps, std::size_t count) {
  return count == 2 && steps[0] == "metadata" && steps[1] == "annotations";
}

std::optional<std::string> fault_of(std::string_view operation, const Steps& steps, View object) {
  View at = object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const View next = entry_of(at, steps[i]);
    if (!next && is_always_there(steps, i + 1) && operation != "remove") return std::nullopt;
    if (!next || next.kind() == Kind::Null) {
      return "has no " + shown(path_of(steps, i + 1)) + " for " + shown(operation) + " of " +
             shown(path_of(steps, steps.size()));
    }
    at = next;
  }
  if (operation == "remove" && !entry_of(at, steps.back())) {
    return "has no " + shown(path_of(steps, steps.size())) + " for `remove`";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> first_fault_of_patch(View operations, View object) {
  std::vector<Steps> changed;
  for (View each : Items(operations)) {
    if (!each->is_map()) return std::nullopt;
    const std::string_view operation = string_at(each, "op");
    const Steps steps = steps_of(string_at(each, "path"));
    const bool is_known = operation == "add" || operation == "remove" || operation == "replace";
    if (!is_known || steps.empty()) return std::nullopt;
    if (!is_decided(steps, changed)) {
      if (auto fault = fault_of(operation, steps, object)) return fault;
    }
    changed.push_back(steps);
  }
  return std::nullopt;
}

}  // namespace trainyard
