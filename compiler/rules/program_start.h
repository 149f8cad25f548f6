#pragma once

#include <string>
#include <string_view>

#include "rules/rule_context.h"

namespace trainyard {

/// What the program is written with: as given, else what the target's jobs are.
Framework framework_of(const RuleContext& context);

/// What `run` says the program is.
enum class ProgramForm { ImageDefault, Command, Script, Module, Shell };

ProgramForm program_form(const Run& run);

/// The launcher of a role: as given, else by framework when there is a script or module to launch.
Launcher launcher_of(const RuleContext& context, const RoleInput& input);

/// True when the command line, the shell script or the image starts the processes itself.
bool starts_own_command(const RuleContext& context, const RoleInput& input);

/// True when torchrun may start the processes: it does, or the user's own command may call it.
bool reads_torchrun_variables(const RuleContext& context, const RoleInput& input);

/// Whether each role is a program of its own. Where a target's jobs have one program, roles with
/// names of their own are groups of its workers.
bool are_programs(const RuleContext& context);

/// How the target splits the job into roles.
const RoleShape& shape_of(const RuleContext& context);

/// True when one role starts the processes of all by mpirun.
bool started_by_mpirun(const RuleContext& context);

/// The role that says what program runs on the pods of a role: that which starts it by mpirun, or
/// the role itself.
const RoleInput& program_of(const RuleContext& context, const RoleInput& input);

/// The role whose pods the program runs on, for a role that starts it there by mpirun; else the
/// role itself.
const Role& runs_on(const RuleContext& context, const Role& role);

/// The role that rank 0 is of; the last one where none has ranks.
const RoleInput& first_ranked(const RuleContext& context);

/// True for a pod that runs our mpirun and nothing else.
bool runs_mpirun_only(const RuleContext& context, const RoleInput& input);

/// True when the program of the launcher calls mpirun itself.
bool calls_mpirun_itself(const RuleContext& context, const RoleInput& launcher);

/// How often mpirun starts the command on each node: once for each process, or once for a launcher
/// that starts the processes itself.
std::int64_t starts_per_node(const RuleContext& context, const RoleInput& launcher);

/// Variables by which the launcher of Paddle learns the rank of its node and the node's address.
constexpr std::string_view kPaddleRank = "NODE_RANK";
constexpr std::string_view kPaddleAddress = "NODE_IP";
/// Names the rank of the node in a command that mpirun starts.
constexpr std::string_view kNodeRank = "$(NODE_RANK)";
/// Whether nodes are numbered as they join: asked for, or the job is elastic.
bool numbers_by_joining(const RuleContext& context, const RendezvousRequest& wanted);

/// The option in a word such as `--use_fsdp` or `--nnodes=2`, spelt with dashes; launchers take
/// underscores for the same.
std::string option_name(std::string_view word);

}  // namespace trainyard
