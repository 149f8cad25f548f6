#pragma once

#include <string>

#include "golden/case.h"

namespace trainyard::golden {

/// Puts one word in the place of each digest of a job (`trainyard/digest`): it changes with every
/// byte of the job's objects, which are compared by themselves.
std::string with_masked_digests(std::string text);
void mask_digests(Expectation& expectation);

}  // namespace trainyard::golden
