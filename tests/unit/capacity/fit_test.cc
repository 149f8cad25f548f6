// A gang is placed node by node: what fits by the sum may fit no node.
#include "capacity/fit.h"
#include "capacity/queue_bounds.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <memory>
#include <string>

#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// A plan and the nodes that it is to be put on.
struct Yard {
  Plan plan;
  std::vector<NodeGroup> nodes;
  Usage used;
  TopologyRequirement topology;
  std::vector<Beside> beside;

  Role& role(std::string_view name, std::int64_t pods, std::string_view gpus) {
    Role& role = plan.roles.emplace_back();
    role.name = name;
    role.replicas = {pods, kNoOrigin, true};
    if (!gpus.empty()) role.requests.push_back({"nvidia.com/gpu", gpus, kNoOrigin});
    return role;
  }

  NodeGroup& pool(std::string_view name, std::int64_t count, std::int64_t gpus) {
    Pool& pool = pools_.emplace_back();
    pool.name.value = name;
    NodeGroup& group = nodes.emplace_back();
    group.pool = &pool;
    group.count = count;
    group.amounts.emplace("nvidia.com/gpu", Quantity::of(gpus));
    return group;
  }

  void keep_apart(Role& role) {
    const auto map = [this] { return plan.tree.add_map(); };
    const NodeId term = map();
    plan.tree.append(term, "topologyKey", plan.tree.add_string("kubernetes.io/hostname"));
    const NodeId terms = plan.tree.add_seq();
    plan.tree.append(terms, term);
    const NodeId anti = map();
    plan.tree.append(anti, "requiredDuringSchedulingIgnoredDuringExecution", terms);
    const NodeId affinity = map();
    plan.tree.append(affinity, "podAntiAffinity", anti);
    role.affinity = {affinity, kNoOrigin, true};
  }

  void tolerate(Role& role, std::string_view key, std::string_view value) {
    const NodeId toleration = plan.tree.add_map();
    plan.tree.append(toleration, "key", plan.tree.add_string(key));
    plan.tree.append(toleration, "operator",
                     plan.tree.add_string(value.empty() ? "Exists" : "Equal"));
    if (!value.empty()) plan.tree.append(toleration, "value", plan.tree.add_string(value));
    role.tolerations.push_back({toleration, kNoOrigin, true});
  }

  Fit fit() const { return place_gang(plan, topology, nodes, used, beside); }

  /// `pool:pods/nodes ` for each share, or the obstacle.
  std::string outcome() const {
    const Fit result = fit();
    if (!result.fits) return result.obstacle;
    std::string text;
    for (const PoolShare& share : result.shares) {
      text += std::string(share.pool) + ":" + std::to_string(share.pods) + "/" +
              std::to_string(share.nodes) + " ";
    }
    return text;
  }

 private:
  std::deque<Pool> pools_;
};

}  // namespace

TEST_CASE("a gang that the sum of all GPUs would carry may fit no nodes") {
  Yard yard;
  yard.role("worker", 2, "8");
  yard.pool("small", 4, 4);
  CHECK(yard.outcome() == "no pool takes pods of role `worker`");
  CHECK(yard.fit().pools.at(0).why == "a node has 4 of `nvidia.com/gpu`, a pod asks for 8");
  yard.pool("large", 1, 8);
  CHECK(yard.outcome() == "1 of 2 pods of role `worker` has no node left");
  yard.nodes[1].count = 2;
  CHECK(yard.outcome() == "large:2/2 ");
}

TEST_CASE("pods share nodes unless they keep each other away") {
  Yard yard;
  Role& worker = yard.role("worker", 4, "2");
  yard.pool("h100", 3, 8);
  CHECK(yard.outcome() == "h100:4/1 ");
  yard.keep_apart(worker);
  CHECK(yard.outcome() == "1 of 4 pods of role `worker` has no node left");
  yard.nodes[0].count = 4;
  CHECK(yard.outcome() == "h100:4/4 ");
}

