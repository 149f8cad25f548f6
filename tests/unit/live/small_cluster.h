#pragma once

#include <string>

#include "cluster/json_document.h"
#include "driver/survey/survey.h"

namespace trainyard::test {

/// What the API server of a small cluster tells: two nodes with eight GPUs, Kueue and JobSet.
struct SmallCluster {
  Survey survey;

  SmallCluster() {
    survey.kubernetes = "v1.36.0";
    survey.kubernetes_by = "the API server";
    for (const KindToSurvey& each : discovery_signs().kinds) {
      const bool is_core = each.group.empty() || each.group == "apps" ||
                           each.group == "storage.k8s.io" || each.group == "scheduling.k8s.io" ||
                           each.group == "node.k8s.io" || each.group == "kueue.x-k8s.io" ||
                           each.group == "jobset.x-k8s.io";
      survey.kinds[name_of(each)] = {is_core, is_core && each.is_listed};
    }
    add("Node", node("gpu-1"));
    add("Node", node("gpu-2"));
    add("Pod", pod("gpu-1", 4));
    add("Namespace",
        R"({"metadata":{"name":"nlp","labels":{"pod-security.kubernetes.io/enforce":"baseline"}}})");
    add("Namespace", R"({"metadata":{"name":"kube-system"}})");
    add("ResourceQuota",
        R"({"metadata":{"name":"q","namespace":"nlp"},"spec":{"hard":{"requests.nvidia.com/gpu":"16"}}})");
    add("ServiceAccount", R"({"metadata":{"name":"trainer","namespace":"nlp"}})");
    add("PersistentVolumeClaim",
        R"({"metadata":{"name":"data","namespace":"nlp"},"spec":{"accessModes":["ReadWriteMany"]}})");
    add("Deployment.apps", deployment("kueue-system", "kueue-controller-manager",
                                      "registry.k8s.io/kueue/kueue:v0.19.2"));
    add("Deployment.apps",
        deployment("jobset-system", "jobset", "registry.k8s.io/jobset/jobset:v0.12.0@sha256:12ab"));
    add("StorageClass.storage.k8s.io",
        R"({"metadata":{"name":"fast","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"csi.example.com"})");
    add("CSIDriver.storage.k8s.io",
        R"({"metadata":{"name":"csi.example.com"},"spec":{"volumeLifecycleModes":["Persistent"]}})");
    add("PriorityClass.scheduling.k8s.io", R"({"metadata":{"name":"urgent"},"value":1000})");
    add("PriorityClass.scheduling.k8s.io",
        R"({"metadata":{"name":"system-node-critical"},"value":2000001000})");
    add("ClusterQueue.kueue.x-k8s.io",
        R"({"metadata":{"name":"research"},"spec":{"cohortName":"company","resourceGroups":[{"flavors":[{"name":"h100","resources":[{"name":"nvidia.com/gpu","nominalQuota":"16"}]}]}]},"status":{"flavorsUsage":[{"name":"h100","resources":[{"name":"nvidia.com/gpu","total":"4"}]}]}})");
    add("LocalQueue.kueue.x-k8s.io",
        R"({"metadata":{"name":"research","namespace":"nlp"},"spec":{"clusterQueue":"research"}})");
  }

  void add(const std::string& kind, const std::string& json) {
    JsonAnswer object = JsonDocument::read(json);
    survey.kinds[kind].items.push_back(object->root());
    survey.answers.push_back(std::move(object));
  }
  void clear(const std::string& kind) { survey.kinds[kind].items.clear(); }
  void withhold(const std::string& kind) { survey.kinds[kind] = {true, false, {}}; }
  void remove_kind(const std::string& kind) { survey.kinds[kind] = {}; }

  struct NodeText {
    std::string gpus = "8";
    std::string pool = "h100";
    std::string ready = "True";
    std::string spec =
        R"("taints":[{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"}])";
    std::string labels = R"(,"rack":"r1")";
  };
  static std::string node(const std::string& name) { return node(name, NodeText{}); }
  static std::string node(const std::string& name, const NodeText& text) {
    const std::string gpu = text.gpus.empty() ? "" : R"(,"nvidia.com/gpu":")" + text.gpus + "\"";
    return R"({"metadata":{"name":")" + name + R"(","labels":{"node-pool":")" + text.pool +
           R"(","kubernetes.io/hostname":")" + name +
           R"(","kubernetes.io/arch":"amd64","nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3")" +
           text.labels + R"(}},"spec":{)" + text.spec +
           R"(},"status":{"allocatable":{"cpu":"220","memory":"2000Gi","pods":"110")" + gpu +
           R"(},"conditions":[{"type":"Ready","status":")" + text.ready + R"("}]}})";
  }
  static std::string pod(const std::string& node, int gpus) {
    return R"({"metadata":{"name":"p","namespace":"nlp"},"spec":{"nodeName":")" + node +
           R"(","containers":[{"resources":{"requests":{"cpu":"8","nvidia.com/gpu":")" +
           std::to_string(gpus) + R"("}}}]},"status":{"phase":"Running"}})";
  }
  static std::string deployment(const std::string& name_space, const std::string& name,
                                const std::string& image, const std::string& labels = "") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":")" + name_space +
           R"(","labels":{)" + labels +
           R"(}},"spec":{"template":{"spec":{"containers":[{"image":")" + image + "\"}]}}}}";
  }
};

}  // namespace trainyard::test
