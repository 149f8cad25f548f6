#include "driver/picture/cluster_picture.h"

#include <algorithm>
#include <map>

#include "capacity/topology_levels.h"
#include "diag/foreign_text.h"

namespace trainyard {
namespace {

/// Of so many jobs each is named.
constexpr std::size_t kJobsOneByOne = 12;
constexpr std::string_view kGpu = "nvidia.com/gpu";

std::string size_of(std::int64_t pods, std::int64_t gpus) {
  return plural(pods, "pod") + (gpus == 0 ? "" : ", " + plural(gpus, "GPU"));
}

using Queued = std::map<std::string, std::vector<const JobDemand*>>;

Queued by_queue(const std::vector<JobDemand>& jobs) {
  Queued queues;
  for (const JobDemand& each : jobs) queues[each.queue].push_back(&each);
  return queues;
}

std::int64_t gpus_of(const std::vector<const JobDemand*>& jobs) {
  std::int64_t gpus = 0;
  for (const JobDemand* each : jobs) gpus += each->gpus;
  return gpus;
}

/// The jobs, the largest first; what is beyond a dozen is one box.
std::vector<Box> job_boxes(std::vector<const JobDemand*> jobs) {
  std::ranges::stable_sort(jobs, std::greater(), &JobDemand::gpus);
  std::vector<Box> boxes;
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i < kJobsOneByOne) {
      boxes.push_back({.title = jobs[i]->job,
                       .lines = {size_of(jobs[i]->pods, jobs[i]->gpus)},
                       .kind = BoxKind::Job});
    } else {
      pods += jobs[i]->pods;
      gpus += jobs[i]->gpus;
    }
  }
  if (jobs.size() > kJobsOneByOne) {
    const auto rest = static_cast<std::int64_t>(jobs.size() - kJobsOneByOne);
    boxes.push_back({.title = plural(rest, "smaller job"),
                     .lines = {size_of(pods, gpus)},
                     .kind = BoxKind::Job});
  }
  return boxes;
}

class ClusterPainter {
 public:
  ClusterPainter(Session& session, const ClusterDocument& cluster,
                 const std::vector<JobDemand>& jobs, const std::vector<JobFit>& fits)
      : session_(session), cluster_(*cluster.cluster.spec), queued_(by_queue(jobs)), fits_(fits) {
    const Text& name = cluster.cluster.metadata->name;
    picture_.title = "Cluster " + foreign_text(*name);
    if (!jobs.empty()) {
      picture_.title += ", " + plural(static_cast<std::int64_t>(jobs.size()), "job");
    }
  }

  Picture paint() {
    add_operators();
    for (const auto& each : *cluster_.queues) add_queue(*each);
    for (const auto& [name, jobs] : queued_) {
      if (!is_known(name)) add_other_queue(name, jobs);
    }
    for (const auto& each : *cluster_.pools) add_pool(*each);
    return std::move(picture_);
  }

 private:
  void add_operators() {
    if (cluster_.kubernetes) {
      picture_.lines.push_back("Kubernetes " + foreign_text(*cluster_.kubernetes));
    }
    std::string operators;
    for (const auto& each : *cluster_.operators) {
      operators +=
          (operators.empty() ? "" : ", ") + std::string(each.key) + " " + foreign_text(*each.value);
    }
    if (!operators.empty()) picture_.lines.push_back("operators: " + operators);
  }

  bool is_known(std::string_view name) const {
    return std::ranges::any_of(*cluster_.queues,
                               [&](const auto& queue) { return *queue->name == name; });
  }

  void add_queue(const Queue& queue) {
    Box box{.title = "queue " + foreign_text(*queue.name),
            .kind = BoxKind::Queue,
            .id = "queue " + std::string(*queue.name),
            .column = 0};
    std::int64_t wanted = 0;
    if (const auto jobs = queued_.find(std::string(*queue.name)); jobs != queued_.end()) {
      wanted = gpus_of(jobs->second);
      box.inside = job_boxes(jobs->second);
    }
    for (const auto& [what, amounts] :
         {std::pair("quota", &queue.quota), std::pair("limit", &queue.limit)}) {
      for (const auto& each : **amounts) {
        std::string line =
            std::string(what) + " " + foreign_text(each.key) + " " + foreign_text(*each.value);
        if (each.key == kGpu && wanted != 0) line += ", the jobs ask for " + std::to_string(wanted);
        box.lines.push_back(std::move(line));
      }
    }
    for (const Text& pool : *queue.pools) {
      picture_.arrows.push_back({box.id, "pool " + std::string(*pool), {}});
    }
    picture_.boxes.push_back(std::move(box));
  }

