#include "cli/command.h"

#include <algorithm>

#include "cli/commands.h"
#include "cli/fleet_commands.h"
#include "cli/lsp_command.h"
#include "diag/folded.h"
#include "diag/foreign_text.h"
#include "diag/render.h"
#include "diag/report.h"
#include "diag/summary.h"
#include "driver/session/config.h"
#include "driver/session/user_schemas.h"
#include "source/number_text.h"
#include "tree/json.h"

namespace trainyard {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(new_command());
  commands.push_back(build_command());
  commands.push_back(render_command());
  commands.push_back(validate_command());
  commands.push_back(explain_command());
  commands.push_back(why_command());
  commands.push_back(doctor_command());
  commands.push_back(graph_command());
  commands.push_back(report_command());
  commands.push_back(rehearse_command());
  commands.push_back(plan_trees_command());
  commands.push_back(drift_command());
  commands.push_back(retire_command());
  commands.push_back(promote_command());
  commands.push_back(merge_driver_command());
  commands.push_back(discover_command());
  commands.push_back(status_command());
  commands.push_back(diagnose_command());
  commands.push_back(lsp_command());
  commands.push_back(fmt_command());
  commands.push_back(lock_command());
  commands.push_back(convert_command());
  commands.push_back(fn_command());
  commands.push_back(cmp_command());
  commands.push_back(list_command());
  commands.push_back(schema_import_command());
  commands.push_back(schema_export_command());
  commands.push_back(completion_command());
  commands.push_back(man_command());
  commands.push_back(help_command());
  return commands;
}

Arguments Command::all_arguments() {
  Arguments rows = arguments();
  rows.push_back({.name = "color",
                  .value = "WHEN",
                  .help = "Colour in messages: `auto` is on a terminal only",
                  .kind = ValueKind::Word,
                  .words = {"auto", "always", "never"},
                  .into = &colour});
  rows.push_back({.name = "help", .letter = 'h', .help = "Show this help", .into = &help});
  return rows;
}

CallArgument Command::output_argument(std::vector<std::string> formats) {
  return {.name = "output",
          .value = "FORMAT",
          .help = "How to print: " + choices(formats),
          .kind = ValueKind::Word,
          .words = formats,
          .into = &output};
}

CallArgument Command::report_argument() {
  return output_argument({"text", "json", "sarif", "junit", "github", "gitlab"});
}

CallArgument Command::load_outside_argument() {
  return {.name = "load-outside",
          .help =
              "Also read files outside of the repository or input directory, if a document "
              "names them or a link leads to them",
          .into = &load_outside};
}

CallArgument Command::all_argument() {
  return {
      .name = "all",
      .help =
          "Print each finding. Otherwise text shows three of more than five warnings or notes that "
          "are alike, and the number of the others",
      .into = &all};
}

CallArgument Command::quiet_argument() {
  return {.name = "quiet",
          .letter = 'q',
          .help = "Print findings without progress, summary and the names of written files",
          .into = &quiet};
}

void tell_done(Io& io, std::string_view what, std::string_view path) {
  io.err += std::string(what) + " " + foreign_text(path) + "\n";
}

OutputFormat output_format(std::string_view word) {
  if (word == "json") return OutputFormat::Json;
  if (word == "sarif") return OutputFormat::Sarif;
  if (word == "junit") return OutputFormat::Junit;
  if (word == "github") return OutputFormat::Github;
  if (word == "gitlab") return OutputFormat::Gitlab;
  return OutputFormat::Plain;
}

CallArgument inputs_argument(std::vector<std::string>& into, std::string_view help) {
  return {.name = "INPUT",
          .help = std::string(help),
          .kind = ValueKind::File,
          .operand = true,
          .required = true,
          .into = &into};
}

CallArgument cluster_argument(std::string& into) {
  return {.name = "cluster",
          .letter = 'c',
          .value = "FILE",
          .help = "The Cluster that the specs are for",
          .kind = ValueKind::File,
          .into = &into};
}

