#include "plan/target_facts.h"

#include <algorithm>

namespace trainyard {
namespace {

bool is_listed(const std::vector<std::string_view>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool any_or_listed(const std::vector<std::string_view>& list, std::string_view name) {
  return list.empty() || is_listed(list, name);
}

/// The digits of the largest index among so many pods.
std::int64_t digits(std::int64_t pods) {
  return static_cast<std::int64_t>(std::to_string(std::max<std::int64_t>(pods, 1) - 1).size());
}

/// The most characters that the name of a job may have for one form of a derived name.
std::int64_t room(std::string_view form, const RoleCount& role, std::int64_t limit) {
  std::int64_t jobs = 0;
  std::int64_t rest = 0;
  while (!form.empty()) {
    const auto takes = [&form](std::string_view hole) {
      if (!form.starts_with(hole)) return false;
      form.remove_prefix(hole.size());
      return true;
    };
    if (takes("{job}")) {
      ++jobs;
    } else if (takes("{role}")) {
      rest += static_cast<std::int64_t>(role.name.size());
    } else if (takes("{index}")) {
      rest += digits(role.pods);
    } else if (takes("{group}")) {
      rest += digits(role.groups);
    } else {
      ++rest;
      form.remove_prefix(1);
    }
  }
  return (limit - rest) / std::max<std::int64_t>(jobs, 1);
}

}  // namespace

bool RoleShape::fits(std::string_view framework, bool started_by_mpirun) const {
  return any_or_listed(frameworks, framework) && (started_by_mpirun || !by_mpirun);
}

std::vector<RoleCount> RoleShape::split(std::int64_t nodes, bool is_elastic) const {
  const std::vector<std::string_view>& names = is_elastic && !elastic.empty() ? elastic : even;
  std::vector<RoleCount> result;
  for (std::size_t i = 0; i + 1 < names.size() && nodes > 0; ++i, --nodes) {
    result.push_back({names[i], 1});
  }
  if (nodes > 0 || result.empty()) result.push_back({names.back(), nodes});
  return result;
}

std::int64_t TargetFacts::longest_name(std::span<const RoleCount> roles, bool are_programs) const {
  std::int64_t pods = 0;
  std::int64_t result = name_limit;
  const auto fit = [&](const std::vector<std::string_view>& forms) {
    for (std::string_view form : forms) {
      for (const RoleCount& role : roles) result = std::min(result, room(form, role, name_limit));
    }
  };
  for (const RoleCount& role : roles) pods += role.pods;
  if (are_programs && !programs.names.empty()) {
    fit(programs.names);
    return result;
  }
  fit(derived_names);
  if (pods > 1) fit(derived_names_of_several);
  return result;
}

const RoleShape& TargetFacts::shape_for(std::string_view framework, bool started_by_mpirun) const {
  for (const RoleShape& shape : role_shapes) {
    if (shape.fits(framework, started_by_mpirun)) return shape;
  }
  static const RoleShape kWorkers = [] {
    RoleShape shape;
    shape.even = {"worker"};
    return shape;
  }();
  return kWorkers;
}

const Queueing* TargetFacts::queueing_by(std::string_view system) const {
  for (const Queueing& row : queueing) {
    if (row.system == system) return &row;
  }
  return nullptr;
}

bool TargetFacts::injects(const JobTraits& job, std::string_view variable) const {
  return std::any_of(injected.begin(), injected.end(), [&](const InjectedVariables& row) {
    return is_listed(row.names, variable) && any_or_listed(row.frameworks, job.framework) &&
           (row.role.empty() || is_listed(job.roles, row.role)) &&
           (row.without.empty() || !is_listed(job.roles, row.without)) &&
           (!row.elastic || job.is_elastic);
  });
}

}  // namespace trainyard
