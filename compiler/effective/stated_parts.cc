#include "effective/stated_parts.h"

#include <string>

#include "effective/pod_parts.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kTrainer = "trainer.kubeflow.org";
constexpr std::string_view kNim = "apps.nvidia.com";
constexpr std::string_view kArgo = "argoproj.io";

/// Copies entries of `from` that go into the pod as they are.
void copy_some(PodBuilder& maker, NodeId to, View from,
               std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) maker.put_copy(to, key, get(from, key));
}

NodeId container(PodBuilder& maker, NodeId pod_spec, std::string_view name) {
  const NodeId made = maker.map(kNoOrigin);
  maker.put(made, "name", name, kNoOrigin);
  append_to(maker, pod_spec, "containers", made);
  return made;
}

/// kubeflow/trainer pkg/runtime/framework/plugins/jobset/builder.go Trainer, Initializer: all this
/// replaces what the container of the runtime has. Arguments alone stand behind the runtime's
/// command, and may mean anything.
void parts_of_train_job(PodBuilder& maker, View spec, NodeId pod_spec) {
  const View trainer = get(spec, "trainer");
  const NodeId node = container(maker, pod_spec, "node");
  copy_some(maker, node, trainer, {"image", "env", "command"});
  if (has_items(get(trainer, "command"))) maker.put_copy(node, "args", get(trainer, "args"));
  maker.put_copy(node, "resources", get(trainer, "resourcesPerNode"));
  const View initializer = get(spec, "initializer");
  for (std::string_view step : {"dataset", "model"}) {
    const View env = get(get(initializer, step), "env");
    if (!env) continue;
    maker.put_copy(container(maker, pod_spec, std::string(step) + "-initializer"), "env", env);
  }
}

/// The image of a NIM is written in two parts; most findings are about its tag.
void add_nim_image(PodBuilder& maker, NodeId to, View image) {
  const std::string_view repository = string_at(image, "repository");
  const View tag = get(image, "tag");
  if (repository.empty() || string_of(tag).empty()) return;
  maker.put(to, "image", std::string(repository) + ":" + std::string(tag->text),
            maker.mark("repository and tag", tag));
}

/// NVIDIA/k8s-nim-operator api/apps/v1alpha1/nimservice_types.go GetImage, GetEnv, GetResources,
/// GetNodeSelector, GetTolerations; nimcache_types.go of the same names.
void parts_of_nim(PodBuilder& maker, View spec, NodeId pod_spec) {
  copy_some(maker, pod_spec, spec, {"nodeSelector", "tolerations"});
  const NodeId main = container(maker, pod_spec, "nim");
  copy_some(maker, main, spec, {"env", "command", "args"});
  const View resources = get(spec, "resources");
  // Those of a NIMCache are amounts of their own, and beside claims of devices they may not count.
  const bool has_lists = get(resources, "requests") || get(resources, "limits");
  if (has_lists && !has_items(get(spec, "draResources"))) {
    maker.put_copy(main, "resources", resources);
  }
  add_nim_image(maker, main, get(spec, "image"));
  for (std::string_view list : {"initContainers", "sidecarContainers"}) {
    for (View each : items_at(spec, list)) {
      const NodeId made = container(maker, pod_spec, string_at(each, "name"));
      copy_some(maker, made, each, {"env", "command", "args"});
      add_nim_image(maker, made, get(each, "image"));
    }
  }
}

/// argoproj/argo-workflows pkg/apis/workflow/v1alpha1/workflow_types.go Template, and
/// workflow/controller/workflowpod.go, which makes one pod of a template. `false` for a template
/// that makes none itself.
bool parts_of_template(PodBuilder& maker, View workflow, View from, NodeId pod_spec) {
  for (std::string_view key : {"nodeSelector", "tolerations"}) {
    const View own = get(from, key);
    maker.put_copy(pod_spec, key, own ? own : get(workflow, key));
  }
  const auto add = [&](View each, std::string_view name) {
    const std::string_view own = string_at(each, "name");
    const NodeId made = container(maker, pod_spec, own.empty() ? name : own);
    copy_some(maker, made, each, {"image", "env", "envFrom", "command", "args", "resources"});
  };
  bool any = false;
  for (std::string_view kind : {"container", "script"}) {
    if (const View each = get(from, kind)) {
      add(each, "main");
      any = true;
    }
  }
  for (View each : items_at(get(from, "containerSet"), "containers")) {
    add(each, "main");
    any = true;
  }
  for (std::string_view list : {"initContainers", "sidecars"}) {
    for (View each : items_at(from, list)) add(each, list);
  }
  return any;
}

bool is_nim(View object) {
  const std::string_view kind = string_at(object, "kind");
  return (kind == "NIMService" || kind == "NIMCache") &&
         group_of(string_at(object, "apiVersion")) == kNim;
}

bool is_train_job(View object) {
  return string_at(object, "kind") == "TrainJob" &&
         group_of(string_at(object, "apiVersion")) == kTrainer;
}

}  // namespace

View workflow_templates(View object) {
  if (group_of(string_at(object, "apiVersion")) != kArgo) return {};
  const std::string_view kind = string_at(object, "kind");
  const View spec = get(object, "spec");
  if (kind == "CronWorkflow") return get(get(spec, "workflowSpec"), "templates");
  const bool is_workflow =
      kind == "Workflow" || kind == "WorkflowTemplate" || kind == "ClusterWorkflowTemplate";
  return is_workflow ? get(spec, "templates") : View();
}

bool states_parts(View object) {
  return is_train_job(object) || is_nim(object) || workflow_templates(object);
}

std::vector<NodeId> stated_parts(PodBuilder& maker, View object) {
  std::vector<NodeId> pods;
  const auto pod_spec = [&] {
    pods.push_back(maker.map(kNoOrigin));
    return maker.map_at(pods.back(), "spec", kNoOrigin);
  };
  const View spec = get(object, "spec");
  if (is_train_job(object)) {
    maker.act_for("trainer");
    parts_of_train_job(maker, spec, pod_spec());
  } else if (is_nim(object)) {
    maker.act_for("nim-operator");
    parts_of_nim(maker, spec, pod_spec());
  } else {
    maker.act_for("argo-workflows");
    const View workflow = get(spec, "workflowSpec") ? get(spec, "workflowSpec") : spec;
    for (View each : Items(workflow_templates(object))) {
      if (!parts_of_template(maker, workflow, each, pod_spec())) pods.pop_back();
    }
  }
  return pods;
}

}  // namespace trainyard