TEST_CASE("large pods come first, small ones fill what is left") {
  Yard yard;
  yard.role("evaluator", 2, "2");
  yard.role("worker", 1, "6");
  yard.pool("h100", 1, 8);
  CHECK(yard.outcome() == "1 of 2 pods of role `evaluator` has no node left");
  yard.nodes[0].count = 2;
  CHECK(yard.outcome() == "h100:1/1 h100:2/2 ");
  yard.nodes[0].amounts.at("nvidia.com/gpu") = Quantity::of(10);
  yard.nodes[0].count = 1;
  CHECK(yard.outcome() == "h100:1/1 h100:2/1 ");
}

TEST_CASE("what other containers of a pod request counts on nodes, and in queues") {
  Yard yard;
  yard.role("worker", 2, "4");
  yard.pool("h100", 1, 8);
  CHECK(yard.outcome() == "h100:2/1 ");
  yard.beside.push_back({"evaluator", "nvidia.com/gpu", Quantity::of(1)});
  CHECK(yard.outcome() == "h100:2/1 ");
  yard.beside[0].role = "worker";
  CHECK(yard.outcome() == "1 of 2 pods of role `worker` has no node left");
  yard.beside[0].amount = Quantity::of(5);
  CHECK(yard.outcome() == "no pool takes pods of role `worker`");
  CHECK(yard.fit().pools.at(0).why == "a node has 8 of `nvidia.com/gpu`, a pod asks for 9");
  yard.beside[0] = {"worker", "cpu", Quantity::of(60)};
  CHECK(yard.outcome() == "h100:2/1 ");
  yard.nodes[0].amounts.emplace("cpu", Quantity::of(100));
  CHECK(yard.outcome() == "1 of 2 pods of role `worker` has no node left");
}

TEST_CASE("every known amount counts, and unknown ones keep no pod away") {
  Yard yard;
  Role& worker = yard.role("worker", 2, "4");
  worker.requests.push_back({"memory", "600Gi", kNoOrigin});
  worker.requests.push_back({"rdma/ib", "1", kNoOrigin});
  NodeGroup& pool = yard.pool("h100", 1, 8);
  CHECK(yard.outcome() == "h100:2/1 ");
  pool.amounts.emplace("memory", *Quantity::parse("1Ti"));
  CHECK(yard.outcome() == "1 of 2 pods of role `worker` has no node left");
}

TEST_CASE("a pod goes where its selector and tolerations let it") {
  Yard yard;
  Role& worker = yard.role("worker", 1, "8");
  worker.node_selector.push_back({"zone", "b", kNoOrigin});
  NodeGroup& pool = yard.pool("h100", 1, 8);
  CHECK(yard.outcome() == "h100:1/1 ");  // nodes may have labels that are not stated
  pool.labels["zone"] = "a";
  CHECK(yard.fit().pools.at(0).why == "its label `zone` is `a`, wanted is `b`");
  pool.labels["zone"] = "b";
  pool.taints.push_back({"nvidia.com/gpu", "present", "NoSchedule"});
  CHECK(yard.fit().fits);  // a taint called as a resource of the pod may be tolerated for it
  pool.taints.push_back({"team", "vision", "NoSchedule"});
  CHECK(yard.fit().pools.at(0).why == "its taint `team` is not tolerated");
  yard.tolerate(worker, "team", "speech");
  CHECK_FALSE(yard.fit().fits);
  yard.tolerate(worker, "team", "vision");
  CHECK(yard.fit().fits);
  yard.plan.roles[0].replicas.value = 2;
  yard.pool("other", 4, 8);  // would have the label if it were one of these nodes
  CHECK(yard.outcome() == "1 of 2 pods of role `worker` has no node left");
  yard.nodes[1].labels["zone"] = "b";
  CHECK(yard.outcome() == "h100:1/1 other:1/1 ");
}

TEST_CASE("nodes that others use are not free") {
  Yard yard;
  yard.role("worker", 4, "8");
  yard.pool("h100", 6, 8);
  yard.used.nodes["h100"] = 2;
  CHECK(yard.outcome() == "h100:4/4 ");
  yard.used.nodes["h100"] = 3;
  CHECK(yard.outcome() == "1 of 4 pods of role `worker` has no node left");
  yard.used.nodes["h100"] = 30;
  CHECK(yard.outcome() == "4 of 4 pods of role `worker` have no node left");
}

