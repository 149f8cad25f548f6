#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "convert/conversion.h"

namespace trainyard {

/// Notes a value of the pods of `role` that a spec says once, at `field`, for the pods of all
/// roles. A role is known by its fields. Where not all have it, `own` says it of the role alone.
void say_of_role(Conversion& job, NodeId role, std::vector<std::string_view> field, NodeId value,
                 View from, std::function<void(NodeId fields)> own);

/// Notes a value that each of several programs says for itself where they differ, for the one that
/// is being read. In a job of one program it is that of the job.
void say_of_program(Conversion& job, std::vector<std::string_view> field, NodeId value, View from);

/// Once all pod templates have been read: values that all roles share are stated once, and the rest
/// of each role. Notes that have been settled are gone, so that it can be called again.
void merge_role_values(Conversion& job);

}  // namespace trainyard
