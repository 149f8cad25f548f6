#pragma once

#include <optional>
#include <string_view>

#include "rules/rule_context.h"

namespace trainyard {

/// What is asked for, by the job or by the Cluster's defaults.
struct WantedScheduling {
  Located<SchedulingSystem> system;
  std::optional<SchedulingSystem> of_target;  // which is a system itself
  const Text* queue = nullptr;
  const Text* priority = nullptr;
  const Text* scheduler = nullptr;

  SchedulingSystem id() const {
    return of_target ? *of_target : system.value_or(SchedulingSystem::None);
  }
  bool is(SchedulingSystem which) const { return id() == which; }
  std::string_view word() const { return spelling(id()); }
};

/// What a system is, whatever it queues.
struct QueueingSystem {
  SchedulingSystem id;
  std::string_view name;         // for people
  std::string_view scheduler;    // its usual name in the pods; "" for the default scheduler
  std::string_view queue_label;  // on the main object and its pods; "" for none
  bool needs_queue = false;
  bool gangs = false;      // it can start pods together
  bool times_out = false;  // it takes a limit for that
  std::optional<Operator> op;
};

/// The system that is asked for; null when it is none.
const QueueingSystem* find_system(const WantedScheduling& wanted);
/// The system whose queue a label names; null for other labels.
const QueueingSystem* system_of_label(std::string_view label);
/// The spec before the Cluster's defaults.
WantedScheduling wanted_scheduling(const RuleContext& context);

/// Whether pods that are made later are no part of the gang: a system's own jobs say how many pods
/// start together, KAI gets the number of roles, and the controllers of others count all.
inline bool gang_without_later_pods(const Queueing& how) {
  return (how.always && how.group_by_controller) || how.system == spelling(SchedulingSystem::Kai);
}

}  // namespace trainyard
