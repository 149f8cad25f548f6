#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "rules/prepare.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/shell_words.h"
#include "source/base64.h"

namespace trainyard {
namespace {

/// Builds the command of one role as a list of words; no shell takes part unless one was asked for.
class LaunchLine {
 public:
  LaunchLine(RuleContext& context, RoleInput& input)
      : context_(context),
        role_(*input.role),
        nodes_of_(runs_on(context, role_)),
        run_(*context.of(input, &RoleFields::run)),
        launcher_(launcher_of(context, input)),
        multi_node_(context.plan.rendezvous.master.is_set && nodes_of_.first_rank.is_set) {}

  void build() {
    switch (program_form(run_)) {
      case ProgramForm::ImageDefault:
        arguments();
        tell_rank();
        break;
      case ProgramForm::Command:
        own_command();
        tell_rank();
        break;
      case ProgramForm::Shell:
        shell_script();
        tell_rank();
        break;
      case ProgramForm::Script:
      case ProgramForm::Module:
        launched();
        if (launcher_ == Launcher::None) tell_rank();
        break;
    }
    if (meets_by_paddle()) first_is_master();
    if (run_.working_dir) {
      context_.set(role_.working_dir, *run_.working_dir, context_.from(run_.working_dir));
    }
  }

 private:
  void word(std::string_view text, OriginId origin) { role_.command.push_back({text, origin}); }
  void word(std::string_view text) { word(text, context_.because({context_.from(run_.launcher)})); }
  void option(std::string_view name, std::string_view value, OriginId because) {
    const OriginId origin = context_.because({because});
    word(name, origin);
    word(value, origin);
  }

  void arguments() {
    for (const Text& argument : *run_.args) {
      role_.args.push_back({*argument, context_.from(argument)});
    }
  }

  void own_command() {
    for (const Text& part : *run_.command) word(*part, context_.from(part));
    arguments();
  }

  void shell_script() {
    const OriginId origin = context_.from(run_.shell);
    word("/bin/sh", origin);
    word("-c", origin);
    word(context_.text(for_a_shell(*run_.shell)), origin);
    if (run_.args) word("sh", origin);  // becomes $0, so that the arguments start at $1
    arguments();
  }

  /// Scripts, and launchers in a command of the user's own, read the rank of their node from a
  /// variable. One that the controller sets behind all others can be copied only when the
  /// container runs.
  void tell_rank() {
    const Field<std::string_view>& known = context_.plan.rendezvous.rank_variable;
    if (!known || role_.rank_variables.empty()) return;
    if (role_.command.empty()) return check_own_entry_point();
    std::string script;
    for (const RankVariable& each : role_.rank_variables) {
      script += "export " + std::string(each.name) + "=\"$" + std::string(*known) + "\"\n";
    }
    if (context_.plan.rendezvous.master_is_told) {
      script +=
          "export PET_MASTER_ADDR=\"$MASTER_ADDR\"\nexport PET_MASTER_PORT=\"$MASTER_PORT\"\n";
    }
    script += "exec \"$@\"\n";
    in_front(script, known.origin);
  }

  /// NODE_RANK is for scripts; an entry point may do without.
  void check_own_entry_point() {
    const auto is_needed = [](const RankVariable& each) { return each.name != "NODE_RANK"; };
    if (std::ranges::none_of(role_.rank_variables, is_needed)) return;
    context_
        .report(DiagnosticKind::NoProgram, context_.place(role_.image.origin),
                "the image's own entry point cannot get the rank of its node")
        .note("give `run.script` or `run.command`");
  }

  void launched() {
    switch (launcher_) {
      case Launcher::Torchrun:
        torchrun();
        break;
      case Launcher::Accelerate:
        accelerate();
        break;
      case Launcher::Deepspeed:
        deepspeed();
        break;
      case Launcher::Mpirun:  // the rule `mpirun` puts it in front
      case Launcher::None:
        plain();
        break;
    }
    arguments();
  }

  void launcher_options() {
    for (const Text& option : *run_.launcher_args) word(*option, context_.from(option));
  }

  void program(std::string_view module_flag) {
    if (run_.module) {
      word(module_flag, context_.from(run_.module));
      word(*run_.module, context_.from(run_.module));
    } else {
      word(*run_.script, context_.from(run_.script));
    }
  }

