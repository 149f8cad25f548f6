// Options of `paddle.distributed.launch`.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void check_container(const Workload& workload, const WorkloadRole& role, View container,
                     CheckContext& context) {
  const ShellWords words = command_words(container);
  const auto launch = std::ranges::find(words, "paddle.distributed.launch", &ShellWord::text);
  const auto end = std::ranges::find(launch, words.end(), "\n", &ShellWord::text);
  for (auto word = launch; word != end; ++word) {
    const std::string_view option = word->text.substr(0, word->text.find('='));
    const OptionValue value = value_at(words, static_cast<std::size_t>(word - words.begin()));
    if (option == "--devices" || option == "--gpus") {
      const std::int64_t gpus = devices_of(get(container, "resources")).whole;
      const auto listed = std::ranges::count(value.text, ',') + 1;
      const bool is_list =
          !value.text.empty() && value.text.find_first_not_of("0123456789,") == std::string::npos;
      if (!is_list || gpus == 0 || listed <= gpus) continue;
      context.lint(value.at, shown(option) + " lists " + std::to_string(listed) +
                                 " GPUs, and the container has " + std::to_string(gpus));
      return;
    }
    const auto nodes = option == "--nnodes" ? value.number() : std::nullopt;
    const std::int64_t pods = workload.working_pods();
    if (!nodes || *nodes <= pods || role.is_launcher) continue;
    context.lint(value.at, "Paddle waits for " + std::to_string(*nodes) + " nodes, and there " +
                               (pods == 1 ? "is 1 pod" : "are " + std::to_string(pods) + " pods"));
    return;
  }
}

void paddle_launch(const Workload& workload, CheckContext& context) {
  static constexpr std::string_view kLaunch = "paddle.distributed.launch";
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (contains_text(container, kLaunch)) check_container(workload, role, container, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "paddle-launch",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Paddle is started with the GPUs and the nodes that it has.",
     .source = "PaddlePaddle/Paddle python/paddle/distributed/launch/context/args_envs.py",
     .workload = paddle_launch,
     .severity = Severity::Warning,
     .because = "Processes find no GPU and fail, or wait for pods that do not exist.",
     .fix = "leave the options out, or write the numbers of the job"},
};

}  // namespace

const std::span<const Check> paddle_lints = kChecks;

}  // namespace trainyard
