#include "platform/platform_context.h"

#include <algorithm>

namespace trainyard {

OriginId PlatformContext::from(Span span) const {
  if (!span.known()) return kNoOrigin;
  const bool own = span.file == in.cluster->spec.span.file;
  return origins.add(own ? OriginKind::Cluster : OriginKind::Catalogue, span);
}

std::vector<NamedValue> PlatformContext::given(const TextMap& map) const {
  std::vector<NamedValue> result;
  for (const auto& entry : *map) {
    result.push_back({entry.key, *entry.value, from(entry.value.span)});
  }
  return result;
}

View PlatformContext::shape(const Shape& part) const {
  if (!part) return {};
  const bool own = part.span.file == in.cluster->spec.span.file;
  const Tree* tree = own ? in.cluster_tree : in.machines->tree(part.span.file);
  return tree == nullptr ? View() : View(*tree, part.node);
}

bool PlatformContext::has(Operator which) const {
  return !cluster.operators || operator_version(*in.cluster, which).given();
}

std::optional<Release> PlatformContext::release_of(Operator which) const {
  const Text version = operator_version(*in.cluster, which);
  return version ? release(*version) : std::nullopt;
}

Field<std::string_view> PlatformContext::api(Operator which, Span asked) {
  const std::string_view name = words(which)[static_cast<std::size_t>(which)];
  const auto known = release_of(which);
  const ApiVersion* oldest = nullptr;
  const ApiVersion* best = nullptr;
  for (const ApiVersion& each : in.apis) {
    if (each.of != name) continue;
    if (oldest == nullptr) oldest = &each;
    const auto since = release(each.since);
    if (!known || !since || *since <= *known) best = &each;
  }
  const Text version = operator_version(*in.cluster, which);
  if (best != nullptr) {
    const OriginId origin = version ? because({from(version.span)})
                                    : because({origins.add(OriginKind::Default, {}, "operators")});
    return {best->version, origin, true};
  }
  const bool said = std::ranges::find(too_old_, which) != too_old_.end();
  if (oldest != nullptr && !said) {
    too_old_.push_back(which);
    report(DiagnosticKind::UnsupportedVersion, version.span,
           "objects of " + code(name) + " " + std::string(*version) +
               " are not written; expected " + std::string(oldest->since) + " or later")
        .also(asked, "what needs them");
  }
  return {};
}

}  // namespace trainyard
