#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/check_context.h"
#include "manifest/pod.h"
#include "tree/quantity.h"
#include "tree/tree.h"

namespace trainyard {

/// The keys of a map of amounts are resources that a container can have.
void check_resource_names(View amounts, CheckContext& context);
/// No amount is negative, and those of extended resources are whole.
void check_resource_amounts(View amounts, CheckContext& context);
/// Whether an amount is one of whole things.
bool is_whole(const Quantity& amount);
/// `example.com/gpu`: of a device plugin or a driver, and not of the system itself.
bool is_extended_resource(std::string_view name);

/// Digits alone, which count bytes, and less than a mebibyte of them: the unit was forgotten.
bool lacks_a_unit(std::string_view amount);
/// The message about it: "64 bytes: the limit has no unit; did you mean `64Gi` or `64Mi`?".
std::string without_unit(std::string_view amount, std::string_view what);

/// What a pod requests of a resource: the sum over the containers that run at the same time, or the
/// largest init container. A limit stands for a request that is left out. Nothing when no container
/// says anything.
std::optional<Quantity> requested(const Pod& pod, std::string_view name);
/// The same for its limits.
std::optional<Quantity> limited(const Pod& pod, std::string_view name);

}  // namespace trainyard