  // torchrun takes nodes, processes, rank and address from the PET_* variables. A rank that only a
  // variable holds, set behind ours, cannot be copied into another: it goes into the command.
  void torchrun() {
    if (!context_.in.target->launcher.empty()) return own_launcher();
    word("torchrun");
    const RendezvousPlan& meeting = context_.plan.rendezvous;
    const bool told = context_.injects("PET_NODE_RANK");
    if (multi_node_ && meeting.rank_variable && !told && !joins()) {
      option("--node_rank", rank(), meeting.rank_variable.origin);
      if (meeting.master_is_told) {
        option("--master_addr", "$(MASTER_ADDR)", meeting.master.origin);
        option("--master_port", "$(MASTER_PORT)", meeting.master.origin);
      }
    }
    if (context_.in.target->process_option || has_other_processes()) {
      option("--nproc_per_node", context_.number(*role_.processes), role_.processes.origin);
    }
    launcher_options();
    program("--module");
  }

  /// Its controller tells it ranks and address, and it counts the pods itself.
  void own_launcher() {
    word(context_.in.target->launcher);
    const Field<std::int64_t>& nodes = context_.plan.rendezvous.nodes;
    const OriginId counted = nodes ? nodes.origin : role_.replicas.origin;
    option("--nnodes", context_.number(nodes ? *nodes : 1), counted);
    option("--nproc_per_node", context_.number(*role_.processes), role_.processes.origin);
    launcher_options();
    program("--module");
  }

  /// How a word of the command names the rank of its node.
  std::string_view rank() const {
    const Field<std::string_view>& variable = context_.plan.rendezvous.rank_variable;
    if (!variable) return kNodeRank;
    return context_.text("$(", *variable, ")");
  }
  OriginId rank_origin() const {
    const RendezvousPlan& meeting = context_.plan.rendezvous;
    return meeting.rank_variable ? meeting.rank_variable.origin : meeting.rank_field.origin;
  }
  /// Whether nodes are numbered as they join.
  bool joins() const { return numbers_by_joining(context_, *run_.rendezvous); }
  /// Whether the controller tells this role a number of processes that is another one's.
  bool has_other_processes() const {
    return context_.injects("PET_NPROC_PER_NODE") &&
           context_.number(*role_.processes) != *context_.plan.processes;
  }

  /// Without GPUs it runs the script once, and leaves RANK and WORLD_SIZE to mpirun
  /// (huggingface/accelerate src/accelerate/commands/launch.py simple_launcher).
  void refuse_accelerate() {
    context_
        .report(DiagnosticKind::LauncherNeedsProcesses, run_.launcher.span,
                "without GPUs accelerate starts one process on each node, and tells it nothing of "
                "the others")
        .note("with `launcher: torchrun` the program of accelerate finds them");
  }

  // huggingface/accelerate src/accelerate/commands/launch.py
  void accelerate() {
    const std::int64_t total = *nodes_of_.processes * nodes();
    word("accelerate");
    word("launch");
    option("--num_machines", context_.number(nodes()), nodes_of_.replicas.origin);
    option("--num_processes", context_.number(total), nodes_of_.processes.origin);
    if (multi_node_) {
      option("--machine_rank", rank(), rank_origin());
      option("--main_process_ip", "$(MASTER_ADDR)", context_.plan.rendezvous.master.origin);
      option("--main_process_port", "$(MASTER_PORT)", context_.plan.rendezvous.port.origin);
    }
    if (!says_how_to_distribute()) {
      if (*nodes_of_.gpus == 0) {
        if (total > 1) refuse_accelerate();
        word("--cpu", context_.because({nodes_of_.gpus.origin}));
      } else if (total > 1) {
        word("--multi_gpu", context_.because({nodes_of_.processes.origin}));
      }
    }
    if (multi_node_ && may_use_deepspeed()) {
      option("--deepspeed_multinode_launcher", "standard", context_.plan.multi_node.origin);
    }
    launcher_options();
    program("--module");
  }

  /// Those that have a rank.
  std::int64_t nodes() const { return multi_node_ ? *context_.plan.rendezvous.nodes : 1; }

  bool has_option(std::initializer_list<std::string_view> names) const {
    return std::any_of(
        run_.launcher_args->begin(), run_.launcher_args->end(), [&](const Text& word) {
          return std::find(names.begin(), names.end(), option_name(*word)) != names.end();
        });
  }

  /// accelerate takes one of these only, and with one on its command line it does not look for the
  /// kind in its configuration file.
  bool says_how_to_distribute() const {
    return has_option({"--multi-gpu", "--cpu", "--mps", "--tpu", "--use-fsdp", "--use-deepspeed",
                       "--use-megatron-lm", "--config-file"});
  }

