#include "driver/build/run_ai_launch.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/checks/run_ai_job_check.h"
#include "manifest/workload.h"
#include "plan/plan.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "kubeflow.org";
constexpr std::string_view kKind = "PyTorchJob";

NodeId words(Tree& tree, const std::vector<CommandWord>& from) {
  const NodeId list = tree.add_seq();
  for (const CommandWord& word : from) tree.append(list, tree.add_string(word.text, word.origin));
  return list;
}

NodeId variables(Tree& tree, const Role& role) {
  const NodeId list = tree.add_seq();
  for (const EnvVar& each : role.env) {
    const NodeId variable = tree.add_map(each.origin);
    tree.append(variable, "name", tree.add_string(each.name, each.origin));
    if (each.is_literal()) {
      tree.append(variable, "value", tree.add_string(each.value, each.origin));
    } else {
      tree.append(variable, "valueFrom", tree.add_map(each.origin));
    }
    tree.append(list, variable);
  }
  return list;
}

/// Replicas of one type, with what the container starts.
NodeId replicas(Tree& tree, const Role& role, std::int64_t count) {
  const NodeId container = tree.add_map();
  tree.append(container, "name", tree.add_string("pytorch"));
  tree.append(container, "command", words(tree, role.command));
  tree.append(container, "args", words(tree, role.args));
  tree.append(container, "env", variables(tree, role));
  const NodeId containers = tree.add_seq();
  tree.append(containers, container);
  const NodeId spec = tree.add_map();
  tree.append(spec, "containers", containers);
  const NodeId pod = tree.add_map();
  tree.append(pod, "spec", spec);
  const NodeId result = tree.add_map();
  tree.append(result, "replicas", tree.add_int(count, role.replicas.origin));
  tree.append(result, "template", pod);
  return result;
}

/// The job of the operator: the first of all pods is the Master.
Tree operator_job(const Plan& plan) {
  Tree tree;
  const NodeId specs = tree.add_map();
  const Role& first = plan.roles.front();
  std::int64_t pods = 0;
  for (const Role& role : plan.roles) pods += *role.replicas;
  tree.append(specs, "Master", replicas(tree, first, 1));
  if (pods > 1) tree.append(specs, "Worker", replicas(tree, plan.roles.back(), pods - 1));
  const NodeId spec = tree.add_map();
  tree.append(spec, "pytorchReplicaSpecs", specs);
  const NodeId root = tree.add_map();
  tree.append(root, "apiVersion", tree.add_string("kubeflow.org/v1"));
  tree.append(root, "kind", tree.add_string(kKind));
  tree.append(root, "spec", spec);
  tree.set_root(root);
  return tree;
}

bool becomes_pytorch_job(const Compilation& job) {
  return std::ranges::any_of(job.objects.objects, [&](const Object& object) {
    if (object.kind != "DistributedWorkload") return false;
    const View spec = View(job.objects.tree, object.root)["spec"];
    return spec["jobType"].text() == kKind;
  });
}

}  // namespace

void check_run_ai_launch(const Compilation& job, const CheckInputs& surroundings,
                         Documents documents, Sink& sink) {
  if (job.plan.roles.empty() || !becomes_pytorch_job(job)) return;
  const Tree tree = operator_job(job.plan);
  const View root(tree, tree.root());
  const Workload workload = read_workload(root, kGroup, kKind);
  Sink found;
  CheckContext context(surroundings, job.origins, documents, found);
  context.start(root, std::string(kKind), {});
  ask_launch_checks(workload, context);
  for (Diagnostic each : found.all()) {
    each.path.clear();
    sink.report(std::move(each));
  }
}

}  // namespace trainyard
