#include "driver/doctor/compare_cluster.h"

#include "driver/doctor/compare_objects.h"
#include "driver/doctor/compare_operators.h"
#include "driver/doctor/compare_pools.h"

namespace trainyard {

void compare_cluster(Session& session, const ClusterDocument& document, const Survey& survey,
                     ComparedCluster& result, Deviations& deviations) {
  result.nodes = real_nodes(survey);
  state_cluster(session, document, result.stated);
  result.pools = match_pools(result.stated, result.nodes);
  compare_releases(document.cluster, survey, deviations);
  if (survey.kind("Node").is_read) {
    compare_pools(result.stated, result.nodes, result.pools, deviations);
  }
  compare_objects(document.cluster, survey, deviations);
}

}  // namespace trainyard
