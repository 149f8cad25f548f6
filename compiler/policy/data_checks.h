#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "check/check.h"

namespace trainyard {

/// The checks of templates/checks/, in the order of its files. The build makes the rows
/// (cmake/tools/checks.cc), after it has compared their rules with the schemas.
extern const std::span<const Check> data_checks;

/// A file below templates/checks/.
struct DataCheckFile {
  std::string_view path;
  std::size_t checks = 0;  // how many of `data_checks` it has
};
extern const std::span<const DataCheckFile> data_check_files;

// Asks the check of `data_checks` that the context uses.

void ask_data_check_of_pod(const Pod& pod, CheckContext& context);
void ask_data_check_of_job(const Job& job, CheckContext& context);
void ask_data_check_of_object(View object, CheckContext& context);

}  // namespace trainyard
