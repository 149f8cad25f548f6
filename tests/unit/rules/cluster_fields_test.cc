// Which fields of a Cluster the rules for jobs use, and which they leave alone for now and why.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"
#include "spec/cluster.h"
#include "spec/field_table.h"

using namespace trainyard;

namespace {

struct Unused {
  std::string_view field;  // or a group of them
  std::string_view because;
};

constexpr Unused kUnused[] = {
    {"defaults.target", "the driver chooses the target before the rules run"},
    {"gpu.cdi", "pods are the same with and without it, but for the runtime class"},
    {"gpu.namespace", "only the platform's own objects are there"},
    {"network.clusterDomain", "host names of ranks are relative to the namespace of the job"},
    {"queues.system", "only Kueue is written yet; a queue of another system is never asked for"},
    {"queues.weight", "the queueing system goes by it"},
    {"queues.preemption", "the queueing system goes by it"},
    {"priorityClasses.preemptionPolicy", "the scheduler goes by it"},
    {"priorityClasses.globalDefault", "the API server gives it to pods without a class"},
    {"priorityClasses.description", "is for people"},
    {"priorityClasses.existing", "is about the platform's objects"},
    {"network.gkeNetworks",
     "is behind the networks of a fabric, and is made with the platform's objects"},
    {"runtimes.image", "is about the platform's objects"},
    {"runtimes.mpi", "is about the platform's objects"},
    {"runtimes.gang", "is about the platform's objects"},
    {"runtimes.existing", "is about the platform's objects"},
    {"api.context", "is for commands that ask a cluster"},
    {"api.server", "is for commands that ask a cluster"},
    {"gitops.namespace", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.project", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.repository", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.revision", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.path", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.server", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.gate", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.gateTimeout", "is for the objects of Argo CD and Flux, which `render` writes"},
    {"gitops.prune", "is for the objects of Argo CD and Flux, which `render` writes"},
};

bool is_below(std::string_view field, std::string_view group) {
  return field.starts_with(group) && (field.size() == group.size() || field[group.size()] == '.');
}

void leaves(const FieldTable& table, const std::string& path, std::vector<std::string>& result) {
  for (const FieldRow& row : table.fields) {
    const std::string field = path + (path.empty() ? "" : ".") + std::string(row.name);
    if (row.group != nullptr) {
      leaves(row.group(), field, result);
    } else {
      result.push_back(field);
    }
  }
}

std::vector<std::string> cluster_leaves() {
  std::vector<std::string> result;
  for (const FieldRow& row : cluster_fields().fields) {
    if (row.name == "spec") leaves(row.group(), "", result);
  }
  return result;
}

bool is_read(std::string_view field) {
  for (const Rule* rule : all_rules()) {
    std::string_view reads = rule->reads;
    while (!reads.empty()) {
      const std::size_t end = std::min(reads.find(' '), reads.size());
      const std::string_view name = reads.substr(0, end);
      reads.remove_prefix(std::min(end + 1, reads.size()));
      constexpr std::string_view kCluster = "cluster.";
      if (name.starts_with(kCluster) && is_below(field, name.substr(kCluster.size()))) return true;
    }
  }
  return false;
}

bool is_excused(std::string_view field) {
  return std::ranges::any_of(kUnused,
                             [&](const Unused& row) { return is_below(field, row.field); });
}

}  // namespace

TEST_CASE("every field of a Cluster is read by a rule, or there is a reason") {
  for (const std::string& field : cluster_leaves()) {
    INFO(field);
    CHECK((is_read(field) || is_excused(field)));
  }
}

TEST_CASE("no field of a Cluster has a reason not to be read and is read") {
  for (const std::string& field : cluster_leaves()) {
    INFO(field);
    CHECK_FALSE((is_read(field) && is_excused(field)));
  }
}

TEST_CASE("reasons are for fields that exist") {
  const std::vector<std::string> fields = cluster_leaves();
  for (const Unused& row : kUnused) {
    INFO(row.field);
    CHECK(
        std::ranges::any_of(fields, [&](const auto& field) { return is_below(field, row.field); }));
    CHECK_FALSE(row.because.empty());
  }
}
