#pragma once

#include <string>
#include <string_view>

#include "rules/context.h"

namespace trainyard {

/// What `run` says the program is.
enum class ProgramForm { ImageDefault, Command, Script, Module, Shell };

ProgramForm program_form(const Run& run);

/// The launcher of a role: as given, else by framework when there is a script or module to launch.
Launcher launcher_of(const RuleContext& context, const RoleInput& input);

/// True when the command line, the shell script or the image starts the processes itself.
bool starts_own_command(const RuleContext& context, const RoleInput& input);

/// True when torchrun may start the processes: it does, or the user's own command may call it.
bool reads_torchrun_variables(const RuleContext& context, const RoleInput& input);

/// Whether nodes are numbered as they join: asked for, or the job is elastic.
bool numbers_by_joining(const RuleContext& context, const RendezvousRequest& wanted);

/// The option in a word such as `--use_fsdp` or `--nnodes=2`, spelt with dashes; launchers take
/// underscores for the same.
std::string option_name(std::string_view word);

}  // namespace trainyard
