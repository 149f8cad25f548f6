#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

// How the ranks of a job meet is worked out by a build. What the input says of it is held against
// that, and is left out where both agree.

/// Whether an option of a launcher says how ranks meet; its name in kebab-case without dashes.
bool is_rendezvous_option(std::string_view name);

/// Takes such an option into the fields of the job. Why it cannot be taken, if so.
std::optional<std::string> settle_rendezvous_option(Conversion& job, ConvertedRole& role,
                                                    std::string_view name, std::string_view value);

/// Whether a value stands for whatever a variable has: `$(RANK)`, `${RANK}`, `$RANK`.
bool is_variable(std::string_view value);

/// Reports numbers of processes that are not those of all roles.
void settle_worker_counts(Conversion& job);

}  // namespace trainyard
