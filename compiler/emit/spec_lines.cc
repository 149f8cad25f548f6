#include "emit/spec_lines.h"

#include <algorithm>

#include "source/output_digest.h"

namespace trainyard {
namespace {

/// For each origin the place that a user wrote and that led to it.
class UserPlaces {
 public:
  explicit UserPlaces(const Origins& origins) {
    places_.resize(origins.size());
    // The inputs of an origin were added before it.
    for (OriginId id = 1; id < origins.size(); ++id) {
      const Origin& origin = origins[id];
      Place& place = places_[id];
      if (origin.span.known() && is_written_by_user(origin.kind)) {
        place = {origin.span, origin.kind != OriginKind::Cluster};
      }
      for (const OriginId input : origins.inputs(id)) {
        if (place.is_of_job) break;
        const Place& other = places_[input];
        if (other.is_of_job || !place.span.known()) place = other;
      }
    }
  }

  Span operator[](OriginId id) const { return places_[id].span; }

 private:
  struct Place {
    Span span;
    bool is_of_job = false;  // and not of the Cluster
  };

  static bool is_written_by_user(OriginKind kind) {
    return kind == OriginKind::Spec || kind == OriginKind::Parameter || kind == OriginKind::Lock ||
           kind == OriginKind::Cluster;
  }

  std::vector<Place> places_;
};

std::uint32_t breaks(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  return static_cast<std::uint32_t>(std::ranges::count(text.substr(begin, end - begin), '\n'));
}

}  // namespace

std::vector<SpecLine> spec_lines(const ObjectSet& objects,
                                 const std::vector<WrittenObject>& written, std::string_view text,
                                 const Origins& origins) {
  const UserPlaces places(origins);
  std::vector<SpecLine> lines;
  std::uint32_t line = 1;
  std::uint32_t at = 0;
  for (const WrittenObject& object : written) {
    for (const WrittenNode& node : object.nodes) {
      const Node& value = objects.tree[node.node];
      const Span place = places[value.origin];
      const bool is_of_all = value.text == kDigestToCome;  // every value leads to it
      if (value.size != 0 || !place.known() || is_of_all) continue;
      line += breaks(text, at, node.begin);
      at = node.begin;
      const std::uint32_t end = std::max(node.begin + 1, node.end) - 1;  // it may be a line break
      lines.push_back({line, line + breaks(text, node.begin, end), place});
    }
  }
  return lines;
}

}  // namespace trainyard
