#pragma once

#include <memory>

#include "cli/command.h"

namespace trainyard {

// One file each.
std::unique_ptr<Command> new_command();
std::unique_ptr<Command> build_command();
std::unique_ptr<Command> render_command();
std::unique_ptr<Command> validate_command();
std::unique_ptr<Command> explain_command();
std::unique_ptr<Command> why_command();
std::unique_ptr<Command> doctor_command();
std::unique_ptr<Command> graph_command();
std::unique_ptr<Command> report_command();
std::unique_ptr<Command> rehearse_command();
std::unique_ptr<Command> discover_command();
std::unique_ptr<Command> plan_trees_command();
std::unique_ptr<Command> drift_command();
std::unique_ptr<Command> status_command();
std::unique_ptr<Command> diagnose_command();
std::unique_ptr<Command> fmt_command();
std::unique_ptr<Command> lock_command();
std::unique_ptr<Command> convert_command();
std::unique_ptr<Command> fn_command();
std::unique_ptr<Command> cmp_command();
std::unique_ptr<Command> list_command();
std::unique_ptr<Command> schema_import_command();
std::unique_ptr<Command> schema_export_command();
std::unique_ptr<Command> completion_command();
std::unique_ptr<Command> man_command();
std::unique_ptr<Command> help_command();

}  // namespace trainyard
