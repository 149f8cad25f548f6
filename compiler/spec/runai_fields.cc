#include <array>

#include "spec/field_table.h"
#include "spec/shared_fields.h"
#include "spec/training_job.h"

// `spec.runai`.

namespace trainyard {

// Declared before any table, since tables refer to each other.
static const FieldTable& field_table(const RunaiMpi*);
static const FieldTable& field_table(const RunaiAffinity*);
static const FieldTable& field_table(const RunaiUrl*);
static const FieldTable& field_table(const RunaiRepository*);
static const FieldTable& field_table(const RunaiBucket*);

static const FieldTable& field_table(const RunaiMpi*) {
  static constexpr FieldRow rows[] = {
      field<RunaiMpi, &RunaiMpi::workers>("workers"),
      field<RunaiMpi, &RunaiMpi::slots_per_worker>("slotsPerWorker"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const RunaiAffinity*) {
  static constexpr FieldRow rows[] = {
      field<RunaiAffinity, &RunaiAffinity::topology_key>("topologyKey"),
      field<RunaiAffinity, &RunaiAffinity::mode>("mode"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const RunaiUrl*) {
  static constexpr FieldRow rows[] = {
      field<RunaiUrl, &RunaiUrl::container>("container"),
      field<RunaiUrl, &RunaiUrl::url>("url"),
      field<RunaiUrl, &RunaiUrl::authorization_type>("authorizationType"),
      field<RunaiUrl, &RunaiUrl::authorized_users>("authorizedUsers").or_else(),
      field<RunaiUrl, &RunaiUrl::authorized_groups>("authorizedGroups").or_else(),
      field<RunaiUrl, &RunaiUrl::tool_type>("toolType"),
      field<RunaiUrl, &RunaiUrl::tool_name>("toolName"),
  };
  static constexpr FieldTable table{rows, Choice::AtMostOne};
  return table;
}

static const FieldTable& field_table(const RunaiRepository*) {
  static constexpr FieldRow rows[] = {
      field<RunaiRepository, &RunaiRepository::repository>("repository"),
      field<RunaiRepository, &RunaiRepository::branch>("branch"),
      field<RunaiRepository, &RunaiRepository::revision>("revision"),
      field<RunaiRepository, &RunaiRepository::path>("path"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const RunaiBucket*) {
  static constexpr FieldRow rows[] = {
      field<RunaiBucket, &RunaiBucket::bucket>("bucket"),
      field<RunaiBucket, &RunaiBucket::path>("path"),
      field<RunaiBucket, &RunaiBucket::url>("url"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& field_table(const RunaiRequest*) {
  static constexpr FieldRow rows[] = {
      field<RunaiRequest, &RunaiRequest::usage>("usage"),
      field<RunaiRequest, &RunaiRequest::base_workload>("baseWorkload"),
      field<RunaiRequest, &RunaiRequest::name_prefix>("namePrefix"),
      field<RunaiRequest, &RunaiRequest::node_pools>("nodePools").or_else(),
      field<RunaiRequest, &RunaiRequest::node_pool>("nodePool").or_else(),
      field<RunaiRequest, &RunaiRequest::pod_affinity>("podAffinity"),
      field<RunaiRequest, &RunaiRequest::gpu_limit>("gpuLimit"),
      field<RunaiRequest, &RunaiRequest::completions>("completions"),
      field<RunaiRequest, &RunaiRequest::parallelism>("parallelism"),
      field<RunaiRequest, &RunaiRequest::preemption_limit>("preemptionLimit"),
      field<RunaiRequest, &RunaiRequest::terminate_after_preemption>("terminateAfterPreemption"),
      field<RunaiRequest, &RunaiRequest::mpi>("mpi"),
      field<RunaiRequest, &RunaiRequest::create_home_dir>("createHomeDir"),
      field<RunaiRequest, &RunaiRequest::host_ipc>("hostIpc"),
      field<RunaiRequest, &RunaiRequest::standard_input>("stdin"),
      field<RunaiRequest, &RunaiRequest::terminal>("tty"),
      field<RunaiRequest, &RunaiRequest::mount_propagation>("mountPropagation"),
      field<RunaiRequest, &RunaiRequest::service_type>("serviceType"),
      field<RunaiRequest, &RunaiRequest::exposed_urls>("exposedUrls"),
      field<RunaiRequest, &RunaiRequest::git_sync>("gitSync"),
      field<RunaiRequest, &RunaiRequest::buckets>("s3"),
      field<RunaiRequest, &RunaiRequest::username>("username"),
      field<RunaiRequest, &RunaiRequest::user_id>("userId"),
  };
  static constexpr FieldTable table{rows, Choice::AtMostOne};
  return table;
}

}  // namespace trainyard