CallArgument target_argument(std::string& into) {
  return {.name = "target",
          .letter = 't',
          .value = "NAME",
          .help = "Compile for this target; overrides the specs",
          .kind = ValueKind::Target,
          .into = &into};
}

CallArgument job_argument(std::string& into) {
  return {.name = "name",
          .value = "NAME",
          .help = "The job, when there are several: its name, or `Kind/name`",
          .into = &into};
}

CallArgument templates_argument(std::vector<std::string>& into) {
  return {.name = "templates",
          .value = "DIR",
          .help =
              "Your own targets, machines, fabrics and kinds of jobs; they override those of the "
              "program; may be given more than once",
          .kind = ValueKind::Directory,
          .into = &into};
}

CallArgument schemas_argument(std::vector<std::string>& into) {
  return {.name = "schemas",
          .value = "DIR",
          .help =
              "Your own CRDs or imported schemas; they override those of the program; may be "
              "given more than once",
          .kind = ValueKind::Directory,
          .into = &into};
}

CallArgument strict_argument(bool& into) {
  return {.name = "strict",
          .help = "Treat warnings as errors; the same as `--fail-on style`",
          .into = &into};
}

CallArgument fail_on_argument(std::string& into) {
  return {.name = "fail-on",
          .value = "EFFECT",
          .help =
              "Report findings of this effect and worse as errors, and all others as warnings. "
              "`never-runs` fails for what the cluster refuses and for what cannot do its work",
          .kind = ValueKind::Word,
          .words = {kEffectWords.rbegin(), kEffectWords.rend()},
          .into = &into};
}

CallArgument checks_argument(std::string& into) {
  return {
      .name = "checks",
      .value = "LIST",
      .help =
          "Set severities of checks: `gitops=off,mpi-*=warning`. Select by a name, a pattern, a "
          "group, an effect or a stage; set `off`, `on`, `note`, `warning` or `error`",
      .into = &into};
}

CallArgument reader_argument(std::string& into) {
  return {.name = "reader",
          .value = "NAME",
          .help =
              "The YAML reader: `fast`, or `reference` (yaml-cpp alone), which gives the same "
              "result and is many times slower",
          .kind = ValueKind::Word,
          .words = {"fast", "reference"},
          .into = &into};
}

CallArgument policy_argument(std::vector<std::string>& into) {
  return {.name = "policy",
          .value = "FILE",
          .help =
              "A JSON Schema that objects or specs must fit, a file of checks, or a folder of such "
              "files, in addition to those of the Cluster; may be given more than once",
          .kind = ValueKind::File,
          .into = &into};
}

CallArgument config_argument(std::string& into) {
  return {.name = "config",
          .value = "FILE",
          .help =
              "The config file; default is the nearest `.trainyard.yaml` at or above the "
              "first input",
          .kind = ValueKind::File,
          .into = &into};
}

CallArgument no_config_argument(bool& into) {
  return {.name = "no-config", .help = "Read no config file", .into = &into};
}

CallArgument overlay_argument(std::vector<std::string>& into) {
  return {.name = "overlay",
          .value = "FILE",
          .help = "Apply this TrainingJobLayer over every spec; may be given more than once",
          .kind = ValueKind::File,
          .into = &into};
}

CallArgument lock_argument(std::string& into) {
  return {.name = "lock",
          .value = "FILE",
          .help = "The lock file; default is the nearest `trainyard.lock` at or above each spec",
          .kind = ValueKind::File,
          .into = &into};
}

CallArgument no_lock_argument(bool& into) {
  return {.name = "no-lock", .help = "Read no lock file", .into = &into};
}

CallArgument locked_argument(bool& into) {
  return {.name = "locked",
          .help = "Fail if an image has no digest, neither of its own nor in the lock file",
          .into = &into};
}

CallArgument live_argument(std::vector<std::string>& into) {
  return {.name = "live",
          .value = "DUMP",
          .help =
              "Output of `kubectl get -o yaml`; - for standard input; may be given more than "
              "once",
          .kind = ValueKind::File,
          .into = &into};
}

