#pragma once

#include <optional>
#include <string_view>

#include "spec/training_job.h"

namespace trainyard {

/// The role of the language that was meant where nothing but a name makes the role a program:
/// `Launcher`, `parameterServer`.
std::optional<std::string_view> meant_role(const Entry<RoleSpec>& role);

}  // namespace trainyard
