#pragma once

#include <string_view>

#include "rules/rule_context.h"

namespace trainyard {

/// Whether GPUs of these nodes come by claims, and who says so; null when a device plugin hands
/// them out.
const Located<GpuAllocation>* claims_of_gpus(const RuleContext& context, const NodeShape& nodes);

/// An entry of the pod's claims, made from a template, and that the training container uses it.
void add_claim(RuleContext& context, Role& role, std::string_view name,
               std::string_view of_template, OriginId origin);

/// A template of claims that the job brings along; one of the same name is there only once.
void add_claim_template(RuleContext& context, const DeviceClaimPlan& claim);

}  // namespace trainyard
