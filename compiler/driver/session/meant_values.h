#pragma once

#include <vector>

#include "schema/violation.h"
#include "tree/tree.h"

namespace trainyard {

/// Adds to the faults of a TrainingJob or Cluster what its author very likely meant: the shapes of
/// Kubernetes
/// (`env` as a list of names and values), one text in place of a list, words of other tools
/// (`torch`, `pvc`, `replicas`), amounts in words (`3 days`, `64 cores`).
void add_meant_values(std::vector<Violation>& violations, const Tree& tree);

}  // namespace trainyard
