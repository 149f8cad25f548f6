#include "cli/command.h"

#include "cli/commands.h"
#include "diag/render.h"
#include "diag/summary.h"

namespace trainyard {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(build_command());
  commands.push_back(validate_command());
  return commands;
}

ExitCode finish(Io& io, Session& session) {
  const std::vector<Diagnostic> diagnostics = session.sink.sorted();
  if (io.json) {
    io.out += render_json(diagnostics, session.sources);
  } else if (!diagnostics.empty()) {
    io.err += render_text(diagnostics, session.sources, io.colour);
    io.err += summary(diagnostics) + "\n";
  }
  return session.sink.has_errors() ? ExitCode::InputWrong : ExitCode::Good;
}

ExitCode wrong_call(Io& io, std::string_view message) {
  io.err += "trainyard: " + std::string(message) + "\n";
  return ExitCode::CallWrong;
}

}  // namespace trainyard
