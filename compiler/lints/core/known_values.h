#pragma once

#include <span>
#include <string_view>

#include "check/check.h"
#include "tree/tree.h"

namespace trainyard {

// Words of others that are read when it is too late.

/// The known word that is one typo away; "" for a word that is known, and where none is near.
std::string_view closest_known_value(std::string_view word,
                                     std::span<const std::string_view> known);
/// A value from which a program reads the leading digits, and drops the rest.
void check_digits(View value, std::string_view program, CheckContext& context);

/// Variables of PyTorch that it cannot read.
void check_torch_variables(const Pod& pod, CheckContext& context);
/// Parameters for `ray start` that it does not have, or that shut the operator out.
void check_ray_start(const Workload& workload, CheckContext& context);
/// Labels of nodes that are nearly those that nodes have.
void check_node_labels(const Pod& pod, CheckContext& context);
/// Amounts of processors that no machine has.
void check_processors(const Pod& pod, CheckContext& context);

}  // namespace trainyard
