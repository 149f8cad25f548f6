#include "convert/other_tools.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// How a tool makes the name of each launch: random characters after a text, or after one letter.
struct LaunchName {
  std::string_view after;
  std::string_view characters;
  std::size_t least;
  std::size_t most;
};

// NVIDIA-NeMo/Run nemo_run/core/execution/kubeflow.py; nvidia-tao-sdk 7.2.0; kubeflow/sdk
// kubeflow/trainer/backends/kubernetes/backend.py; meta-pytorch/torchx torchx/schedulers/ids.py
constexpr LaunchName kNemoName = {"-", "0123456789abcdef", 6, 6};
constexpr LaunchName kTaoName = {"tao-job-", "-0123456789abcdef", 8, 55};
constexpr LaunchName kKubeflowName = {"", "0123456789abcdef", 11, 11};
constexpr LaunchName kTorchxName = {"-", "012345679bcdfghjklmnpqrstvwxz", 9, 14};

/// A value that only one tool writes into objects.
struct ToolMark {
  std::string_view tool;
  std::string_view page;   // below docs/coming-from/
  std::string_view key;    // "" where a part of any text is the mark
  std::string_view value;  // "" for any
  const LaunchName* launch = nullptr;
};

// The first one in a file counts. NVIDIA-NeMo/Run nemo_run/core/execution/kubeflow.py;
// nvidia-tao-sdk 7.2.0; NVIDIA-TAO/tao-skill-bank skills/platform/tao-run-on-kubernetes/templates;
// meta-pytorch/torchx torchx/schedulers/kubernetes_scheduler.py; AI-Hypercomputer/xpk
// src/xpk/commands/workload.py; aws/sagemaker-hyperpod-cli hyperpod-pytorch-job-template;
// skypilot-org/skypilot sky/templates/kubernetes-ray.yml.j2; kubeflow/sdk
// kubeflow/trainer/constants/constants.py; kubernetes/kubectl pkg/util/apply.go
constexpr ToolMark kMarks[] = {
    {"NeMo-Run", "nemo-run", "name", "nemo-run-workdir", &kNemoName},
    {"the TAO SDK", "tao-sdk", "tao-toolkit", "true", &kTaoName},
    {"the skill bank of TAO", "tao-sdk", "tao-job", ""},
    {"TorchX", "torchx", "app.kubernetes.io/managed-by", "torchx.pytorch.org", &kTorchxName},
    {"xpk", "xpk", "xpk.google.com/workload", ""},
    {"the HyperPod CLI", "hyp", "kind", "HyperPodPyTorchJob"},
    {"SkyPilot", "skypilot", "parent", "skypilot"},
    {"a Kubeflow SDK", "kubeflow-sdk", "", "read -r -d '' SCRIPT << EOM", &kKubeflowName},
    {"`kubectl apply`", "kubectl", "kubectl.kubernetes.io/last-applied-configuration", ""},
};

struct Found {
  const ToolMark* mark = std::end(kMarks);
  View object;
};

bool shows(View value, const ToolMark& mark) {
  if (mark.key.empty()) return value->text.find(mark.value) != std::string_view::npos;
  return value->key == mark.key && (mark.value.empty() || value->text == mark.value);
}

void look(View object, View value, Found& found) {
  const ToolMark* mark = std::find_if(std::begin(kMarks), found.mark,
                                      [value](const ToolMark& each) { return shows(value, each); });
  if (mark != found.mark) found = {mark, object};
  for (View each : Items(value)) look(object, each, found);
}

bool is_own(View object) {
  const View labels = get(get(object, "metadata"), "labels");
  return string_at(labels, "app.kubernetes.io/managed-by") == "trainyard";
}

bool names_a_launch(std::string_view name, const LaunchName& form) {
  const std::size_t at = form.after.empty() ? 0 : name.rfind(form.after);
  if (at == std::string_view::npos) return false;
  const std::size_t fixed = at + std::max<std::size_t>(form.after.size(), 1);
  const std::string_view random = name.substr(std::min(fixed, name.size()));
  return random.size() >= form.least && random.size() <= form.most &&
         random.find_first_not_of(form.characters) == std::string_view::npos;
}

void tell(const Found& found, Sink& sink) {
  const ToolMark& mark = *found.mark;
  const View kind = get(found.object, "kind");
  Diagnostic& note =
      sink.report(DiagnosticKind::LeftToDo, (kind ? kind : found.object)->span,
                  std::string(mark.tool) + " wrote this; see `docs/coming-from/" +
                      std::string(mark.page) + ".md` for what a spec does differently or lacks");
  const std::string_view name = string_at(get(found.object, "metadata"), "name");
  if (mark.launch == nullptr || !names_a_launch(name, *mark.launch)) return;
  note.note("the name " + shown(name) +
            " is that of one launch: write a name for the job, and `rerun: new-name`, which gives "
            "each run a name and an id");
}

}  // namespace

void tell_other_tools(std::span<const View> objects, Sink& sink) {
  std::map<FileId, Found> by_file;
  for (View each : objects) {
    if (!is_own(each)) look(each, each, by_file[each->span.file]);
  }
  for (const auto& [file, found] : by_file) {
    if (found.object) tell(found, sink);
  }
}

}  // namespace trainyard
