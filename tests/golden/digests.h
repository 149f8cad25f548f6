#pragma once

#include <string>

#include "golden/case.h"

namespace trainyard::golden {

/// Puts one word in the place of each digest of a job (`trainyard/digest`) and of a file (`sha256=`
/// in its header): they change with every byte of what is compared by itself.
std::string with_masked_digests(std::string text);
void mask_digests(Expectation& expectation);

}  // namespace trainyard::golden
