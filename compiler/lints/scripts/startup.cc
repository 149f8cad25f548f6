// What a script does before the program that it is for.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Words = std::span<const ShellWord>;

/// Whether a line asks this pod for something; others only look for the word in an answer.
bool asks_itself(std::string_view line) {
  if (line.find("localhost") == line.npos && line.find("127.0.0.1") == line.npos) return false;
  return line.find("grep") == line.npos && line.find("echo") == line.npos &&
         !line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with('#');
}

bool script_waits_for_itself(std::string_view text) {
  const bool loops = text.find("until ") != text.npos || text.find("while ") != text.npos;
  if (!loops || text.find('&') != text.npos) return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(";\n", at), text.size());
    if (asks_itself(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool runs_beside(View container) {
  return string_at(container, "restartPolicy") == "Always";
}

/// `until curl localhost:8000; do sleep 1; done`, with nothing in the background.
View loop_on_itself(View container) {
  for (View argument : items_at(container, "args")) {
    if (script_waits_for_itself(string_of(argument))) return argument;
  }
  for (View argument : items_at(container, "command")) {
    if (script_waits_for_itself(string_of(argument))) return argument;
  }
  return {};
}

/// An init container ends before the containers of its pod start.
void waiting_for_own_pod(const Pod& pod, CheckContext& context) {
  if (is_true(get(pod.spec, "hostNetwork")) || pod.has(kAddsContainers)) return;
  for (View each : items_at(pod.spec, "initContainers")) {
    if (runs_beside(each)) return;
    const View loop = loop_on_itself(each);
    if (!loop) continue;
    context.lint(loop, "init container " + shown(string_at(each, "name")) +
                           " waits for a server in its own pod, whose containers start after it");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "init-waits-for-pod",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "No init container waits for a server in its own pod.",
     .source = "kubernetes/website content/en/docs/concepts/workloads/pods/init-containers.md",
     .pod = waiting_for_own_pod,
     .severity = Severity::Warning,
     .because = "The containers of a pod start when all init containers have ended: it waits for "
                "ever.",
     .fix = "make the server an init container with `restartPolicy: Always`, or wait in the "
            "container that needs it"},
};

}  // namespace

constinit const std::span<const Check> startup_lints = kChecks;

}  // namespace trainyard