TEST_CASE("a job that wants one domain of a level is put into one") {
  Yard yard;
  yard.role("worker", 6, "8");
  yard.pool("first", 4, 8).domains = {{"block", 4}};
  yard.pool("second", 16, 8).domains = {{"block", 8}, {"rack", 4}};
  CHECK(yard.outcome() == "first:4/4 second:2/2 ");
  yard.topology.level = "block";
  CHECK(yard.outcome() == "second:6/6 ");
  yard.topology.level = "rack";
  CHECK(yard.outcome().starts_with("2 of 6 pods of role `worker` have no node left"));
}

TEST_CASE("a level goes by its name and by its label, and the error has its numbers") {
  Yard yard;
  yard.role("worker", 6, "8");
  yard.pool("h100", 16, 8).domains = {{"rack", 4, "example.com/rack"}};
  yard.topology.level = "example.com/rack";
  const Fit fit = yard.fit();
  CHECK_FALSE(fit.fits);
  CHECK(fit.pools.at(0).why ==
        "room for 4 such pods: one `example.com/rack` has 4 nodes, and 16 nodes are free");
  yard.topology.level = "rack";
  CHECK_FALSE(yard.fit().fits);
  yard.topology.level = "block";  // of an unknown size
  CHECK(yard.fit().fits);
}

TEST_CASE("slices leave nodes that do not fill one of their own") {
  Yard yard;
  Role& worker = yard.role("worker", 12, "8");
  yard.pool("h100", 20, 8).domains = {{"rack", 8}};
  yard.topology.slice_level = "rack";
  yard.topology.slice_nodes = 3;
  CHECK(yard.fit().fits);  // pods that share nodes are no slices of nodes
  yard.keep_apart(worker);
  CHECK(yard.outcome() == "h100:12/12 ");
  // Two slices in each of two racks, one in the four nodes of the third.
  worker.replicas.value = 15;
  CHECK(yard.outcome() == "h100:15/15 ");
  worker.replicas.value = 18;
  CHECK(yard.fit().pools.at(0).why ==
        "room for 15 such pods: one `rack` of 8 nodes holds 2 slices of 3");
  yard.nodes[0].count.reset();
  CHECK(yard.fit().fits);
  yard.topology.slice_nodes = 9;
  CHECK_FALSE(yard.fit().fits);
}

TEST_CASE("GPUs that are claimed are counted by their class") {
  Yard yard;
  Role& worker = yard.role("worker", 3, "");
  worker.gpus = {4, kNoOrigin, true};
  worker.gpu_class = {"gpu.nvidia.com", kNoOrigin, true};
  yard.pool("h100", 1, 8).amounts.emplace("gpu.nvidia.com", Quantity::of(8));
  CHECK(yard.outcome() == "1 of 3 pods of role `worker` has no node left");
  yard.nodes[0].count = 2;
  CHECK(yard.outcome() == "h100:3/2 ");
}

TEST_CASE("a pool without a stated size takes any number, and pods without devices are let be") {
  Yard yard;
  yard.role("launcher", 1, "");
  yard.role("worker", 1000, "8");
  NodeGroup& pool = yard.pool("spot", 0, 8);
  pool.count.reset();
  pool.taints.push_back({"nvidia.com/gpu", "", "NoSchedule"});
  yard.tolerate(yard.plan.roles[1], "nvidia.com/gpu", "");
  CHECK(yard.outcome() == "spot:1000/1000 ");
  CHECK(yard.fit().notes.size() == 1);
}

TEST_CASE("without pools nothing is known, and nothing is refused") {
  Yard yard;
  yard.role("worker", 1000, "64");
  CHECK(yard.fit().fits);
}

namespace {

/// A job of 32 GPUs in the queue `research`, and the queues of its Cluster.
struct Queues {
  explicit Queues(std::string_view system) {
    yard.role("worker", 4, "8");
    yard.plan.queue = {"research", kNoOrigin, true};
    yard.plan.system = {system, kNoOrigin, true};
  }

  static Entry<std::string_view> gpus(std::string_view amount) {
    Entry<std::string_view> entry;
    entry.key = "nvidia.com/gpu";
    entry.value.value = amount;
    return entry;
  }

