#include <array>

#include "spec/field_table.h"
#include "spec/shared_fields.h"
#include "spec/training_job.h"

namespace trainyard {

// Declared before any table, since tables refer to each other.
static const FieldTable& field_table(const JobMetadata*);
static const FieldTable& field_table(const Pip*);
static const FieldTable& field_table(const RendezvousRequest*);
static const FieldTable& field_table(const Run*);
static const FieldTable& field_table(const GpuRequest*);
static const FieldTable& field_table(const ResourceLimits*);
static const FieldTable& field_table(const Resources*);
static const FieldTable& field_table(const TopologySlice*);
static const FieldTable& field_table(const TopologyRequest*);
static const FieldTable& field_table(const Placement*);
static const FieldTable& field_table(const SecretKey*);
static const FieldTable& field_table(const CreatedClaim*);
static const FieldTable& field_table(const StorageMount*);
static const FieldTable& field_table(const RoleSpec*);
static const FieldTable& field_table(const Elastic*);
static const FieldTable& field_table(const Parallelism*);
static const FieldTable& field_table(const AllowedTraffic*);
static const FieldTable& field_table(const NetworkRequest*);
static const FieldTable& field_table(const Scheduling*);
static const FieldTable& field_table(const StagedFile*);
static const FieldTable& field_table(const Files*);
static const FieldTable& field_table(const DataItem*);
static const FieldTable& field_table(const Data*);
static const FieldTable& field_table(const Checkpoint*);
static const FieldTable& field_table(const Lifecycle*);
static const FieldTable& field_table(const Security*);
static const FieldTable& field_table(const Serve*);
static const FieldTable& field_table(const Patch*);
static const FieldTable& field_table(const JobSpec*);
static const FieldTable& field_table(const TrainingJob*);

template <class Owner>
constexpr auto metadata_rows() {
  return std::to_array<FieldRow>({
      field<Owner, &Owner::name>("name"),
      field<Owner, &Owner::labels>("labels"),
      field<Owner, &Owner::annotations>("annotations"),
  });
}

const FieldTable& field_table(const Metadata*) {
  static constexpr auto rows = metadata_rows<Metadata>();
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const JobMetadata*) {
  static constexpr auto rows =
      join(metadata_rows<JobMetadata>(),
           std::to_array<FieldRow>({field<JobMetadata, &JobMetadata::ns>("namespace")}));
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Pip*) {
  static constexpr FieldRow rows[] = {
      field<Pip, &Pip::index_urls>("indexUrls"),
      field<Pip, &Pip::args>("args"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const RendezvousRequest*) {
  static constexpr FieldRow rows[] = {
      field<RendezvousRequest, &RendezvousRequest::backend>("backend"),
      field<RendezvousRequest, &RendezvousRequest::port>("port"),
      field<RendezvousRequest, &RendezvousRequest::timeout>("timeout"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Run*) {
  static constexpr FieldRow rows[] = {
      field<Run, &Run::command>("command").or_else(),
      field<Run, &Run::script>("script").or_else(),
      field<Run, &Run::module>("module").or_else(),
      field<Run, &Run::shell>("shell").or_else(),
      field<Run, &Run::args>("args"),
      field<Run, &Run::launcher>("launcher"),
      field<Run, &Run::launcher_args>("launcherArgs"),
      field<Run, &Run::mpi_implementation>("mpiImplementation"),
      field<Run, &Run::ssh_port>("sshPort"),
      field<Run, &Run::working_dir>("workingDir"),
      field<Run, &Run::before>("before"),
      field<Run, &Run::packages>("packages"),
      field<Run, &Run::pip>("pip"),
      field<Run, &Run::rendezvous>("rendezvous"),
  };
  static constexpr FieldTable table{rows, Choice::AtMostOne};
  return table;
}

static const FieldTable& field_table(const GpuRequest*) {
  static constexpr FieldRow rows[] = {
      field<GpuRequest, &GpuRequest::product>("product"),
      field<GpuRequest, &GpuRequest::min_memory>("minMemory"),
      field<GpuRequest, &GpuRequest::mig>("mig").or_else(),
      field<GpuRequest, &GpuRequest::fraction>("fraction").or_else(),
      field<GpuRequest, &GpuRequest::memory>("memory").or_else(),
      field<GpuRequest, &GpuRequest::sharing>("sharing"),
      field<GpuRequest, &GpuRequest::resource>("resource"),
  };
  static constexpr FieldTable table{rows, Choice::AtMostOne};
  return table;
}

static const FieldTable& field_table(const ResourceLimits*) {
  static constexpr FieldRow rows[] = {
      field<ResourceLimits, &ResourceLimits::cpu>("cpu"),
      field<ResourceLimits, &ResourceLimits::memory>("memory"),
      field<ResourceLimits, &ResourceLimits::ephemeral_storage>("ephemeralStorage"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Resources*) {
  static constexpr FieldRow rows[] = {
      field<Resources, &Resources::cpu>("cpu"),
      field<Resources, &Resources::memory>("memory"),
      field<Resources, &Resources::ephemeral_storage>("ephemeralStorage"),
      field<Resources, &Resources::shared_memory>("sharedMemory"),
      field<Resources, &Resources::limits>("limits"),
      field<Resources, &Resources::extended>("extended"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const TopologySlice*) {
  static constexpr FieldRow rows[] = {
      field<TopologySlice, &TopologySlice::level>("level"),
      field<TopologySlice, &TopologySlice::nodes>("nodes"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const TopologyRequest*) {
  static constexpr FieldRow rows[] = {
      field<TopologyRequest, &TopologyRequest::level>("level"),
      field<TopologyRequest, &TopologyRequest::mode>("mode"),
      field<TopologyRequest, &TopologyRequest::exclusive>("exclusive"),
      field<TopologyRequest, &TopologyRequest::slice>("slice"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Placement*) {
  static constexpr FieldRow rows[] = {
      field<Placement, &Placement::one_pod_per_node>("onePodPerNode"),
      field<Placement, &Placement::topology>("topology"),
      field<Placement, &Placement::spot>("spot"),
      field<Placement, &Placement::node_selector>("nodeSelector"),
      field<Placement, &Placement::affinity>("affinity"),
      field<Placement, &Placement::tolerations>("tolerations"),
      field<Placement, &Placement::topology_spread_constraints>("topologySpreadConstraints"),
      field<Placement, &Placement::zone>("zone"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const SecretKey*) {
  static constexpr FieldRow rows[] = {
      field<SecretKey, &SecretKey::name>("name"),
      field<SecretKey, &SecretKey::key>("key"),
      field<SecretKey, &SecretKey::optional>("optional"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const CreatedClaim*) {
  static constexpr FieldRow rows[] = {
      field<CreatedClaim, &CreatedClaim::name>("name"),
      field<CreatedClaim, &CreatedClaim::size>("size"),
      field<CreatedClaim, &CreatedClaim::storage_class_name>("storageClassName"),
      field<CreatedClaim, &CreatedClaim::access_modes>("accessModes"),
      field<CreatedClaim, &CreatedClaim::keep>("keep"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const StorageMount*) {
  static constexpr FieldRow rows[] = {
      field<StorageMount, &StorageMount::mount_path>("mountPath"),
      field<StorageMount, &StorageMount::read_only>("readOnly"),
      field<StorageMount, &StorageMount::sub_path>("subPath"),
      field<StorageMount, &StorageMount::claim>("claim").or_else(),
      field<StorageMount, &StorageMount::create>("create").or_else(),
      field<StorageMount, &StorageMount::ephemeral>("ephemeral").or_else(),
      field<StorageMount, &StorageMount::empty_dir>("emptyDir").or_else(),
      field<StorageMount, &StorageMount::host_path>("hostPath").or_else(),
      field<StorageMount, &StorageMount::nfs>("nfs").or_else(),
      field<StorageMount, &StorageMount::csi>("csi").or_else(),
      field<StorageMount, &StorageMount::config_map>("configMap").or_else(),
      field<StorageMount, &StorageMount::secret>("secret").or_else(),
  };
  static constexpr FieldTable table{rows, Choice::ExactlyOne};
  return table;
}

/// The rows that a role and the job itself have in common.
template <class Owner>
constexpr auto role_rows() {
  return std::to_array<FieldRow>({field<Owner, &RoleFields::image>("image"),
                                  field<Owner, &RoleFields::image_pull_policy>("imagePullPolicy"),
                                  field<Owner, &RoleFields::framework>("framework"),
                                  field<Owner, &RoleFields::run>("run"),
                                  field<Owner, &RoleFields::nodes>("nodes"),
                                  field<Owner, &RoleFields::gpus_per_node>("gpusPerNode"),
                                  field<Owner, &RoleFields::processes_per_node>("processesPerNode"),
                                  field<Owner, &RoleFields::machine>("machine"),
                                  field<Owner, &RoleFields::pool>("pool"),
                                  field<Owner, &RoleFields::gpu>("gpu"),
                                  field<Owner, &RoleFields::resources>("resources"),
                                  field<Owner, &RoleFields::placement>("placement"),
                                  field<Owner, &RoleFields::env>("env"),
                                  field<Owner, &RoleFields::secret_env>("secretEnv"),
                                  field<Owner, &RoleFields::env_from>("envFrom"),
                                  field<Owner, &RoleFields::storage>("storage"),
                                  field<Owner, &RoleFields::pod>("pod"),
                                  field<Owner, &RoleFields::files>("files"),
                                  field<Owner, &RoleFields::elastic>("elastic"),
                                  field<Owner, &RoleFields::lifecycle>("lifecycle"),
                                  field<Owner, &RoleFields::network>("network")});
}

static const FieldTable& field_table(const RoleSpec*) {
  static constexpr auto rows = join(
      role_rows<RoleSpec>(),
      std::to_array<FieldRow>(
          {field<RoleSpec, &RoleSpec::expose>("expose"), field<RoleSpec, &RoleSpec::after>("after"),
           field<RoleSpec, &RoleSpec::ends>("ends"), field<RoleSpec, &RoleSpec::groups>("groups"),
           field<RoleSpec, &RoleSpec::restart>("restart"),
           field<RoleSpec, &RoleSpec::critical>("critical")}));
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Elastic*) {
  static constexpr FieldRow rows[] = {
      field<Elastic, &Elastic::min_nodes>("minNodes"),
      field<Elastic, &Elastic::max_nodes>("maxNodes"),
      field<Elastic, &Elastic::max_restarts>("maxRestarts"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Parallelism*) {
  static constexpr FieldRow rows[] = {
      field<Parallelism, &Parallelism::tensor>("tensor"),
      field<Parallelism, &Parallelism::pipeline>("pipeline"),
      field<Parallelism, &Parallelism::context>("context"),
      field<Parallelism, &Parallelism::expert>("expert"),
      field<Parallelism, &Parallelism::data>("data"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const AllowedTraffic*) {
  static constexpr FieldRow rows[] = {
      field<AllowedTraffic, &AllowedTraffic::ingress>("ingress"),
      field<AllowedTraffic, &AllowedTraffic::egress>("egress"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const NetworkRequest*) {
  static constexpr FieldRow rows[] = {
      field<NetworkRequest, &NetworkRequest::fabric>("fabric"),
      field<NetworkRequest, &NetworkRequest::interface>("interface"),
      field<NetworkRequest, &NetworkRequest::host_network>("hostNetwork"),
      field<NetworkRequest, &NetworkRequest::ports>("ports"),
      field<NetworkRequest, &NetworkRequest::isolate>("isolate"),
      field<NetworkRequest, &NetworkRequest::allow>("allow"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Scheduling*) {
  static constexpr FieldRow rows[] = {
      field<Scheduling, &Scheduling::system>("system"),
      field<Scheduling, &Scheduling::queue>("queue"),
      field<Scheduling, &Scheduling::priority>("priority"),
      field<Scheduling, &Scheduling::gang>("gang"),
      field<Scheduling, &Scheduling::timeout>("timeout"),
      field<Scheduling, &Scheduling::preemptible>("preemptible"),
      field<Scheduling, &Scheduling::scheduler_name>("schedulerName"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const StagedFile*) {
  static constexpr FieldRow rows[] = {
      field<StagedFile, &StagedFile::path>("path"),
      field<StagedFile, &StagedFile::from>("from").or_else(),
      field<StagedFile, &StagedFile::content>("content").or_else(),
      field<StagedFile, &StagedFile::executable>("executable"),
  };
  static constexpr FieldTable table{rows, Choice::ExactlyOne};
  return table;
}

static const FieldTable& field_table(const Files*) {
  static constexpr FieldRow rows[] = {
      field<Files, &Files::mount_path>("mountPath"),
      field<Files, &Files::items>("items"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const DataItem*) {
  static constexpr FieldRow rows[] = {
      field<DataItem, &DataItem::uri>("uri"),
      field<DataItem, &DataItem::path>("path"),
      field<DataItem, &DataItem::kind>("kind"),
      field<DataItem, &DataItem::credentials>("credentials"),
      field<DataItem, &DataItem::endpoint>("endpoint"),
      field<DataItem, &DataItem::revision>("revision"),
      field<DataItem, &DataItem::handler>("handler"),
      field<DataItem, &DataItem::after_failure>("afterFailure"),
      field<DataItem, &DataItem::unpack>("unpack"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Data*) {
  static constexpr FieldRow rows[] = {
      field<Data, &Data::inputs>("inputs"),
      field<Data, &Data::outputs>("outputs"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Checkpoint*) {
  static constexpr FieldRow rows[] = {
      field<Checkpoint, &Checkpoint::path>("path"),
      field<Checkpoint, &Checkpoint::signal>("signal"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Lifecycle*) {
  static constexpr FieldRow rows[] = {
      field<Lifecycle, &Lifecycle::retries>("retries"),
      field<Lifecycle, &Lifecycle::retry_on>("retryOn"),
      field<Lifecycle, &Lifecycle::pod_failure_policy>("podFailurePolicy"),
      field<Lifecycle, &Lifecycle::deadline>("deadline"),
      field<Lifecycle, &Lifecycle::ttl>("ttl"),
      field<Lifecycle, &Lifecycle::grace_period>("gracePeriod"),
      field<Lifecycle, &Lifecycle::checkpoint>("checkpoint"),
      field<Lifecycle, &Lifecycle::suspend>("suspend"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Security*) {
  static constexpr FieldRow rows[] = {
      field<Security, &Security::level>("level"),
      field<Security, &Security::run_as_user>("runAsUser"),
      field<Security, &Security::run_as_group>("runAsGroup"),
      field<Security, &Security::run_as_non_root>("runAsNonRoot"),
      field<Security, &Security::fs_group>("fsGroup"),
      field<Security, &Security::supplemental_groups>("supplementalGroups"),
      field<Security, &Security::capabilities>("capabilities"),
      field<Security, &Security::seccomp_profile>("seccompProfile"),
      field<Security, &Security::allow_privilege_escalation>("allowPrivilegeEscalation"),
      field<Security, &Security::read_only_root_filesystem>("readOnlyRootFilesystem"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Serve*) {
  static constexpr FieldRow rows[] = {
      field<Serve, &Serve::name>("name"),
      field<Serve, &Serve::image>("image"),
      field<Serve, &Serve::image_pull_policy>("imagePullPolicy"),
      field<Serve, &Serve::credentials>("credentials"),
      field<Serve, &Serve::model>("model"),
      field<Serve, &Serve::cache>("cache"),
      field<Serve, &Serve::replicas>("replicas").or_else(),
      field<Serve, &Serve::autoscale>("autoscale").or_else(),
      field<Serve, &Serve::nodes_per_replica>("nodesPerReplica"),
      field<Serve, &Serve::gpus_per_replica>("gpusPerReplica"),
      field<Serve, &Serve::machine>("machine"),
      field<Serve, &Serve::pool>("pool"),
      field<Serve, &Serve::gpu>("gpu"),
      field<Serve, &Serve::resources>("resources"),
      field<Serve, &Serve::placement>("placement"),
      field<Serve, &Serve::expose>("expose"),
      field<Serve, &Serve::env>("env"),
      field<Serve, &Serve::secret_env>("secretEnv"),
      field<Serve, &Serve::priority>("priority"),
      field<Serve, &Serve::scheduler_name>("schedulerName"),
      field<Serve, &Serve::run_as_user>("runAsUser"),
      field<Serve, &Serve::run_as_group>("runAsGroup"),
  };
  static constexpr FieldTable table{rows, Choice::AtMostOne};
  return table;
}

static const FieldTable& field_table(const Patch*) {
  static constexpr FieldRow rows[] = {
      field<Patch, &Patch::target>("target"),
      field<Patch, &Patch::kind>("kind"),
      field<Patch, &Patch::name>("name"),
      field<Patch, &Patch::patch>("patch"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const JobSpec*) {
  static constexpr auto rows = join(
      role_rows<JobSpec>(),
      std::to_array<FieldRow>(
          {field<JobSpec, &JobSpec::image_pull_secrets>("imagePullSecrets"),
           field<JobSpec, &JobSpec::parallelism>("parallelism"),
           field<JobSpec, &JobSpec::roles>("roles"), field<JobSpec, &JobSpec::target>("target"),
           field<JobSpec, &JobSpec::runtime>("runtime"),
           field<JobSpec, &JobSpec::scheduling>("scheduling"),
           field<JobSpec, &JobSpec::data>("data"), field<JobSpec, &JobSpec::rerun>("rerun"),
           field<JobSpec, &JobSpec::generation>("generation"),
           field<JobSpec, &JobSpec::service_account>("serviceAccount"),
           field<JobSpec, &JobSpec::security>("security"), field<JobSpec, &JobSpec::serve>("serve"),
           field<JobSpec, &JobSpec::runai>("runai"), field<JobSpec, &JobSpec::ray>("ray"),
           field<JobSpec, &JobSpec::patches>("patches")}));
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const TrainingJob*) {
  static constexpr FieldRow rows[] = {
      field<TrainingJob, &TrainingJob::api_version>("apiVersion"),
      field<TrainingJob, &TrainingJob::kind>("kind"),
      field<TrainingJob, &TrainingJob::metadata>("metadata"),
      field<TrainingJob, &TrainingJob::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& training_job_fields() {
  return field_table(static_cast<const TrainingJob*>(nullptr));
}

bool names_program(std::string_view role) {
  return !from_spelling<RoleKind>(role);
}

Span field_of_program(const RoleSpec& role) {
  for (const Span place : {role.framework.span, role.expose.span, role.after.span, role.ends.span,
                           role.groups.span, role.restart.span, role.critical.span}) {
    if (place.known()) return place;
  }
  return {};
}

bool has_programs(const JobSpec& spec) {
  return std::ranges::any_of(*spec.roles, [](const Entry<RoleSpec>& role) {
    return names_program(role.key) || field_of_program(*role.value).known();
  });
}

TrainingJob decode_training_job(const Tree& tree, NodeId root, Sink& sink) {
  TrainingJob document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

}  // namespace trainyard
