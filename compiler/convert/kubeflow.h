#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

/// A kind of kubeflow.org/v1: replicas by type, each with a template, and a `runPolicy`.
struct KubeflowKind {
  struct Role {
    std::string_view replica;  // `Master`
    std::string_view name;     // as the language calls it
  };
  std::string_view kind;
  std::string_view replicas;   // the field with the replica types
  std::string_view framework;  // as the language calls it
  std::string_view container;  // that each template must have
  std::int64_t port;           // unless a template names another one
  std::span<const Role> roles;
  bool even;  // master and workers are the same where their templates are
};

/// Reads all but what only one kind has.
void read_kubeflow_job(Conversion& job, const KubeflowKind& kind);

/// What an operator counts until it gives up.
struct FailureCount {
  std::int64_t per_start = 1;     // failures of one start of the whole job
  std::int64_t beyond = 0;        // the last one, which is one too many
  std::int64_t of_processes = 0;  // starts of the processes alone, as of an elastic job
};

/// `runPolicy`, which the MPIJob has as well.
void read_run_policy(Conversion& job, View policy, const FailureCount& counted);

}  // namespace trainyard
