// What programs need of their user: a name, and places to write to.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/mounted_files.h"
#include "manifest/pod_security.h"
#include "shell/command_line.h"
#include "spec/known_images.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool starts_torch(View container) {
  return torchrun_call(container) || accelerate_call(container) || deepspeed_call(container);
}

bool has_any(View container, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view name) { return static_cast<bool>(variable(container, name)); });
}

/// Whether the container gets a name for its user in another way.
bool may_have_name(View container) {
  return has_items(get(container, "envFrom")) || is_mounted(container, "/etc/passwd") ||
         contains_text(container, "/etc/passwd") || contains_text(container, "USER=") ||
         contains_text(container, "useradd");
}

/// Images often have a user 1000 of their own, and some are known to have this one.
bool may_be_of_image(std::int64_t user, View image) {
  if (user == 0 || user == 1000) return true;
  const auto known = known_image(string_of(image));
  return known && known->user == std::to_string(user);
}

/// ssh asks for the entry of its user, and no variable stands for it: openssh/openssh-portable
/// ssh.c main. mpirun starts it in the launcher of an MPIJob.
bool starts_ssh(View container, const CheckContext& context) {
  return string_at(context.object(), "kind") == "MPIJob" && mpirun_call(container);
}

/// pytorch/pytorch torch/_inductor/runtime/cache_dir_utils.py: getpass.getuser asks for variables
/// before it asks for the entry of the user.
void user_without_name(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View user = security_of(pod, each.node, "runAsUser");
    const auto number = integer_of(user);
    if (!number || may_be_of_image(*number, get(each.node, "image"))) continue;
    const bool by_ssh = starts_ssh(each.node, context);
    if (!by_ssh &&
        has_any(each.node, {"USER", "LOGNAME", "LNAME", "USERNAME", "TORCHINDUCTOR_CACHE_DIR"})) {
      continue;
    }
    if ((!by_ssh && !starts_torch(each.node)) || may_have_name(each.node)) continue;
    context.lint(user, "user " + std::to_string(*number) + " may have no name in the image, and " +
                           (by_ssh ? "ssh" : "torch") + " asks for it");
    return;
  }
}

/// Whether a path lies on a volume that may be written.
bool is_writable(View container, std::string_view path) {
  return std::ranges::any_of(items_at(container, "volumeMounts"), [&](View mount) {
    std::string_view at = string_at(mount, "mountPath");
    while (at.size() > 1 && at.ends_with('/')) at.remove_suffix(1);
    const bool is_below = path == at || (path.starts_with(at) && path.substr(at.size())[0] == '/');
    return !at.empty() && is_below && !is_true(get(mount, "readOnly"));
  });
}

/// Whether a variable names a place that may be written; a value that is not known may.
bool leads_to_writable(View container, std::string_view name) {
  if (!variable(container, name)) return false;
  const View value = variable_value(container, name);
  return !value || value->text.find('$') != std::string_view::npos ||
         is_writable(container, value->text);
}

/// Places where torch and Hugging Face write, and the variables that move them.
std::string closed_places(View container) {
  std::string closed;
  const auto add = [&](std::string_view place) {
    closed += (closed.empty() ? "" : " and ") + shown(place);
  };
  if (!is_writable(container, "/tmp") && !leads_to_writable(container, "TMPDIR")) add("/tmp");
  const bool has_caches =
      leads_to_writable(container, "HF_HOME") && leads_to_writable(container, "TRITON_CACHE_DIR");
  if (!leads_to_writable(container, "HOME") && !leads_to_writable(container, "XDG_CACHE_HOME") &&
      !has_caches && !is_writable(container, "/root/.cache")) {
    add("~/.cache");
  }
  return closed;
}

void closed_root(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View read_only = get(get(each.node, "securityContext"), "readOnlyRootFilesystem");
    if (!is_true(read_only) || !starts_torch(each.node)) continue;
    if (has_items(get(each.node, "envFrom"))) continue;
    const std::string closed = closed_places(each.node);
    if (closed.empty()) continue;
    context.lint(read_only, "container " + shown(string_at(each.node, "name")) +
                                " cannot write to " + closed + ", which lie on its read-only root");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "user-without-name",
     .group = CheckGroup::Security,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .sentence = "The user as which torch runs has a name, or a variable in its place.",
     .source = "pytorch/pytorch torch/_inductor/runtime/cache_dir_utils.py; h2oai/h2o-llmstudio "
               "issue 974; llm-d/llm-d-benchmark issue 1573",
     .pod = user_without_name,
     .severity = Severity::Note,
     .because = "`getpwuid(): uid not found` ends the program where torch or triton looks for its "
                "cache, and without an entry the home is `/`.",
     .fix = "set `USER`, and `HOME` to a folder that can be written, or "
            "`TORCHINDUCTOR_CACHE_DIR` and `TRITON_CACHE_DIR`"},
    {.name = "closed-caches",
     .group = CheckGroup::Security,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "With a read-only root, torch finds places for its temporary files and caches.",
     .source = "pytorch/pytorch torch/distributed/elastic/agent/server/local_elastic_agent.py: "
               "logs below the temporary folder; kubeflow/mcp-server issue 33",
     .pod = closed_root,
     .severity = Severity::Warning,
     .because = "torchrun ends without a temporary folder, and downloads and compiled kernels have "
                "no cache.",
     .fix = "mount an `emptyDir` at `/tmp`, and let `HOME`, `HF_HOME`, `TRITON_CACHE_DIR` and "
            "`TORCHINDUCTOR_CACHE_DIR` lead to it"},
};

}  // namespace

const std::span<const Check> user_place_lints = kChecks;

}  // namespace trainyard
