#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

using Version = std::pair<int, int>;

/// Major and minor of `v1.33.2+k3s1`; nothing when there is no minor.
std::optional<Version> parsed(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  Version version;
  const auto major = std::from_chars(text.data(), end, version.first);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.second);
  return minor.ec == std::errc() ? std::optional(version) : std::nullopt;
}

void run(RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  if (context.in.cluster == nullptr || target.kubernetes.empty()) return;
  const Text& given = context.in.cluster->spec->kubernetes;
  const auto has = given ? parsed(*given) : std::nullopt;
  const auto least = parsed(target.kubernetes);
  if (!has || !least || *has >= *least) return;
  context
      .report(DiagnosticKind::UnsupportedVersion, given.span,
              "target " + code(target.name) + " needs Kubernetes " +
                  std::string(target.kubernetes) + " or later, the Cluster has " +
                  std::string(*given))
      .also(target.span, "the target");
}

}  // namespace

extern const Rule kubernetes_version_check_rule{
    "kubernetes-version-check",
    Rule::Phase::Check,
    "The cluster's Kubernetes knows all that the target writes.",
    "An older API server drops fields that it does not know, without a word.",
    "cluster.kubernetes target.kubernetes",
    "",
    run};

}  // namespace trainyard
