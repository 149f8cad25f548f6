#include "manifest/versions.h"

namespace trainyard {

void Versions::add(std::string_view name, std::string_view version) {
  if (const auto known = release(version)) operators_.push_back({std::string(name), *known});
}

std::optional<Release> Versions::of(std::string_view name) const {
  if (name == "kubernetes") return Release{kubernetes.major, kubernetes.minor, 0};
  for (const Known& each : operators_) {
    if (each.name == name) return each.version;
  }
  return std::nullopt;
}

bool Versions::within(const OperatorSpan& span) const {
  return span.name.empty() || span.holds(of(span.name));
}

}  // namespace trainyard
