#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "convert/conversion.h"

namespace trainyard {

/// The groups of pods of a JobSet or a Volcano Job, by name; empty for other kinds.
std::vector<std::string_view> names_of_groups(View object);

/// Whether the object is a JobSet or a Volcano Job whose groups of pods are programs of their own:
/// the name of one is none that a role of the language goes by.
bool has_programs(View object);

/// Whether these replicated jobs are programs, also those of a JobSet that Trainer makes.
bool are_programs(View replicated_jobs);

/// Reads the pods of a program. Meanwhile the program is the whole job: ranks, framework and
/// processes are its own.
void read_program(Conversion& job, std::string_view name, std::int64_t pods,
                  const std::function<void(const ConvertedRole&)>& read_pods);

/// Whether the program that was read last has no ranks of a build.
bool counts_by_itself(const Conversion& job, const ConvertedRole& program);

/// The program that was read last starts after another one.
void put_after(Conversion& job, std::string_view other, std::string_view state);

/// The programs whose end is that of the job, by name. Without one the job waits for the end of its
/// servers, too.
void put_ends(Conversion& job, const std::vector<std::string_view>& enders);

}  // namespace trainyard
