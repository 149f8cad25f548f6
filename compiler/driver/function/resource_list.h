#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// An item of a ResourceList, or its functionConfig.
struct FunctionItem {
  View object;
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view ns;
  std::string_view file;   // of the package that it lies in, as the orchestrator says; "" for none
  std::string_view index;  // of its document in that file; "" for none
  bool is_local = false;   // config.kubernetes.io/local-config: never applied, so it stays
  std::string input;       // the name by which the compiler reads it; each once

  /// Whether it is a document of ours, which the function works on.
  bool is_ours() const { return api_version.starts_with("trainyard/"); }
  /// Whether it is a file of an orchestrator, which no API server sees: a Kptfile, a kustomization.
  bool is_settings() const {
    return api_version.starts_with("kpt.dev/") ||
           api_version.starts_with("kustomize.config.k8s.io/");
  }
};

/// What a functionConfig asks for: a ConfigMap in its `data`, `Build` and `Validate` in `spec`.
struct FunctionOptions {
  bool validate = false;
  bool strict = false;
  std::string cluster;     // a path
  std::string overlay;     // a path; "" for none
  std::string target;      // overrides that of the specs
  std::string kubernetes;  // as `--kubernetes-version`
};

/// What an orchestrator, such as kustomize or kpt, hands to a function:
/// kubernetes-sigs/kustomize cmd/config/docs/api-conventions/functions-spec.md.
struct ResourceList {
  Tree tree;
  std::vector<FunctionItem> items;
  std::optional<FunctionItem> config;  // where the functionConfig is a spec or a Cluster
  FunctionOptions options;

  View root() const { return {tree, tree.root()}; }
};

/// Reads standard input. Null, with errors in the session's sink, when it is no ResourceList,
/// its functionConfig is of an unknown kind, or an item has no kind or no name.
std::unique_ptr<ResourceList> read_resource_list(Session& session);

/// An item as a file of its own, without the annotations by which orchestrators work.
std::string item_text(const FunctionItem& item);

}  // namespace trainyard
