#include "kind/field_changes.h"

#include <unordered_map>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

class Comparing {
 public:
  Comparing(const JobKind& kind, View job) : kind_(kind), job_(job) {}

  void compare(View before, View after, const std::string& path) {
    const bool maps = before && after && before->is_map() && after->is_map();
    const bool lists = before && after && before->is_seq() && after->is_seq();
    if (maps) {
      entries(before, after, path);
    } else if (lists) {
      items(before, after, path);
    } else if (!same(before, after)) {
      changes_.push_back({path, before, after, effect_of(kind_, job_, path)});
    }
  }

  std::vector<FieldChange> run() { return std::move(changes_); }

 private:
  static bool same(View before, View after) {
    if (!before || !after) return !before && !after;
    return before.kind() == after.kind() && before->text == after->text &&
           before->size == after->size;
  }

  void entries(View before, View after, const std::string& path) {
    for (View each : Items(before)) {
      compare(each, get(after, each.key()), step(path, each.key()));
    }
    for (View each : Items(after)) {
      if (!get(before, each.key())) compare({}, each, step(path, each.key()));
    }
  }

  /// A key with dots in it stands in brackets.
  static std::string step(const std::string& path, std::string_view key) {
    if (key.find('.') != key.npos) return path + "[" + std::string(key) + "]";
    return path + "." + std::string(key);
  }

  /// By `name`, or by number.
  static std::string label(View item, std::size_t index) {
    const std::string_view name = item->is_map() ? string_at(item, "name") : std::string_view();
    return name.empty() ? std::to_string(index) : std::string(name);
  }

  void items(View before, View after, const std::string& path) {
    std::unordered_map<std::string, View> old;
    std::size_t index = 0;
    for (View each : Items(before)) old.emplace(label(each, index++), each);
    index = 0;
    std::unordered_map<std::string, View> now;
    for (View each : Items(after)) {
      const std::string name = label(each, index++);
      if (!now.emplace(name, each).second) continue;
      const auto found = old.find(name);
      compare(found == old.end() ? View() : found->second, each, path + "[" + name + "]");
    }
    index = 0;
    for (View each : Items(before)) {
      const std::string name = label(each, index++);
      if (!now.contains(name)) compare(each, {}, path + "[" + name + "]");
    }
  }

  const JobKind& kind_;
  View job_;
  std::vector<FieldChange> changes_;
};

}  // namespace

std::vector<FieldChange> field_changes(const JobKind& kind, View before, View after) {
  Comparing comparing(kind, before);
  comparing.compare(get(before, "spec"), get(after, "spec"), "spec");
  for (const char* each : {"labels", "annotations"}) {
    comparing.compare(get(get(before, "metadata"), each), get(get(after, "metadata"), each),
                      std::string("metadata.") + each);
  }
  return comparing.run();
}

}  // namespace trainyard
