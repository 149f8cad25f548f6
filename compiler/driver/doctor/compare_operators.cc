#include "driver/doctor/compare_operators.h"

#include <algorithm>

#include "diag/words.h"

namespace trainyard {
namespace {

std::string_view take_part(std::string_view& version) {
  const std::size_t dot = std::min(version.find('.'), version.size());
  const std::string_view part = version.substr(0, dot);
  version.remove_prefix(std::min(dot + 1, version.size()));
  return part;
}

void compare_server(const Cluster& cluster, const Survey& survey, Deviations& deviations) {
  const Text& stated = cluster.spec->kubernetes;
  if (!stated || survey.kubernetes.empty() || is_release(*stated, survey.kubernetes)) return;
  // Patch releases change no API: what counts is the minor release.
  const std::string real = release_in(survey.kubernetes);
  const std::string_view text = *stated;
  const std::size_t dot = text.find('.');
  const std::size_t second = dot == std::string_view::npos ? dot : text.find('.', dot + 1);
  if (is_release(text.substr(0, second), real)) return;
  deviations
      .add(kServerRelease, stated.span,
           "the API server is Kubernetes " + real + ", and the Cluster states " + std::string(text))
      .note("fields and API versions are checked for " + std::string(text));
}

const RealOperator* find_real(const std::vector<RealOperator>& real, std::string_view name) {
  const auto found = std::ranges::find_if(real, [name](const RealOperator& each) {
    return words(Operator{})[static_cast<std::size_t>(each.which)] == name;
  });
  return found == real.end() ? nullptr : &*found;
}

void compare_listed(const Cluster& cluster, const std::vector<RealOperator>& real,
                    Deviations& deviations) {
  for (const auto& entry : *cluster.spec->operators) {
    const RealOperator* found = find_real(real, entry.key);
    if (found == nullptr) {
      const auto names = words(Operator{});
      const auto at = std::ranges::find(names, entry.key);
      const std::string_view kind =
          at == names.end() ? "" : kind_of(static_cast<Operator>(at - names.begin()));
      deviations
          .add(kOperatorMissing, entry.key_span,
               "operator " + shown(entry.key) + " is not installed")
          .note("the API server has no kind " + shown(kind));
    } else if (!found->version.empty() && !is_release(*entry.value, found->version)) {
      deviations
          .add(kOperatorRelease, entry.value.span,
               "operator " + shown(entry.key) + " is " + found->version +
                   ", and the Cluster states " + std::string(*entry.value))
          .note("by " + found->told_by)
          .fix(entry.value.span, "'" + found->version + "'", "write `'" + found->version + "'`");
    }
  }
}

void find_not_listed(const Cluster& cluster, const std::vector<RealOperator>& real,
                     Deviations& deviations) {
  const TextMap& listed = cluster.spec->operators;
  if (!listed) return;
  for (const RealOperator& each : real) {
    const std::string_view name = words(Operator{})[static_cast<std::size_t>(each.which)];
    if (find(*listed, name) != nullptr) continue;
    deviations
        .add(kOperatorNotListed, listed.span,
             "operator " + shown(name) + (each.version.empty() ? "" : " " + each.version) +
                 " is installed and not listed, so it counts as absent")
        .note("the API server has its kind " + shown(each.kind));
  }
}

}  // namespace

void compare_releases(const Cluster& cluster, const Survey& survey, Deviations& deviations) {
  compare_server(cluster, survey, deviations);
  const std::vector<RealOperator> real = real_operators(survey);
  compare_listed(cluster, real, deviations);
  find_not_listed(cluster, real, deviations);
}

bool is_release(std::string_view stated, std::string_view real) {
  if (stated.starts_with('v')) stated.remove_prefix(1);
  if (real.starts_with('v')) real.remove_prefix(1);
  // What a distribution appends is no part of the release: `1.34.2-gke.1`, `1.34.2+k3s1`.
  stated = stated.substr(0, stated.find_first_of("+-"));
  real = real.substr(0, real.find_first_of("+-"));
  while (!stated.empty()) {
    if (take_part(stated) != take_part(real)) return false;
  }
  return true;
}

}  // namespace trainyard
