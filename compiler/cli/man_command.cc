#include <string>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/told_commands.h"

namespace trainyard {
namespace {

/// Text as troff shows it: what has a meaning to troff is escaped, code between backticks is bold.
std::string escaped(std::string_view text) {
  std::string out;
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '`') {
      code = !code;
      out += code ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '\n') {
      const bool paragraph = text.substr(i).starts_with("\n\n");
      out += paragraph ? "\n.PP\n" : "\n";
      if (paragraph) ++i;
    } else {
      out += c;
    }
  }
  return out;
}

void option(const CallArgument& row, std::string& out) {
  out += ".TP\n";
  if (row.operand) {
    out += "\\fI" + escaped(row.name) + "\\fR\n";
  } else {
    if (row.letter != 0) out += "\\fB\\-" + std::string(1, row.letter) + "\\fR, ";
    out += "\\fB\\-\\-" + escaped(row.name) + "\\fR";
    if (!row.value.empty()) out += " \\fI" + escaped(row.value) + "\\fR";
    out += "\n";
  }
  out += escaped(row.help);
  if (row.operand && !row.words.empty()) out += ": " + escaped(choices(row.words));
  out += "\n";
}

void section(Command& command, std::string& out) {
  out += ".SS " + escaped(command.name()) + "\n";
  const std::string name(command.name());
  out += ".B " + escaped(usage_of(name, command.all_arguments())) + "\n.PP\n";
  out += escaped(command.description()) + "\n";
  for (const CallArgument& row : command.arguments()) option(row, out);
}

using Commands = std::vector<std::unique_ptr<Command>>;

void examples(const Commands& commands, std::string& out) {
  for (const auto& command : commands) {
    for (const Example& example : command->examples()) {
      out += ".PP\n" + escaped(example.what) + "\n.PP\n.nf\n.RS\n" + escaped(example.call) +
             "\n.RE\n.fi\n";
    }
  }
}

void sections(const Commands& commands, std::string_view heading, std::string& out) {
  out += ".SH " + std::string(heading) + "\n";
  for (const auto& command : commands) section(*command, out);
}

void exit_codes(const std::vector<ExitCodeText>& texts, std::string& out) {
  for (const ExitCodeText& row : texts) {
    out += ".TP\n\\fB" + std::to_string(static_cast<int>(row.code)) + "\\fR\n" +
           escaped(row.meaning) + "\n";
  }
}

/// The manual page, section 1, as troff with the man macros.
std::string manual(const ToldCommands& told) {
  std::string out = ".TH TRAINYARD 1 \"\" \"trainyard " + std::string(version()) + "\"\n";
  out += ".SH NAME\ntrainyard \\- compile training specs to Kubernetes manifests\n";
  out += ".SH SYNOPSIS\n.B trainyard\n.I COMMAND\n[\\fIARGUMENT\\fR]...\n";
  out += ".SH DESCRIPTION\n" + escaped(program_summary()) + "\n.PP\n";
  out += escaped(
             "The language is explained by `trainyard explain`. The same input gives the same "
             "output, on any machine. Every fault of the input is reported, with its place and "
             "with what would be right; nothing is written then.") +
         "\n";
  sections(told.here, "COMMANDS", out);
  if (!told.on_cluster.empty()) sections(told.on_cluster, "COMMANDS ON A CLUSTER", out);
  out += ".SH OPTIONS\nEvery command takes these.\n";
  for (const CallArgument& row : told.here.front()->all_arguments()) {
    if (row.name == "color" || row.name == "help") option(row, out);
  }
  out += ".TP\n\\fB\\-\\-version\\fR\nShow the version, in place of a command\n";
  out +=
      ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nWhen set and not empty, messages have no colour "
      "unless \\fB\\-\\-color\\fR asks for it. Nothing else in the environment has an effect.\n";
  out += ".SH EXIT STATUS\n";
  exit_codes(exit_code_texts(), out);
  if (!told.exit_codes.empty()) {
    out += ".PP\nCommands on a cluster have more:\n";
    exit_codes(told.exit_codes, out);
  }
  out += ".SH EXAMPLES\n";
  examples(told.here, out);
  examples(told.on_cluster, out);
  return out;
}

class ManCommand : public Command {
 public:
  explicit ManCommand(Telling told) : told_(std::move(told)) {}

  std::string_view name() const override { return "man"; }
  std::string_view summary() const override { return "Print the manual page"; }
  std::string_view description() const override {
    return "Prints the manual page as troff, made from the tables that the program parses its "
           "arguments with.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard man | man -l -", "Read it."}};
  }
  Arguments arguments() override { return {}; }

  ExitCode run(Io& io) override {
    io.out += manual(told_());
    return ExitCode::Good;
  }

 private:
  Telling told_;
};

}  // namespace

std::unique_ptr<Command> man_command() {
  return man_command(told_commands);
}

std::unique_ptr<Command> man_command(Telling told) {
  return std::make_unique<ManCommand>(std::move(told));
}

}  // namespace trainyard