  /// A name or amount of "" is left out.
  Queue& add(std::string_view name, std::string_view parent, std::string_view quota,
             std::string_view limit) {
    Queue& queue = cluster.spec.value.queues.value.emplace_back().value;
    queue.name.value = name;
    if (!parent.empty()) {
      queue.parent.value = parent;
      queue.parent.node = 0;
    }
    if (!quota.empty()) queue.quota.value.push_back(gpus(quota));
    if (!limit.empty()) queue.limit.value.push_back(gpus(limit));
    return queue;
  }

  std::string obstacle() const {
    return fits_queue(yard.plan, cluster, yard.used, yard.beside).obstacle;
  }

  Yard yard;
  Cluster cluster;
};

}  // namespace

TEST_CASE("a queue of Kueue that cannot borrow gives its quota") {
  Queues queues("kueue");
  queues.add("research", "", "32", "");
  CHECK(queues.obstacle().empty());
  queues.yard.used.queues["research"]["nvidia.com/gpu"] = Quantity::of(8);
  CHECK(queues.obstacle() ==
        "the queue `research` has 32 of `nvidia.com/gpu`, the job asks for 32 and others use 8");
  queues.yard.plan.queue.value = "other";
  CHECK(queues.obstacle().empty());
}

TEST_CASE("a queue counts what other containers of the pods request") {
  Queues queues("kueue");
  queues.add("research", "", "34", "");
  CHECK(queues.obstacle().empty());
  queues.yard.beside.push_back({queues.yard.plan.roles[0].name, "nvidia.com/gpu", Quantity::of(1)});
  CHECK(queues.obstacle() ==
        "the queue `research` has 34 of `nvidia.com/gpu`, the job asks for 36");
}

TEST_CASE("queues of one cohort lend what they have together, and no more") {
  Queues queues("kueue");
  queues.add("research", "org", "16", "");
  CHECK(queues.obstacle() ==
        "the queues below `org` have together 16 of `nvidia.com/gpu`, the job asks for 32");
  queues.add("production", "org", "16", "");
  CHECK(queues.obstacle().empty());
  queues.yard.used.queues["production"]["nvidia.com/gpu"] = Quantity::of(1);
  CHECK(queues.obstacle() ==
        "the queues below `org` have together 32 of `nvidia.com/gpu`, the job asks for 32 and "
        "others use 1");
  Queue& third = queues.add("spare", "org", "", "");
  CHECK(queues.obstacle().empty());  // what that lends is unknown
  third.quota.value.push_back(Queues::gpus("1"));
  CHECK(queues.obstacle().empty());
  third.parent.value = "elsewhere";
  CHECK_FALSE(queues.obstacle().empty());
  queues.cluster.spec.value.queues.value[0].value.limit.value.push_back(Queues::gpus("31"));
  CHECK(queues.obstacle() ==
        "the queue `research` has 31 of `nvidia.com/gpu`, the job asks for 32");
}

TEST_CASE("a cohort that is there already may have more in it than is known") {
  Queues queues("kueue");
  Queue& research = queues.add("research", "org", "16", "");
  research.existing.value = true;
  research.existing.node = 0;
  CHECK(queues.obstacle().empty());
}

TEST_CASE("queues before one ClusterQueue share what one of them states") {
  Queues queues("kueue");
  queues.add("research", "", "", "").cluster_queue.node = 0;
  queues.cluster.spec.value.queues.value[0].value.cluster_queue.value = "gpus";
  CHECK(queues.obstacle().empty());
  queues.add("gpus", "", "16", "");
  CHECK(queues.obstacle() ==
        "the queue `research` has 16 of `nvidia.com/gpu`, the job asks for 32");
}

TEST_CASE("other systems lend what is idle beyond a quota, up to the limits above") {
  for (const std::string_view system : {"volcano", "kai", "runai"}) {
    INFO(system);
    Queues queues(system);
    queues.add("research", "", "16", "");
    CHECK(queues.obstacle().empty());
    queues.cluster.spec.value.queues.value[0].value.parent.value = "org";
    queues.cluster.spec.value.queues.value[0].value.parent.node = 0;
    queues.add("org", "org", "", "24");  // above itself, which ends, too
    CHECK(queues.obstacle() == "the queue `org` has 24 of `nvidia.com/gpu`, the job asks for 32");
  }
}

