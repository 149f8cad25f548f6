#include <catch2/catch_test_macros.hpp>

#include "everything.h"
#include "spec/cluster.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

TEST_CASE("every group of a Cluster is decoded") {
  const Document document(kEveryClusterField);
  Sink sink;
  const Cluster cluster = decode_cluster(document.tree(), document.root(), sink);
  CHECK(sink.all().empty());
  const ClusterSpec& spec = *cluster.spec;
  CHECK(*spec.kubernetes == "1.33");
  CHECK(*operator_version(cluster, Operator::Trainer) == "2.3.0");
  CHECK(document.at(operator_version(cluster, Operator::Kueue).span) == "0.19.2");
  CHECK_FALSE(operator_version(cluster, Operator::Volcano).given());
  CHECK(*spec.defaults->ns == "ml");
  CHECK(*spec.defaults->scheduling->system == SchedulingSystem::Kueue);
  CHECK(*spec.defaults->security->level == SecurityLevel::Baseline);
  const Pool& pool = *spec.pools->at(0);
  CHECK(*pool.count == 32);
  CHECK(pool.taints.given());
  CHECK(*pool.topology->at(0)->node_label == "example.com/block");
  CHECK(*pool.capacity == CapacityKind::Spot);
  CHECK(**find(*pool.gpu->mig, "3g.40gb") == 16);
  CHECK(*pool.gpu->mig_strategy == MigStrategy::Mixed);
  CHECK(*pool.gpu->sharing->mode == SharingMode::Mps);
  CHECK(**find(*pool.allocatable, "cpu") == "200");
  CHECK(**find(*pool.network->resources, "rdma/ib") == 8);
  CHECK(*spec.gpu->mig_strategy == MigStrategy::None);
  CHECK(spec.gpu->cdi.given());
  CHECK_FALSE(*spec.gpu->cdi);
  CHECK(*spec.gpu->allocation == GpuAllocation::Dra);
  const FabricSettings& fabric = find(*spec.network->fabrics, "infiniband")->value;
  CHECK(*fabric.count == FabricCount::PerNic);
  CHECK(fabric.networks->size() == 2);
  CHECK(*spec.network->service_mesh == ServiceMesh::Istio);
  CHECK(**find(*spec.queues->at(0)->quota, "nvidia.com/gpu") == "64");
  CHECK(*spec.priority_classes->at(0)->value == -10);
  CHECK(*spec.runtimes->at(0)->framework == RuntimeFramework::Mpi);
  CHECK(*spec.storage_classes->at(0)->is_default);
  CHECK(*spec.claims->at(0)->access_modes->at(0) == AccessMode::ReadWriteMany);
  CHECK(*spec.namespaces->at(0)->pod_security == SecurityLevel::Restricted);
  CHECK(*spec.gitops->tool == GitOpsTool::Flux);
  CHECK(*spec.policies->at(0)->severity == PolicySeverity::Warning);
}

TEST_CASE("a Cluster without a spec decodes to nothing") {
  Sink sink;
  const Document document("kind: Cluster");
  const Cluster cluster = decode_cluster(document.tree(), document.root(), sink);
  CHECK_FALSE(cluster.spec.given());
  CHECK_FALSE(operator_version(cluster, Operator::Kai).given());
}
