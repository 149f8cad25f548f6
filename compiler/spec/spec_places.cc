#include "spec/spec_places.h"

#include <algorithm>
#include <tuple>

namespace trainyard {
namespace {

auto order(Span span) {
  return std::tuple(span.file, span.begin, span.end);
}

}  // namespace

bool SpecPlaces::has(FileId file) const {
  return std::ranges::find(files, file) != files.end();
}

void SpecPlaces::add(PlaceBehind behind) {
  const bool known = std::ranges::any_of(behind_, [&](const PlaceBehind& each) {
    return each.value == behind.value && each.place == behind.place && each.kind == behind.kind;
  });
  if (!known) behind_.push_back(behind);
}

void SpecPlaces::finish() {
  std::ranges::stable_sort(behind_, {}, [](const PlaceBehind& each) { return order(each.value); });
}

OriginId SpecPlaces::origin(Origins& origins, Span value) const {
  const auto found = std::ranges::equal_range(
      behind_, order(value), {}, [](const PlaceBehind& each) { return order(each.value); });
  OriginKind kind = OriginKind::Spec;
  std::string_view name;
  std::vector<OriginId> inputs;
  for (const auto& [place, parameter] : parameters_) {
    if (!(place == value)) continue;
    kind = OriginKind::Parameter;
    name = parameter;
  }
  for (const PlaceBehind& each : found) {
    inputs.push_back(
        origins.add(each.kind, each.place,
                    each.kind == OriginKind::Parameter ? each.parameter : std::string_view()));
  }
  return origins.add(kind, value, name, inputs);
}

}  // namespace trainyard
