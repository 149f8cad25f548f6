#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/api_error.h"
#include "cluster/http/request.h"

namespace trainyard {

// The API of Run:ai's control plane, as runai-professional-services/runapy .generator/swagger.json
// describes it.

/// The two sorts of workloads that Trainyard makes; each has its own paths.
enum class RunaiSort : std::uint8_t { Training, Distributed };

/// `POST /api/v1/workloads/trainings`. Not repeated: a lost one may have been taken.
Request runai_submit_call(RunaiSort sort, std::string body);
/// The workload with its spec.
Request runai_get_call(RunaiSort sort, std::string_view id);
/// `verb` is `suspend` or `resume`.
Request runai_verb_call(RunaiSort sort, std::string_view id, std::string_view verb);
Request runai_delete_call(RunaiSort sort, std::string_view id);

/// How many items a page of a list has; one with fewer is the last.
inline constexpr std::size_t kRunaiPage = 500;
/// A page of workloads; with a name only those of that name.
Request runai_workloads_call(std::string_view name, std::size_t offset);
Request runai_projects_call(std::size_t offset);
/// What a workload has: `pods` or `events`, the first page.
Request runai_part_call(std::string_view id, std::string_view part);

/// Nothing for an answer that is a success; else what the control plane said, with the fields that
/// a policy refuses.
std::optional<ApiError> runai_error_of(const Answer& answer);
/// An answer that is a success and not what was asked for.
ApiError unreadable_runai_answer();
/// What to do about it; "" where the error says so itself.
std::string_view help_for_runai(const ApiError& error);

}  // namespace trainyard
