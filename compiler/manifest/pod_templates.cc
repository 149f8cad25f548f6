#include "manifest/pod_templates.h"

#include <algorithm>
#include <vector>

#include "shape/shape_file.h"

namespace trainyard {
namespace {

struct FillWord {
  std::string_view word;
  std::uint16_t fill;
};

constexpr FillWord kFillWords[] = {
    {"sets-restart-policy", kSetsRestartPolicy},
    {"adds-volumes", kAddsVolumes},
    {"adds-images", kAddsImages},
    {"adds-containers", kAddsContainers},
    {"adds-claims", kAddsClaims},
    {"sets-hostname", kSetsHostname},
    {"runs-forever", kRunsForever},
    {"is-pod", kIsPod},
    {"is-patch", kIsPatch},
};

std::uint16_t controller_defaults_of(View words) {
  std::uint16_t controller_defaults = 0;
  if (!words) return controller_defaults;
  for (View each = words.first(); each; each = each.next()) {
    const auto* known = std::ranges::find(kFillWords, each.text(), &FillWord::word);
    if (known != std::end(kFillWords)) controller_defaults |= known->fill;
  }
  return controller_defaults;
}

PodPlace place_of(View kind, View pods) {
  return {kind["group"].text(),     kind["kind"].text(),
          pods["at"].text(),        controller_defaults_of(pods["controller"]),
          pods["volumesAt"].text(), pods["volumes"]};
}

/// The kinds of the file; an empty view where it has none.
View first_kind() {
  const View kinds = View(shape_file(), shape_file().root())["kinds"];
  return kinds ? kinds.first() : View();
}

std::vector<PodPlace> read_places() {
  std::vector<PodPlace> places;
  for (View kind = first_kind(); kind; kind = kind.next()) {
    const View pods = kind["pods"];
    for (View each = pods ? pods.first() : View(); each; each = each.next()) {
      places.push_back(place_of(kind, each));
    }
  }
  return places;
}

std::vector<PodlessKind> read_no_places() {
  std::vector<PodlessKind> places;
  for (View kind = first_kind(); kind; kind = kind.next()) {
    if (const View because = kind["noPods"]) {
      places.push_back({kind["group"].text(), kind["kind"].text(), because.text()});
    }
  }
  return places;
}

}  // namespace

std::span<const PodPlace> pod_places() {
  static const std::vector<PodPlace> places = read_places();
  return places;
}

std::span<const PodlessKind> podless_kinds() {
  static const std::vector<PodlessKind> places = read_no_places();
  return places;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : api_version.substr(0, slash);
}

}  // namespace trainyard