CallArgument tool_argument(std::string& into) {
  return {.name = "tool",
          .value = "TOOL",
          .help =
              "The tool that syncs the tree; default is that of the Cluster, or of "
              "annotations in the tree",
          .kind = ValueKind::Word,
          .words = {"argocd", "flux", "none"},
          .into = &into};
}

CallArgument namespace_argument(std::string& into) {
  return {.name = "namespace",
          .letter = 'n',
          .value = "NAME",
          .help = "The namespace of objects that name none (default: `default`)",
          .into = &into};
}

std::string wrong_locks(const SessionOptions& options) {
  const bool wrong = options.no_lock && (options.locked || !options.lock.empty());
  return wrong ? "`--no-lock` goes with neither `--lock` nor `--locked`" : "";
}

void Command::add_reading_arguments(Arguments& rows, SessionOptions& options, std::string& jobs) {
  rows.insert(rows.end(), {templates_argument(options.templates), schemas_argument(options.schemas),
                           policy_argument(options.policies), strict_argument(options.strict),
                           fail_on_argument(options.fail_on), checks_argument(options.checks),
                           config_argument(options.config), no_config_argument(options.no_config),
                           load_outside_argument(), reader_argument(options.reader),
                           jobs_argument(jobs), report_argument(), all_argument()});
}

namespace {

void set_up(Session& session, const SessionOptions& options);

/// The config file of a run; null without one, or when it is wrong.
std::unique_ptr<ConfigFile> config_of(Session& session, const SessionOptions& options,
                                      const std::vector<std::string>& inputs) {
  if (options.no_config) return nullptr;
  if (!options.config.empty()) return read_config(session, options.config, NamedBy::CommandLine);
  const std::string path = find_config(inputs, session.env);
  note_config(inputs, path, session.env, session.sink);
  return path.empty() ? nullptr : read_config(session, path, NamedBy::Document);
}

}  // namespace

void prepare(Session& session, SessionOptions options, const Configurable& request) {
  RunSettings settings{request.cluster,
                       request.target,
                       {},
                       options.schemas,
                       options.policies,
                       options.strict ? "style" : options.fail_on,
                       false};
  if (request.kubernetes != nullptr) settings.kubernetes = *request.kubernetes;
  note_directories(session.env, request.inputs);
  if (const auto config = config_of(session, options, request.inputs)) {
    apply_config(session, *config, settings);
  }
  request.cluster = settings.cluster;
  request.target = settings.target;
  if (request.kubernetes != nullptr) {
    *request.kubernetes = settings.kubernetes;
  } else if (const auto version = kubernetes_version(settings.kubernetes)) {
    session.kubernetes = version;
  }
  if (request.ignore_unknown_kinds != nullptr && settings.ignore_unknown_kinds) {
    *request.ignore_unknown_kinds = true;
  }
  options.schemas = std::move(settings.schemas);
  options.policies = std::move(settings.policies);
  options.fail_on = settings.fail_on;
  set_up(session, options);
  // A Cluster may bring checks of its own.
  if (request.cluster.empty()) report_unknown_checks(session);
}

CallArgument jobs_argument(std::string& into) {
  return {.name = "jobs",
          .letter = 'j',
          .value = "N",
          .help =
              "Threads for many inputs; 0, the default, is one for each core. The output is "
              "the same for any number",
          .into = &into};
}

std::optional<unsigned> thread_count(std::string_view word) {
  constexpr unsigned kMost = 256;
  const auto count = read_number<unsigned>(word);
  return count && *count <= kMost ? count : std::nullopt;
}

void prepare(Session& session, const SessionOptions& options) {
  set_up(session, options);
  report_unknown_checks(session);
}

void prepare_here(Session& session, SessionOptions options) {
  std::string cluster;
  std::string target;
  const std::vector<std::string> inputs{"."};
  prepare(session, std::move(options), {inputs, cluster, target});
}