  /// One that the Cluster does not state, and jobs in none.
  void add_other_queue(const std::string& name, const std::vector<const JobDemand*>& jobs) {
    picture_.boxes.push_back(
        {.title = name.empty() ? "no queue" : "queue " + name + ", which the Cluster does not have",
         .inside = job_boxes(jobs),
         .kind = BoxKind::Queue,
         .column = 0});
  }

  void add_pool(const Pool& pool) {
    Box box{.title = "pool " + foreign_text(*pool.name),
            .kind = BoxKind::Pool,
            .id = "pool " + std::string(*pool.name)};
    const Machine* const machine = session_.machines.find(*pool.machine);
    box.lines.push_back(nodes_line(pool, machine));
    add_placement(pool, machine, box);
    add_taken(pool, box);
    picture_.boxes.push_back(std::move(box));
  }

  static std::string nodes_line(const Pool& pool, const Machine* machine) {
    std::string line =
        pool.count ? plural(*pool.count, "node") : "nodes, a number that is not stated";
    if (pool.machine) line += " " + foreign_text(*pool.machine);
    Integer gpus = pool.gpu->count;
    Text product = pool.gpu->product;
    if (machine != nullptr && !gpus) gpus = machine->gpu->count;
    if (machine != nullptr && !product) product = machine->gpu->model;
    if (gpus && *gpus != 0) {
      line += ", " + plural(*gpus, "GPU") + " each";
      if (product) line += " (" + foreign_text(*product) + ")";
    }
    return line;
  }

  void add_placement(const Pool& pool, const Machine* machine, Box& box) const {
    if (pool.capacity || pool.zone) {
      std::string line;
      if (pool.capacity) line = words(*pool.capacity)[static_cast<std::size_t>(*pool.capacity)];
      if (pool.zone) line += (line.empty() ? "zone " : ", zone ") + foreign_text(*pool.zone);
      box.lines.push_back(std::move(line));
    }
    const MachineSpec* const cloud =
        machine == nullptr ? nullptr : session_.machines.catalogue(machine->name.span.file);
    std::string levels;
    for (const auto& each : topology_levels(&pool, machine, cloud)) {
      levels += (levels.empty() ? "" : " > ") + foreign_text(*each->name);
      if (each->nodes) levels += " of " + plural(*each->nodes, "node");
    }
    if (!levels.empty()) box.lines.push_back("topology " + levels);
    const Text fabric = pool.network->fabric ? pool.network->fabric
                        : machine != nullptr ? machine->fabric
                                             : Text();
    if (fabric) box.lines.push_back("fabric " + foreign_text(*fabric));
  }

  /// The nodes that jobs would take, each job on its own.
  void add_taken(const Pool& pool, Box& box) const {
    std::int64_t nodes = 0;
    for (const JobFit& fit : fits_) {
      for (const PoolShare& share : fit.shares) {
        if (share.pool == *pool.name) nodes += share.nodes;
      }
    }
    if (nodes == 0) return;
    box.lines.push_back("the jobs would take " + plural(nodes, "node") +
                        (pool.count && nodes > *pool.count ? ", more than there are" : ""));
  }

  Session& session_;
  const ClusterSpec& cluster_;
  Queued queued_;
  const std::vector<JobFit>& fits_;
  Picture picture_;
};

}  // namespace

Picture fleet_picture(const std::vector<JobDemand>& jobs) {
  Picture picture;
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
  for (const JobDemand& each : jobs) {
    pods += each.pods;
    gpus += each.gpus;
  }
  picture.title =
      plural(static_cast<std::int64_t>(jobs.size()), "job") + ": " + size_of(pods, gpus);
  for (const auto& [name, queued] : by_queue(jobs)) {
    picture.boxes.push_back({.title = name.empty() ? "no queue" : "queue " + name,
                             .lines = {plural(gpus_of(queued), "GPU")},
                             .inside = job_boxes(queued),
                             .kind = BoxKind::Queue});
  }
  return picture;
}

Picture cluster_picture(Session& session, const ClusterDocument& cluster,
                        const std::vector<JobDemand>& jobs, const std::vector<JobFit>& fits) {
  return ClusterPainter(session, cluster, jobs, fits).paint();
}

}  // namespace trainyard
