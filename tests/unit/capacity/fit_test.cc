// A gang is placed node by node: what fits by the sum may fit no node.
#include "capacity/fit.h"

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
  Nearness nearness;

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

  Fit fit() const { return place_gang(plan, nearness, nodes, used); }

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
  CHECK(yard.outcome() == "1 pod of 2 pods of role `worker` have no node left");
  yard.nodes[1].count = 2;
  CHECK(yard.outcome() == "large:2/2 ");
}

TEST_CASE("pods share nodes unless they keep each other away") {
  Yard yard;
  Role& worker = yard.role("worker", 4, "2");
  yard.pool("h100", 3, 8);
  CHECK(yard.outcome() == "h100:4/1 ");
  yard.keep_apart(worker);
  CHECK(yard.outcome() == "1 pod of 4 pods of role `worker` have no node left");
  yard.nodes[0].count = 4;
  CHECK(yard.outcome() == "h100:4/4 ");
}

TEST_CASE("large pods come first, small ones fill what is left") {
  Yard yard;
  yard.role("evaluator", 2, "2");
  yard.role("worker", 1, "6");
  yard.pool("h100", 1, 8);
  CHECK(yard.outcome() == "1 pod of 2 pods of role `evaluator` have no node left");
  yard.nodes[0].count = 2;
  CHECK(yard.outcome() == "h100:1/1 h100:2/2 ");
  yard.nodes[0].amounts.at("nvidia.com/gpu") = Quantity::of(10);
  yard.nodes[0].count = 1;
  CHECK(yard.outcome() == "h100:1/1 h100:2/1 ");
}

TEST_CASE("every amount that is known counts, the others keep nobody away") {
  Yard yard;
  Role& worker = yard.role("worker", 2, "4");
  worker.requests.push_back({"memory", "600Gi", kNoOrigin});
  worker.requests.push_back({"rdma/ib", "1", kNoOrigin});
  NodeGroup& pool = yard.pool("h100", 1, 8);
  CHECK(yard.outcome() == "h100:2/1 ");
  pool.amounts.emplace("memory", *Quantity::parse("1Ti"));
  CHECK(yard.outcome() == "1 pod of 2 pods of role `worker` have no node left");
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
  CHECK(yard.outcome() == "1 pod of 2 pods of role `worker` have no node left");
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
  CHECK(yard.outcome() == "1 pod of 4 pods of role `worker` have no node left");
  yard.used.nodes["h100"] = 30;
  CHECK(yard.outcome() == "4 pods of 4 pods of role `worker` have no node left");
}

TEST_CASE("a job that wants one domain of a level is put into one") {
  Yard yard;
  yard.role("worker", 6, "8");
  yard.pool("first", 4, 8).domains = {{"block", 4}};
  yard.pool("second", 16, 8).domains = {{"block", 8}, {"rack", 4}};
  CHECK(yard.outcome() == "first:4/4 second:2/2 ");
  yard.nearness.level = "block";
  CHECK(yard.outcome() == "second:6/6 ");
  yard.nearness.level = "rack";
  CHECK(yard.outcome().starts_with("2 pods of 6 pods of role `worker` have no node left"));
}

TEST_CASE("a level goes by its name and by its label, and the error has its numbers") {
  Yard yard;
  yard.role("worker", 6, "8");
  yard.pool("h100", 16, 8).domains = {{"rack", 4, "example.com/rack"}};
  yard.nearness.level = "example.com/rack";
  const Fit fit = yard.fit();
  CHECK_FALSE(fit.fits);
  CHECK(fit.pools.at(0).why ==
        "room for 4 such pods: one `example.com/rack` has 4 nodes, and 16 nodes are free");
  yard.nearness.level = "rack";
  CHECK_FALSE(yard.fit().fits);
  yard.nearness.level = "block";  // of a size that nobody states
  CHECK(yard.fit().fits);
}

TEST_CASE("slices leave nodes that do not fill one of their own") {
  Yard yard;
  Role& worker = yard.role("worker", 12, "8");
  yard.pool("h100", 20, 8).domains = {{"rack", 8}};
  yard.nearness.slice_level = "rack";
  yard.nearness.slice_nodes = 3;
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
  yard.nearness.slice_nodes = 9;
  CHECK_FALSE(yard.fit().fits);
}

TEST_CASE("GPUs that are claimed are counted by their class") {
  Yard yard;
  Role& worker = yard.role("worker", 3, "");
  worker.gpus = {4, kNoOrigin, true};
  worker.gpu_class = {"gpu.nvidia.com", kNoOrigin, true};
  yard.pool("h100", 1, 8).amounts.emplace("gpu.nvidia.com", Quantity::of(8));
  CHECK(yard.outcome() == "1 pod of 3 pods of role `worker` have no node left");
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

TEST_CASE("a queue gives its limit, or its quota where it cannot borrow") {
  Yard yard;
  yard.role("worker", 4, "8");
  yard.plan.queue = {"research", kNoOrigin, true};
  Cluster cluster;
  Located<Queue> queue;
  queue.value.name.value = "research";
  Entry<std::string_view> quota;
  quota.key = "nvidia.com/gpu";
  quota.value.value = "32";
  queue.value.quota.value.push_back(quota);
  cluster.spec.value.queues.value.push_back(queue);
  Queue& stated = cluster.spec.value.queues.value[0].value;
  CHECK(fits_queue(yard.plan, cluster, yard.used).fits);
  yard.used.queues["research"]["nvidia.com/gpu"] = Quantity::of(8);
  CHECK(fits_queue(yard.plan, cluster, yard.used).obstacle ==
        "the queue `research` has 32 of `nvidia.com/gpu`, the job asks for 32 and others use 8");
  stated.parent.node = 0;  // a cohort to borrow from
  CHECK(fits_queue(yard.plan, cluster, yard.used).fits);
  quota.value.value = "36";
  stated.limit.value.push_back(quota);
  CHECK_FALSE(fits_queue(yard.plan, cluster, yard.used).fits);
  yard.plan.queue.value = "other";
  CHECK(fits_queue(yard.plan, cluster, yard.used).fits);
}