TEST_CASE("pods of a queue of Kueue get to its pools only") {
  Queues queues("kueue");
  queues.yard.pool("h100", 8, 8);
  queues.yard.pool("a100", 8, 8);
  Located<std::string_view> pool;
  pool.value = "a100";
  queues.add("research", "", "", "").pools.value.push_back(pool);
  close_pools(queues.yard.nodes, queues.yard.plan, queues.cluster);
  CHECK(queues.yard.outcome() == "a100:4/4 ");
  queues.yard.nodes[1].count = 3;
  CHECK(queues.yard.fit().pools.at(0).why == "the queue `research` does not use it");
  CHECK(queues.yard.fit().pools.at(1).why ==
        "room for 3 such pods: 3 nodes, and a node has `nvidia.com/gpu` for 1");
}

TEST_CASE("a pool says by what it takes no more") {
  Yard yard;
  Role& worker = yard.role("worker", 9, "4");
  worker.requests.push_back({"cpu", "150", kNoOrigin});
  yard.pool("h100", 4, 8).amounts.emplace("cpu", Quantity::of(220));
  const auto why = [&] { return yard.fit().pools.at(0).why; };
  CHECK(why() == "room for 4 such pods: 4 nodes, and a node has `cpu` for 1");
  yard.used.nodes["h100"] = 3;
  CHECK(why() == "room for 1 such pod: 1 of 4 nodes is free, and a node has `cpu` for 1");
  yard.used.nodes["h100"] = 4;
  CHECK(why() == "room for 0 such pods: all its nodes are in use");
  yard.used.nodes.clear();
  yard.keep_apart(yard.plan.roles[0]);
  CHECK(why() == "room for 4 such pods: 4 nodes, one pod on each");
  yard.role("head", 1, "8");
  CHECK(why() ==
        "room for 3 such pods: 4 nodes, one pod on each, partly taken by other pods of the job");
}

TEST_CASE("a job that KAI and Run:ai never stop for others gets nothing beyond the quota") {
  for (const std::string_view system : {"kai", "runai"}) {
    INFO(system);
    Queues queues(system);
    queues.add("research", "", "31", "64");
    CHECK(queues.obstacle().empty());
    Role& role = queues.yard.plan.roles[0];
    role.pod_labels.push_back({"kai.scheduler/preemptibility", "non-preemptible", kNoOrigin});
    CHECK(queues.obstacle() ==
          "the queue `research` has 31 of `nvidia.com/gpu`, the job asks for 32");
    role.pod_labels[0].value = "preemptible";
    role.priority_class = {"build", kNoOrigin, true};
    CHECK(queues.obstacle().empty());  // the label counts before the class
    role.pod_labels.clear();
    CHECK_FALSE(queues.obstacle().empty());
    queues.cluster.spec.value.queues.value[0].value.quota.value[0].value.value = "32";
    CHECK(queues.obstacle().empty());
  }
  Queues others("volcano");
  others.add("research", "", "8", "");
  others.yard.plan.roles[0].priority_class = {"build", kNoOrigin, true};
  CHECK(others.obstacle().empty());
}

TEST_CASE("whether a job is stopped for others follows from the value of its class, from 100 on") {
  Queues queues("kai");
  queues.add("research", "", "8", "");
  queues.yard.plan.roles[0].priority_class = {"build", kNoOrigin, true};
  PriorityClass& known = queues.cluster.spec.value.priority_classes.value.emplace_back().value;
  known.name.value = "build";
  known.value.value = 99;
  CHECK(queues.obstacle().empty());
  known.value.value = 100;
  CHECK_FALSE(queues.obstacle().empty());
}

TEST_CASE("the quotas of the queues above hold such a job back as well") {
  Queues queues("kai");
  queues.add("research", "org", "32", "");
  queues.add("org", "", "16", "");
  queues.yard.plan.roles[0].priority_class = {"inference", kNoOrigin, true};
  CHECK(queues.obstacle() == "the queue `org` has 16 of `nvidia.com/gpu`, the job asks for 32");
}
