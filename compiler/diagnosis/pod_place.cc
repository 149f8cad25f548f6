#include "diagnosis/pod_place.h"

#include <charconv>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end || value < 0) return std::nullopt;
  return value;
}

void complete(PodPlace& place, View metadata, const JobKind& kind) {
  const View labels = get(metadata, "labels");
  for (const PodMarks& marks : kind.pods) {
    for (std::string_view key : marks.role) {
      if (place.role.empty()) place.role = string_at(labels, key);
    }
    for (std::string_view key : marks.index) {
      if (!place.index) place.index = number(string_at(labels, key));
      if (!place.index) place.index = number(string_at(get(metadata, "annotations"), key));
    }
  }
}

}  // namespace

PodPlace place_of(View pod, const JobKind& kind) {
  const View metadata = get(pod, "metadata");
  PodPlace place;
  complete(place, metadata, kind);
  if (place.index) return place;
  for (const JobKind& each : JobKinds::builtin().all()) complete(place, metadata, each);
  return place;
}

}  // namespace trainyard