  /// By default accelerate would have DeepSpeed start the other nodes over ssh.
  bool may_use_deepspeed() const {
    return has_option({"--use-deepspeed", "--config-file"}) &&
           !has_option({"--deepspeed-multinode-launcher"});
  }

  // On several nodes the per-node launcher is started directly: DeepSpeed's own front end would
  // need ssh between the pods (microsoft/DeepSpeed deepspeed/launcher/launch.py).
  void deepspeed() {
    if (!multi_node_) {
      word("deepspeed");
      option("--num_gpus", context_.number(*nodes_of_.processes), nodes_of_.processes.origin);
    } else {
      word("python3");
      word("-m");
      word("deepspeed.launcher.launch");
      option("--world_info", context_.text(world_info()), nodes_of_.processes.origin);
      option("--node_rank", rank(), rank_origin());
      option("--master_addr", "$(MASTER_ADDR)", context_.plan.rendezvous.master.origin);
      option("--master_port", "$(MASTER_PORT)", context_.plan.rendezvous.port.origin);
    }
    launcher_options();
    program("--module");
  }

  /// The devices of each node, as URL-safe base64 of JSON: {"node-0": [0, 1], ...}.
  std::string world_info() const;

  void plain() {
    word("python3");
    program("-m");
    if (run_.module && meets_by_paddle()) {
      option("--rank", context_.text("$(", kPaddleRank, ")"),
             context_.plan.rendezvous.rank_field.origin);
    }
  }

  bool meets_by_paddle() const {
    return std::ranges::any_of(role_.env,
                               [](const EnvVar& each) { return each.name == kPaddleAddress; });
  }

  /// The launcher on the first node knows itself as the master by its address only.
  void first_is_master() {
    const Field<std::int64_t>& port = context_.plan.rendezvous.port;
    if (role_.command.empty()) {
      context_
          .report(DiagnosticKind::NoProgram, context_.place(role_.image.origin),
                  "the image's own entry point cannot get the address of its node")
          .note("give `run.module` or `run.command`");
      return;
    }
    const std::string script = "if [ \"$" + std::string(kPaddleRank) + "\" = 0 ]; then\n" +
                               "  export PADDLE_MASTER=\"$" + std::string(kPaddleAddress) + ":" +
                               std::to_string(*port) + "\"\nfi\nexec \"$@\"\n";
    in_front(script, port.origin);
  }

  /// A shell that does this and then becomes the command.
  void in_front(std::string_view script, OriginId because) {
    put_shell_in_front(context_, role_.command, script, context_.because({because}));
  }

  RuleContext& context_;
  Role& role_;
  const Role& nodes_of_;  // where the program runs
  const Run& run_;
  Launcher launcher_;
  bool multi_node_;
};

std::string LaunchLine::world_info() const {
  std::string devices;
  for (std::int64_t i = 0; i < *nodes_of_.processes; ++i) {
    devices += (i == 0 ? "" : ", ") + std::to_string(i);
  }
  std::string json = "{";
  for (std::int64_t i = 0; i < nodes(); ++i) {
    json += (i == 0 ? "" : ", ");
    json += "\"node-" + std::to_string(i) + "\": [" + devices + "]";
  }
  return base64_url(json + "}");
}

/// Where mpirun starts the program, only the role that does has it in its command.
void run(RuleContext& context) {
  const bool by_mpirun = started_by_mpirun(context);
  for (RoleInput& input : context.roles) {
    if (by_mpirun && !input.is_coordinator) continue;
    LaunchLine(context, input).build();
    if (!by_mpirun) prepare(context, *input.role, *context.of(input, &RoleFields::run));
  }
}

}  // namespace

extern const Rule launch_line_rule{
    "launch-line",
    Rule::Phase::Infer,
    "The command is a list of words that starts the right number of processes on each node.",
    "Kubernetes expands `$(NAME)` in arguments and never `${NAME}`; a shell is used only where "
    "`before`, `packages` or `shell` ask for one, and then it becomes the program by `exec`, so "
    "that SIGTERM arrives.",
    "spec.run spec.framework spec.elastic role.processes role.replicas role.firstRank role.gpus "
    "role.trains role.rankVariables plan.multiNode plan.rendezvous plan.processes plan.framework "
    "target.injects target.launch target.mpirun target.roles",
    "role.command role.args role.workingDir",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
