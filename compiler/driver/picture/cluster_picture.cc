#include "driver/picture/cluster_picture.h"

#include <algorithm>
#include <map>

#include "capacity/topology_levels.h"
#include "diag/foreign_text.h"

namespace trainyard {
namespace {

/// Of so many jobs each is named.
constexpr std::size_t kJobsOneByOne = 12;

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
                 const std::vector<JobDemand>& jobs, const ClusterUse& use)
      : session_(session), cluster_(*cluster.cluster.spec), queued_(by_queue(jobs)), use_(use) {
    const Text& name = cluster.cluster.metadata->name;
    picture_.title = "Cluster " + foreign_text(*name);
    if (!jobs.empty()) {
      picture_.title += ", " + plural(static_cast<std::int64_t>(jobs.size()), "job");
    }
  }

  Picture paint() {
    add_operators();
    for (const QueueUse& each : use_.queues) {
      each.is_known ? add_queue(each) : add_other_queue(each.name);
    }
    for (const auto& each : *cluster_.queues) {
      for (const Text& pool : *each->pools) {
        picture_.arrows.push_back({id_of_queue(*each->name), id_of_pool(*pool), {}});
      }
    }
    std::size_t at = 0;
    for (const auto& each : *cluster_.pools) add_pool(*each, use_.pools[at++]);
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

  static std::string id_of_queue(std::string_view name) { return "queue " + std::string(name); }
  static std::string id_of_pool(std::string_view name) { return "pool " + std::string(name); }

  std::vector<Box> boxes_of(const std::string& queue) const {
    const auto jobs = queued_.find(queue);
    return jobs == queued_.end() ? std::vector<Box>() : job_boxes(jobs->second);
  }

  void add_queue(const QueueUse& queue) {
    Box box{.title = "queue " + foreign_text(queue.name),
            .inside = boxes_of(queue.name),
            .kind = BoxKind::Queue,
            .id = id_of_queue(queue.name),
            .column = 0};
    for (const QueueAmount& each : queue.amounts) box.lines.push_back(words(each));
    picture_.boxes.push_back(std::move(box));
  }

  /// One that the Cluster does not state, and jobs in none.
  void add_other_queue(const std::string& name) {
    picture_.boxes.push_back(
        {.title = name.empty() ? "no queue" : "queue " + name + ", which the Cluster does not have",
         .inside = boxes_of(name),
         .kind = BoxKind::Queue,
         .column = 0});
  }

  void add_pool(const Pool& pool, const PoolUse& use) {
    Box box{.title = "pool " + use.name, .kind = BoxKind::Pool, .id = id_of_pool(*pool.name)};
    box.lines.push_back(use.about);
    add_placement(pool, session_.machines.find(*pool.machine), box);
    if (use.taken != 0) {
      box.lines.push_back("the jobs would take " + plural(use.taken, "node") +
                          (use.nodes && use.taken > *use.nodes ? ", more than there are" : ""));
    }
    picture_.boxes.push_back(std::move(box));
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

  Session& session_;
  const ClusterSpec& cluster_;
  Queued queued_;
  const ClusterUse& use_;
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
                        const std::vector<JobDemand>& jobs, const ClusterUse& use) {
  return ClusterPainter(session, cluster, jobs, use).paint();
}

}  // namespace trainyard
