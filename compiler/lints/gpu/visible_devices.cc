// Variables that hide GPUs from the programs in a container, or show them all.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu_words.h"
#include "lints/scripts/exported_value.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What a script exports counts for all that comes behind.
OptionValue cuda_value(View container) {
  if (OptionValue own = exported_value(container, "CUDA_VISIBLE_DEVICES")) return own;
  const View value = variable_value(container, "CUDA_VISIBLE_DEVICES");
  return value ? OptionValue{std::string(value->text), value} : OptionValue();
}

/// `0,1,2`: the GPUs that CUDA may use, by their numbers in the container.
void cuda_devices(View container, const Devices& devices, CheckContext& context) {
  if (devices.whole == 0 || devices.slices != 0) return;
  const OptionValue value = cuda_value(container);
  if (const View hidden = variable_value(container, "CUDA_VISIBLE_DEVICES");
      hidden && (hidden->text.empty() || hidden->text == "-1") && hidden.id() == value.at.id()) {
    context.lint(hidden, "`CUDA_VISIBLE_DEVICES` of " + shown(hidden->text) +
                             " hides the GPUs that the container asks for");
  }
  if (!value) return;
  const std::string_view text = value.text;
  const bool numbers = text.find_first_not_of("0123456789, ") == text.npos && !text.empty();
  if (!numbers) return;
  const std::int64_t seen = std::ranges::count(text, ',') + (text.back() == ',' ? 0 : 1);
  if (seen == devices.whole) return;
  context
      .lint(value.at, "`CUDA_VISIBLE_DEVICES` names " + gpus(seen) + ", and the container has " +
                          std::to_string(devices.whole))
      .also(context.place(devices.at), "the GPUs");
}

/// By these the container runtime of NVIDIA picks devices; the device plugin sets the first.
void nvidia_devices(View container, const Devices& devices, CheckContext& context) {
  if (devices.whole + devices.slices == 0) return;
  if (const View value = variable_value(container, "NVIDIA_VISIBLE_DEVICES")) {
    if (value->text == "none" || value->text == "void" || value->text.empty()) {
      context.lint(value, "`NVIDIA_VISIBLE_DEVICES` of " + shown(value->text) +
                              " hides the GPUs that the container asks for");
    } else if (value->text == "all") {
      context.lint(value,
                   "`NVIDIA_VISIBLE_DEVICES` of `all` shows the container every GPU of the node, "
                   "those of other pods too");
    }
  }
  const View kinds = variable_value(container, "NVIDIA_DRIVER_CAPABILITIES");
  if (!kinds || kinds->text.empty()) return;
  const std::string_view text = kinds->text;
  if (text.find("all") != text.npos || text.find("compute") != text.npos) return;
  context.lint(kinds, "`NVIDIA_DRIVER_CAPABILITIES` of " + shown(text) +
                          " leaves out `compute`: CUDA finds no driver");
}

void visible_devices(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec) continue;
    for (View container : role.containers) {
      const Devices devices = devices_of(get(container, "resources"));
      cuda_devices(container, devices, context);
      nvidia_devices(container, devices, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "visible-devices",
     .group = CheckGroup::Gpu,
     .effect = Effect::RunsWrong,
     .sentence = "Variables show a container the GPUs that it asks for, and no others.",
     .source = "NVIDIA/cuda documentation: CUDA_VISIBLE_DEVICES; NVIDIA/nvidia-container-toolkit "
               "internal/config/image: NVIDIA_VISIBLE_DEVICES; NVIDIA/k8s-device-plugin README.md",
     .workload = visible_devices,
     .severity = Severity::Warning,
     .because = "The device plugin tells a container which GPUs are its own; a variable of the "
                "template counts before that.",
     .fix = "leave the variable out"},
};

}  // namespace

const std::span<const Check> visible_device_lints = kChecks;

}  // namespace trainyard