namespace {

void set_up(Session& session, const SessionOptions& options) {
  session.limits.reference_reader = options.reader == "reference";
  const auto least = options.strict ? Effect::Style : effect_of(options.fail_on);
  if (least) session.sink.fail_on(*least);
  session.layers.overlays = options.overlays;
  session.locks.settings = {options.lock, options.no_lock, options.locked};
  for (const std::string& directory : options.templates) {
    if (!session.env.files.is_directory(directory)) {
      session.sink.report(DiagnosticKind::FileNotFound, {},
                          "`" + directory + "` of `--templates` is not a directory");
      continue;
    }
    session.templates.add_directory(directory, session.env, session.sink);
  }
  session.load_kinds();
  load_user_schemas(session, options.schemas);
  for (const std::string& policy : options.policies) session.policies.load(session, policy);
  note_asked_checks(session, options.checks);
  ask_checks(session);
}

/// Whether the file system is at fault, and no input.
bool is_failure(DiagnosticKind kind) {
  return kind == DiagnosticKind::OutputFailed || kind == DiagnosticKind::InputFailed;
}

std::string json_report(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                        std::string_view members) {
  std::string document = render_json(diagnostics, sources);
  if (members.empty()) return document;
  document.erase(document.rfind("\n}"));
  return document + ",\n  " + std::string(members) + "\n}\n";
}

}  // namespace

ExitCode finish(Io& io, Session& session, std::string_view members) {
  report_unknown_checks(session);
  const std::vector<Diagnostic> diagnostics = session.sink.sorted();
  switch (io.format) {
    case OutputFormat::Plain:
      if (diagnostics.empty()) break;
      io.err += render_text(io.all ? diagnostics : folded(diagnostics, session.sources),
                            session.sources, io.colour);
      io.err += summary(diagnostics) + "\n";
      break;
    case OutputFormat::Json:
      io.out += json_report(diagnostics, session.sources, members);
      break;
    case OutputFormat::Sarif:
      io.out += render_sarif(diagnostics, session.sources, version());
      break;
    case OutputFormat::Junit:
      io.out += render_junit(diagnostics, session.sources);
      break;
    case OutputFormat::Github:
      io.out += render_github(diagnostics, session.sources);
      break;
    case OutputFormat::Gitlab:
      io.out += render_gitlab(diagnostics, session.sources);
      break;
  }
  if (!session.sink.has_errors()) return ExitCode::Good;
  const bool world_failed = std::ranges::any_of(
      diagnostics, [](const Diagnostic& each) { return is_failure(each.kind); });
  return world_failed ? ExitCode::WorldFailed : ExitCode::InputWrong;
}

ExitCode wrong_call(Io& io, std::string_view message) {
  io.err += "trainyard: " + foreign_text(message) + "\n";
  return ExitCode::CallWrong;
}

ExitCode wrong_thread_count(Io& io, std::string_view word) {
  return wrong_call(io, "`--jobs " + std::string(word) + "`: expected a number from 0 to 256");
}

ExitCode wrong_input(Io& io, std::string_view message) {
  io.err += "trainyard: " + foreign_lines(message) + "\n";
  return ExitCode::InputWrong;
}

namespace {

std::string member(std::string_view name, Tree& tree, NodeId value) {
  std::string text;
  write_json(tree, tree.add_string(name), text, 0);
  while (text.ends_with('\n')) text.pop_back();
  text += ": ";
  write_json(tree, value, text, 0);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string json_member(std::string_view name, std::string_view text) {
  Tree tree;
  return member(name, tree, tree.add_string(text));
}

std::string json_member(std::string_view name, const std::vector<std::string>& texts) {
  Tree tree;
  const NodeId list = tree.add_seq();
  for (const std::string& text : texts) tree.append(list, tree.add_string(text));
  return member(name, tree, list);
}

std::string json_member(std::string_view name, std::size_t number) {
  Tree tree;
  return member(name, tree, tree.add(Kind::Int, tree.intern(std::to_string(number))));
}

}  // namespace trainyard
