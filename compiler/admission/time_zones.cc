#include "admission/time_zones.h"

#include <algorithm>
#include <array>
#include <vector>

#include "diag/suggest.h"
#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_time_zones();

namespace {

const std::vector<std::string_view>& zones() {
  static const Tree tree = embedded_tree(embedded_time_zones(), "time-zones.yaml");
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (View each : Items(View(tree, tree.root()))) all.push_back(each->text);
    return all;
  }();
  return names;
}

/// `/usr/share/zoneinfo` has every zone in these folders as well.
constexpr std::array<std::string_view, 2> kCopies = {"posix/", "right/"};

}  // namespace

bool is_time_zone(std::string_view name) {
  for (std::string_view copy : kCopies) {
    if (name.starts_with(copy)) name.remove_prefix(copy.size());
  }
  return std::ranges::binary_search(zones(), name);
}

std::optional<std::string_view> similar_time_zone(std::string_view name) {
  return suggest(name, zones());
}

}  // namespace trainyard
