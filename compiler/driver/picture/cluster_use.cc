#include "driver/picture/cluster_use.h"

#include <algorithm>
#include <map>

#include "diag/foreign_text.h"
#include "picture/picture.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

PoolUse pool_use(const Pool& pool, const Machine* machine, const std::vector<JobFit>& fits) {
  PoolUse use{.name = foreign_text(*pool.name), .about = {}, .nodes = {}};
  use.about = "nodes, a number that is not stated";
  if (pool.count) {
    use.nodes = *pool.count;
    use.about = plural(*pool.count, "node");
  }
  if (pool.machine) use.about += " " + foreign_text(*pool.machine);
  Integer gpus = pool.gpu->count;
  Text product = pool.gpu->product;
  if (machine != nullptr && !gpus) gpus = machine->gpu->count;
  if (machine != nullptr && !product) product = machine->gpu->model;
  if (gpus && *gpus != 0) {
    use.gpus = *gpus;
    use.about += ", " + plural(*gpus, "GPU") + " each";
    if (product) use.about += " (" + foreign_text(*product) + ")";
  }
  for (const JobFit& fit : fits) {
    for (const PoolShare& share : fit.shares) {
      if (share.pool == *pool.name) use.taken += share.nodes;
    }
  }
  return use;
}

QueueUse queue_use(const Queue& queue) {
  QueueUse use{.name = std::string(*queue.name), .is_known = true, .amounts = {}, .gpu_quota = {}};
  for (const auto& [what, amounts] :
       {std::pair("quota", &queue.quota), std::pair("limit", &queue.limit)}) {
    for (const auto& each : **amounts) {
      use.amounts.push_back({what, std::string(each.key), std::string(*each.value), {}});
      const bool is_quota = amounts == &queue.quota;
      if (!is_quota || each.key != kGpu) continue;
      if (const auto amount = Quantity::parse(*each.value)) use.gpu_quota = amount->whole_units();
    }
  }
  return use;
}

void count(const Amounts& amounts, QueueUse& queue) {
  for (QueueAmount& bound : queue.amounts) {
    const auto asked = amounts.find(bound.resource);
    if (asked == amounts.end()) continue;
    bound.asked = add(bound.asked, asked->second).value_or(bound.asked);
    const auto most = Quantity::parse(bound.amount);
    bound.is_exceeded = most && bound.asked > *most;
  }
}

}  // namespace

std::string words(const QueueAmount& bound) {
  std::string text = std::string(bound.what) + " " + foreign_text(bound.resource) + " " +
                     foreign_text(bound.amount);
  if (!bound.asked.is_zero()) text += ", the jobs ask for " + bound.asked.text();
  return text + (bound.is_exceeded ? ", more than that" : "");
}

ClusterUse cluster_use(Session& session, const ClusterDocument* cluster,
                       const std::vector<JobDemand>& jobs, const std::vector<JobFit>& fits) {
  ClusterUse use;
  std::map<std::string, QueueUse> others;
  if (cluster != nullptr) {
    for (const auto& each : *cluster->cluster.spec->queues) use.queues.push_back(queue_use(*each));
    for (const auto& each : *cluster->cluster.spec->pools) {
      use.pools.push_back(pool_use(*each, session.machines.find(*each->machine), fits));
    }
  }
  for (const JobDemand& each : jobs) {
    const auto known = std::ranges::find(use.queues, each.queue, &QueueUse::name);
    QueueUse& queue = known == use.queues.end() ? others[each.queue] : *known;
    queue.name = each.queue;
    ++queue.jobs;
    queue.pods += each.pods;
    queue.gpus += each.gpus;
    count(each.amounts, queue);
  }
  for (auto& [name, queue] : others) use.queues.push_back(std::move(queue));
  return use;
}

}  // namespace trainyard
