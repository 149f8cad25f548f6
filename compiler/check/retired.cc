#include "check/retired.h"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

struct Retired {
  std::string_view name;
  std::string_view why;
};

struct Merged {
  std::string_view name;
  std::string_view into;
};

constexpr std::string_view kServer = "the API server says the same when you apply the object";
constexpr std::string_view kNotTraining = "no training job needs such an object";
constexpr std::string_view kServing = "it is about Deployments that serve, and trains nothing";
constexpr std::string_view kPins = "linters of images, such as hadolint, look at what is installed";
constexpr std::string_view kWindows = "training pods run on Linux";
constexpr std::string_view kShellcheck = "shellcheck and `bash -n` look at scripts";

constexpr auto kRetired = std::to_array<Retired>({
    {"autoscaler", kServer},
    {"autoscaler-target", kNotTraining},
    {"crd-conversion", kServer},
    {"crd-defaults", kServer},
    {"crd-names", kServer},
    {"crd-rules", kServer},
    {"crd-schema", kServer},
    {"crd-selectable-fields", kServer},
    {"crd-versions", kServer},
    {"endpoints", kNotTraining},
    {"host-processes", kWindows},
    {"ingress", kServer},
    {"ingress-class", kNotTraining},
    {"ingress-port", kNotTraining},
    {"mutating-policy", kServer},
    {"node-networks", kNotTraining},
    {"operating-system", kWindows},
    {"policy-binding", kServer},
    {"policy-of-binding", kServer},
    {"profile-annotations", "Kubernetes has fields in place of these annotations since 1.30"},
    {"replication-controller-selector", kNotTraining},
    {"requests-for-autoscaler", kNotTraining},
    {"role-of-binding", kNotTraining},
    {"run-time-download", kPins},
    {"script-flow", kShellcheck},
    {"script-syntax", kShellcheck},
    {"script-variable", kShellcheck},
    {"service-selects", kServing},
    {"storage-class", kServer},
    {"storage-driver", kNotTraining},
    {"traced-secret", kShellcheck},
    {"validating-policy", kServer},
    {"volume-attributes-class", kNotTraining},
    {"webhook-requests", kServer},
    {"webhooks", kServer},
});

constexpr auto kMerged = std::to_array<Merged>({
    {"argument-length-of-trainer", "argument-length"},
    {"credential-in-annotation", "literal-credential"},
    {"gpu-config-of-node", "gpu-sharing-config-exists"},
    {"gpu-product", "node-label"},
    {"kai-pool-of-pods", "kai-pool-of-queue"},
    {"kubeflow-mpi-launcher", "mpi-launcher"},
    {"literal-credential-of-job", "literal-credential"},
    {"mpi-templates", "mpi-launcher"},
    {"mpirun-options", "mpirun-words"},
    {"no-gang-of-train-job", "no-gang"},
    {"open-here-document-of-trainer", "open-here-document"},
    {"python-command", "python-program"},
    {"serve-releases", "one-ray"},
    {"shell-variable-of-trainer", "shell-variable"},
    {"sriov-pods", "sriov-resource"},
    {"train-job-torchtune-qlora", "train-job-torchtune-model"},
    {"variable-stays-with-trainer", "variable-stays-with-launcher"},
});

}  // namespace

std::string_view why_retired(std::string_view name) {
  const auto* const found = std::ranges::find(kRetired, name, &Retired::name);
  return found == kRetired.end() ? std::string_view() : found->why;
}

std::string_view current_name(std::string_view name) {
  const auto* const found = std::ranges::find(kMerged, name, &Merged::name);
  return found == kMerged.end() ? name : found->into;
}

}  // namespace trainyard
