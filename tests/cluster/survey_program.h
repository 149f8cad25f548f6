#pragma once

#include <string>

#include "cluster/apply_program.h"

namespace trainyard::test {

inline const std::string kReviews = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/// The program with a cluster of two nodes; on one, half of the GPUs are in use.
struct SurveyProgram : Program {
  SurveyProgram() {
    server.on("GET /version", {{.body = R"({"gitVersion":"v1.36.0"})"}});
    server.on("POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
              {{201, R"({"status":{"userInfo":{"username":"alice"}}})"}});
    server.on(kReviews, {{201, R"({"status":{"allowed":true}})"}});
    server.on("GET /api",
              {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" + core() + "]}"}});
    list("nodes", node("gpu-1") + "," + node("gpu-2"));
    list(
        "pods",
        R"({"metadata":{"name":"p","namespace":"ml"},"spec":{"nodeName":"gpu-1","containers":[{"resources":{"requests":{"nvidia.com/gpu":"4"}}}]}})");
    list("namespaces", R"({"metadata":{"name":"ml"}})");
  }

  void list(const std::string& plural, const std::string& items) {
    server.on("GET /api/v1/" + plural, {{.body = R"({"metadata":{},"items":[)" + items + "]}"}});
  }

  static std::string node(const std::string& name) {
    return R"({"metadata":{"name":")" + name +
           R"(","labels":{"node-pool":"h100","nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3"}},"spec":{},"status":{"allocatable":{"cpu":"220","memory":"2000Gi","nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}})";
  }

 private:
  static std::string resource(const std::string& plural, const std::string& kind, bool namespaced) {
    return R"({"resource":")" + plural + R"(","scope":")" +
           (namespaced ? "Namespaced" : "Cluster") +
           R"(","responseKind":{"group":"","version":"v1","kind":")" + kind + "\"}}";
  }
  static std::string core() {
    return R"({"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[)" +
           resource("services", "Service", true) + "," + resource("nodes", "Node", false) + "," +
           resource("pods", "Pod", true) + "," + resource("namespaces", "Namespace", false) +
           "]}]}";
  }
};

}  // namespace trainyard::test
