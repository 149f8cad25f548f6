#include <array>

#include "spec/cluster.h"
#include "spec/field_table.h"
#include "spec/shared_fields.h"

namespace trainyard {

// Declared before any table, since tables refer to each other.
static const FieldTable& field_table(const DefaultSecurity*);
static const FieldTable& field_table(const DefaultScheduling*);
static const FieldTable& field_table(const Defaults*);
static const FieldTable& field_table(const Sharing*);
static const FieldTable& field_table(const PoolGpu*);
static const FieldTable& field_table(const PoolNetwork*);
static const FieldTable& field_table(const TopologyDomain*);
static const FieldTable& field_table(const Pool*);
static const FieldTable& field_table(const ClusterGpu*);
static const FieldTable& field_table(const FabricSettings*);
static const FieldTable& field_table(const GkeNetwork*);
static const FieldTable& field_table(const ClusterNetwork*);
static const FieldTable& field_table(const QueuePreemption*);
static const FieldTable& field_table(const Queue*);
static const FieldTable& field_table(const PriorityClass*);
static const FieldTable& field_table(const RuntimeMpi*);
static const FieldTable& field_table(const Runtime*);
static const FieldTable& field_table(const StorageClass*);
static const FieldTable& field_table(const CsiDriver*);
static const FieldTable& field_table(const Claim*);
static const FieldTable& field_table(const NamespaceInfo*);
static const FieldTable& field_table(const EntityHandler*);
static const FieldTable& field_table(const Customizer*);
static const FieldTable& field_table(const NemoPlatform*);
static const FieldTable& field_table(const GitOps*);
static const FieldTable& field_table(const Policy*);
static const FieldTable& field_table(const ClusterApi*);
static const FieldTable& field_table(const ClusterSpec*);
static const FieldTable& field_table(const Cluster*);

static const FieldTable& field_table(const DefaultSecurity*) {
  static constexpr FieldRow rows[] = {
      field<DefaultSecurity, &DefaultSecurity::level>("level"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const DefaultScheduling*) {
  static constexpr FieldRow rows[] = {
      field<DefaultScheduling, &DefaultScheduling::system>("system"),
      field<DefaultScheduling, &DefaultScheduling::queue>("queue"),
      field<DefaultScheduling, &DefaultScheduling::priority>("priority"),
      field<DefaultScheduling, &DefaultScheduling::scheduler_name>("schedulerName"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Defaults*) {
  static constexpr FieldRow rows[] = {
      field<Defaults, &Defaults::target>("target"),
      field<Defaults, &Defaults::ns>("namespace"),
      field<Defaults, &Defaults::scheduling>("scheduling"),
      field<Defaults, &Defaults::storage_class_name>("storageClassName"),
      field<Defaults, &Defaults::service_account>("serviceAccount"),
      field<Defaults, &Defaults::image_pull_policy>("imagePullPolicy"),
      field<Defaults, &Defaults::image_pull_secrets>("imagePullSecrets"),
      field<Defaults, &Defaults::security>("security"),
      field<Defaults, &Defaults::env>("env"),
      field<Defaults, &Defaults::ray>("ray"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Sharing*) {
  static constexpr FieldRow rows[] = {
      field<Sharing, &Sharing::mode>("mode"),
      field<Sharing, &Sharing::replicas>("replicas"),
      field<Sharing, &Sharing::rename_by_default>("renameByDefault"),
      field<Sharing, &Sharing::fail_requests_greater_than_one>("failRequestsGreaterThanOne"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const PoolGpu*) {
  static constexpr FieldRow rows[] = {
      field<PoolGpu, &PoolGpu::product>("product"),
      field<PoolGpu, &PoolGpu::count>("count"),
      field<PoolGpu, &PoolGpu::memory>("memory"),
      field<PoolGpu, &PoolGpu::mig>("mig"),
      field<PoolGpu, &PoolGpu::mig_strategy>("migStrategy"),
      field<PoolGpu, &PoolGpu::sharing>("sharing"),
      field<PoolGpu, &PoolGpu::allocation>("allocation"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const PoolNetwork*) {
  static constexpr FieldRow rows[] = {
      field<PoolNetwork, &PoolNetwork::fabric>("fabric"),
      field<PoolNetwork, &PoolNetwork::resources>("resources"),
      field<PoolNetwork, &PoolNetwork::networks>("networks"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& field_table(const TopologyLevel*) {
  static constexpr FieldRow rows[] = {
      field<TopologyLevel, &TopologyLevel::name>("name"),
      field<TopologyLevel, &TopologyLevel::node_label>("nodeLabel"),
      field<TopologyLevel, &TopologyLevel::nodes>("nodes"),
      field<TopologyLevel, &TopologyLevel::tier>("tier"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const TopologyDomain*) {
  static constexpr FieldRow rows[] = {
      field<TopologyDomain, &TopologyDomain::level>("level"),
      field<TopologyDomain, &TopologyDomain::name>("name"),
      field<TopologyDomain, &TopologyDomain::within>("within"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Pool*) {
  static constexpr FieldRow rows[] = {
      field<Pool, &Pool::name>("name"),         field<Pool, &Pool::machine>("machine"),
      field<Pool, &Pool::count>("count"),       field<Pool, &Pool::labels>("labels"),
      field<Pool, &Pool::taints>("taints"),     field<Pool, &Pool::zone>("zone"),
      field<Pool, &Pool::topology>("topology"), field<Pool, &Pool::domains>("domains"),
      field<Pool, &Pool::capacity>("capacity"), field<Pool, &Pool::reservation>("reservation"),
      field<Pool, &Pool::gpu>("gpu"),           field<Pool, &Pool::allocatable>("allocatable"),
      field<Pool, &Pool::network>("network"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const ClusterGpu*) {
  static constexpr FieldRow rows[] = {
      field<ClusterGpu, &ClusterGpu::resource>("resource"),
      field<ClusterGpu, &ClusterGpu::mig_strategy>("migStrategy"),
      field<ClusterGpu, &ClusterGpu::sharing>("sharing"),
      field<ClusterGpu, &ClusterGpu::cdi>("cdi"),
      field<ClusterGpu, &ClusterGpu::runtime_class>("runtimeClass"),
      field<ClusterGpu, &ClusterGpu::allocation>("allocation"),
      field<ClusterGpu, &ClusterGpu::ns>("namespace"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricSettings*) {
  static constexpr FieldRow rows[] = {
      field<FabricSettings, &FabricSettings::version>("version"),
      field<FabricSettings, &FabricSettings::resource>("resource"),
      field<FabricSettings, &FabricSettings::count>("count"),
      field<FabricSettings, &FabricSettings::networks>("networks"),
      field<FabricSettings, &FabricSettings::host_network>("hostNetwork"),
      field<FabricSettings, &FabricSettings::sidecar>("sidecar"),
      field<FabricSettings, &FabricSettings::claims>("claims"),
      field<FabricSettings, &FabricSettings::huge_pages>("hugePages"),
      field<FabricSettings, &FabricSettings::env>("env"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const GkeNetwork*) {
  static constexpr FieldRow rows[] = {
      field<GkeNetwork, &GkeNetwork::name>("name"),
      field<GkeNetwork, &GkeNetwork::vpc>("vpc"),
      field<GkeNetwork, &GkeNetwork::subnet>("subnet"),
      field<GkeNetwork, &GkeNetwork::device_mode>("deviceMode"),
      field<GkeNetwork, &GkeNetwork::existing>("existing"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const ClusterNetwork*) {
  static constexpr FieldRow rows[] = {
      field<ClusterNetwork, &ClusterNetwork::fabrics>("fabrics"),
      field<ClusterNetwork, &ClusterNetwork::gke_networks>("gkeNetworks"),
      field<ClusterNetwork, &ClusterNetwork::interface>("interface"),
      field<ClusterNetwork, &ClusterNetwork::cluster_domain>("clusterDomain"),
      field<ClusterNetwork, &ClusterNetwork::service_mesh>("serviceMesh"),
      field<ClusterNetwork, &ClusterNetwork::dns_addresses>("dnsAddresses"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const QueuePreemption*) {
  static constexpr FieldRow rows[] = {
      field<QueuePreemption, &QueuePreemption::within_queue>("withinQueue"),
      field<QueuePreemption, &QueuePreemption::reclaim>("reclaim"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Queue*) {
  static constexpr FieldRow rows[] = {
      field<Queue, &Queue::name>("name"),
      field<Queue, &Queue::system>("system"),
      field<Queue, &Queue::namespaces>("namespaces"),
      field<Queue, &Queue::cluster_queue>("clusterQueue"),
      field<Queue, &Queue::parent>("parent"),
      field<Queue, &Queue::pools>("pools"),
      field<Queue, &Queue::quota>("quota"),
      field<Queue, &Queue::limit>("limit"),
      field<Queue, &Queue::weight>("weight"),
      field<Queue, &Queue::preemption>("preemption"),
      field<Queue, &Queue::existing>("existing"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const PriorityClass*) {
  static constexpr FieldRow rows[] = {
      field<PriorityClass, &PriorityClass::name>("name"),
      field<PriorityClass, &PriorityClass::value>("value"),
      field<PriorityClass, &PriorityClass::preemption_policy>("preemptionPolicy"),
      field<PriorityClass, &PriorityClass::global_default>("globalDefault"),
      field<PriorityClass, &PriorityClass::description>("description"),
      field<PriorityClass, &PriorityClass::applies_to>("appliesTo"),
      field<PriorityClass, &PriorityClass::existing>("existing"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const RuntimeMpi*) {
  static constexpr FieldRow rows[] = {
      field<RuntimeMpi, &RuntimeMpi::ssh_auth_mount_path>("sshAuthMountPath"),
      field<RuntimeMpi, &RuntimeMpi::run_as_user>("runAsUser"),
      field<RuntimeMpi, &RuntimeMpi::sshd_config>("sshdConfig"),
      field<RuntimeMpi, &RuntimeMpi::ssh_port>("sshPort"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Runtime*) {
  static constexpr FieldRow rows[] = {
      field<Runtime, &Runtime::name>("name"),    field<Runtime, &Runtime::kind>("kind"),
      field<Runtime, &Runtime::ns>("namespace"), field<Runtime, &Runtime::framework>("framework"),
      field<Runtime, &Runtime::image>("image"),  field<Runtime, &Runtime::mpi>("mpi"),
      field<Runtime, &Runtime::gang>("gang"),    field<Runtime, &Runtime::existing>("existing"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const CsiDriver*) {
  static constexpr FieldRow rows[] = {
      field<CsiDriver, &CsiDriver::name>("name"),
      field<CsiDriver, &CsiDriver::volume_lifecycle_modes>("volumeLifecycleModes"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const StorageClass*) {
  static constexpr FieldRow rows[] = {
      field<StorageClass, &StorageClass::name>("name"),
      field<StorageClass, &StorageClass::access_modes>("accessModes"),
      field<StorageClass, &StorageClass::is_default>("default"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Claim*) {
  static constexpr FieldRow rows[] = {
      field<Claim, &Claim::name>("name"),
      field<Claim, &Claim::ns>("namespace"),
      field<Claim, &Claim::access_modes>("accessModes"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const NamespaceInfo*) {
  static constexpr FieldRow rows[] = {
      field<NamespaceInfo, &NamespaceInfo::name>("name"),
      field<NamespaceInfo, &NamespaceInfo::pod_security>("podSecurity"),
      field<NamespaceInfo, &NamespaceInfo::quota>("quota"),
      field<NamespaceInfo, &NamespaceInfo::existing>("existing"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const EntityHandler*) {
  static constexpr FieldRow rows[] = {
      field<EntityHandler, &EntityHandler::name>("name"),
      field<EntityHandler, &EntityHandler::ns>("namespace"),
      field<EntityHandler, &EntityHandler::image>("image"),
      field<EntityHandler, &EntityHandler::pull_secret>("pullSecret"),
      field<EntityHandler, &EntityHandler::command>("command"),
      field<EntityHandler, &EntityHandler::args>("args"),
      field<EntityHandler, &EntityHandler::env>("env"),
      field<EntityHandler, &EntityHandler::cpu>("cpu"),
      field<EntityHandler, &EntityHandler::memory>("memory"),
      field<EntityHandler, &EntityHandler::existing>("existing"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Customizer*) {
  static constexpr FieldRow rows[] = {
      field<Customizer, &Customizer::name>("name"),
      field<Customizer, &Customizer::ns>("namespace"),
      field<Customizer, &Customizer::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const NemoPlatform*) {
  static constexpr FieldRow rows[] = {
      field<NemoPlatform, &NemoPlatform::handlers>("handlers"),
      field<NemoPlatform, &NemoPlatform::customizer>("customizer"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const GitOps*) {
  static constexpr FieldRow rows[] = {
      field<GitOps, &GitOps::tool>("tool"),
      field<GitOps, &GitOps::ns>("namespace"),
      field<GitOps, &GitOps::project>("project"),
      field<GitOps, &GitOps::repository>("repository"),
      field<GitOps, &GitOps::revision>("revision"),
      field<GitOps, &GitOps::path>("path"),
      field<GitOps, &GitOps::server>("server"),
      field<GitOps, &GitOps::prune>("prune"),
      field<GitOps, &GitOps::gate>("gate"),
      field<GitOps, &GitOps::gate_timeout>("gateTimeout"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Policy*) {
  static constexpr FieldRow rows[] = {
      field<Policy, &Policy::name>("name"),
      field<Policy, &Policy::schema>("schema"),
      field<Policy, &Policy::applies_to>("appliesTo"),
      field<Policy, &Policy::kinds>("kinds"),
      field<Policy, &Policy::message>("message"),
      field<Policy, &Policy::severity>("severity"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const ClusterData*) {
  static constexpr FieldRow rows[] = {
      field<ClusterData, &ClusterData::images>("images"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const ClusterApi*) {
  static constexpr FieldRow rows[] = {
      field<ClusterApi, &ClusterApi::context>("context"),
      field<ClusterApi, &ClusterApi::server>("server"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const ClusterSpec*) {
  static constexpr FieldRow rows[] = {
      field<ClusterSpec, &ClusterSpec::kubernetes>("kubernetes"),
      field<ClusterSpec, &ClusterSpec::api>("api"),
      field<ClusterSpec, &ClusterSpec::operators>("operators"),
      field<ClusterSpec, &ClusterSpec::defaults>("defaults"),
      field<ClusterSpec, &ClusterSpec::pools>("pools"),
      field<ClusterSpec, &ClusterSpec::gpu>("gpu"),
      field<ClusterSpec, &ClusterSpec::network>("network"),
      field<ClusterSpec, &ClusterSpec::data>("data"),
      field<ClusterSpec, &ClusterSpec::queues>("queues"),
      field<ClusterSpec, &ClusterSpec::priority_classes>("priorityClasses"),
      field<ClusterSpec, &ClusterSpec::runtimes>("runtimes"),
      field<ClusterSpec, &ClusterSpec::storage_classes>("storageClasses"),
      field<ClusterSpec, &ClusterSpec::csi_drivers>("csiDrivers"),
      field<ClusterSpec, &ClusterSpec::claims>("claims"),
      field<ClusterSpec, &ClusterSpec::namespaces>("namespaces"),
      field<ClusterSpec, &ClusterSpec::nemo>("nemo"),
      field<ClusterSpec, &ClusterSpec::gitops>("gitops"),
      field<ClusterSpec, &ClusterSpec::policies>("policies"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Cluster*) {
  static constexpr FieldRow rows[] = {
      field<Cluster, &Cluster::api_version>("apiVersion"),
      field<Cluster, &Cluster::kind>("kind"),
      field<Cluster, &Cluster::metadata>("metadata"),
      field<Cluster, &Cluster::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

Text operator_version(const Cluster& cluster, Operator which) {
  const Text* version = find(*cluster.spec->operators, spelling(which));
  return version == nullptr ? Text{} : *version;
}

const FieldTable& cluster_fields() {
  return field_table(static_cast<const Cluster*>(nullptr));
}

Cluster decode_cluster(const Tree& tree, NodeId root, Sink& sink) {
  Cluster document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

}  // namespace trainyard
