#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "plan/plan.h"
#include "plan/platform_plan.h"

namespace trainyard {

/// What a hole can see: the whole plan, of a job or of a platform, and the items of the loops
/// around it.
struct Scope {
  const Plan* plan = nullptr;
  const Role* role = nullptr;
  const EnvVar* env = nullptr;
  const VolumeMount* mount = nullptr;
  const NamedValue* pair = nullptr;  // a label, an annotation, a limit
  NodeId node = kNoNode;             // a toleration, a port
  std::size_t index = 0;             // of the item in the innermost loop over such nodes
  const ConfigMapPlan* config_map = nullptr;
  const ClaimPlan* claim = nullptr;
  const ExitRule* exit = nullptr;
  const DeviceClaimPlan* device_claim = nullptr;
  const Fragment* sidecar = nullptr;
  const DataPlan* data = nullptr;  // an input or an output
  const RoleWait* wait = nullptr;
  const IsolationPlan* isolation = nullptr;
  const GroupPlan* group = nullptr;
  PlatformScope platform = {};  // where the whole is a platform and no job
};

/// The pod template of the role in scope, filled from the shared pod template.
struct PodOfRole {};

/// The value of a field: nothing when no rule has set it, or when a list or map is empty.
struct PlanValue {
  std::variant<std::monostate, std::string_view, std::int64_t, bool, NodeId,
               std::span<const NamedValue>, std::span<const CommandWord>, std::span<const Fragment>,
               std::span<const Volume>, PodOfRole>
      value;
  OriginId origin = kNoOrigin;

  bool present() const { return value.index() != 0; }
};

/// A field of the plan as templates name it.
struct PlanField {
  std::string_view path;      // "role.image"
  bool structure = false;     // a list or map: a hole for it stands alone
  std::string_view sentence;  // what it is, for the people who write templates
  PlanValue (*get)(const Scope&) = nullptr;
};

/// A list that a template can loop over. Its items are in scope under `item`.
struct PlanLoop {
  std::string_view path;  // "role.env"
  std::string_view item;  // "env"
  std::size_t (*size)(const Scope&) = nullptr;
  void (*enter)(Scope&, std::size_t index) = nullptr;
};

/// What the templates of one sort of plan can name.
struct FieldSet {
  std::span<const PlanField> fields;        // sorted by path
  std::span<const PlanLoop> loops;          // sorted by path
  std::span<const std::string_view> roots;  // what is in scope everywhere: "job"

  const PlanField* field(std::string_view path) const;
  const PlanLoop* loop(std::string_view path) const;
};

/// For the templates of targets, which are filled from a Plan.
const FieldSet& job_fields();
/// For the templates of a platform's objects, which are filled from a PlatformPlan.
const FieldSet& platform_fields();

/// The fields and loops of jobs, sorted by path.
std::span<const PlanField> plan_fields();
std::span<const PlanLoop> plan_loops();
const PlanField* find_plan_field(std::string_view path);
const PlanLoop* find_plan_loop(std::string_view path);

}  // namespace trainyard
