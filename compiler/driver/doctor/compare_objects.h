#pragma once

#include <vector>

#include "driver/doctor/deviation.h"
#include "driver/survey/survey.h"
#include "spec/cluster.h"
#include "tree/tree.h"

namespace trainyard {

/// A Secret that jobs name, and where the Cluster says so.
struct NamedSecret {
  NamedObject object;
  Span place;
};
/// The pull secrets of the Cluster, one for each namespace of jobs.
std::vector<NamedSecret> pull_secrets(const Cluster& cluster, const Tree& tree);

/// How queues, classes, claims, namespaces and the like differ from what a Cluster says of them.
/// What could not be read is not compared.
void compare_objects(const Cluster& cluster, const Survey& survey, Deviations& deviations);
void compare_secrets(const std::vector<NamedSecret>& secrets, const std::vector<Presence>& found,
                     Deviations& deviations);

}  // namespace trainyard
