#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "driver/build/built_stream.h"
#include "driver/session/env.h"
#include "driver/session/session.h"

namespace trainyard {

/// How a command prints its diagnostics: `--output`.
enum class OutputFormat : std::uint8_t { Plain, Json, Sarif, Junit, Github, Gitlab };

/// Where a command speaks to: standard output, standard error, and what is known of the terminal.
struct Io {
  Env& env;
  std::string& out;     // written to standard output when the command has ended
  std::string& err;     // to standard error
  bool colour = false;  // of standard error
  bool all = false;     // whether text repeats the same finding as often as it was made
  OutputFormat format = OutputFormat::Plain;
  BuiltStream rest = {};         // written to standard output after `out`
  std::string_view commit = {};  // what the program was built from; empty where that is unknown
  /// A variable of the environment, for `cmp` alone: a plugin of Argo CD gets its input so.
  std::function<std::optional<std::string>(const std::string& name)> variable = {};
  /// Asks a person at the terminal, and gives the answer; nothing where the input has ended. Empty
  /// where there is no terminal: then nothing may wait for an answer.
  std::function<std::optional<std::string>(const std::string& question)> ask = {};

  /// Seconds since the program began. Empty unless standard error is a terminal: only there do
  /// commands end with a summary, so that what goes into a pipe is always the same.
  std::function<double()> seconds = {};
  std::string summary = {};  // written to standard error after all else

  /// Text goes to standard error, beside what was made; a report for programs is all that standard
  /// output has.
  bool reports() const { return format != OutputFormat::Plain; }
};

/// A call that help and the manual show.
struct Example {
  std::string_view call;  // without the `$ `
  std::string_view what;
};

struct SessionOptions;

/// One command of the program; one file each.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;         // `build`; may be two words: `schema import`
  virtual std::string_view summary() const = 0;      // one line, for the list of commands
  virtual std::string_view description() const = 0;  // for `--help` and the manual
  virtual std::vector<Example> examples() const { return {}; }
  /// Its options and operands, pointing to where their values go.
  virtual Arguments arguments() = 0;
  virtual ExitCode run(Io& io) = 0;

  /// As `arguments`, with those that every command has.
  Arguments all_arguments();

  std::string output = "text";  // of `--output`, where a command has it
  std::string colour = "auto";  // of `--color`
  bool help = false;            // `--help`
  bool load_outside = false;    // of `--load-outside`, where a command has it
  bool all = false;             // of `--all`, where a command has it
  bool quiet = false;           // of `--quiet`, where a command has it: no progress, no summary

 protected:
  /// `--output` for a command whose diagnostics can be read by programs.
  CallArgument output_argument(std::vector<std::string> formats = {"text", "json"});
  /// `--output` for a command that checks files: with the formats of build servers.
  CallArgument report_argument();
  /// `--load-outside` for a command that reads what documents name, or directories.
  CallArgument load_outside_argument();
  /// `--all` for a command whose checks can find the same in many places.
  CallArgument all_argument();
  /// `--quiet` for a command that reports findings.
  CallArgument quiet_argument();
  /// What commands share that read many specs or manifests: from `--templates` to the reports.
  void add_reading_arguments(Arguments& rows, SessionOptions& options, std::string& jobs);
};

/// Says on standard error which file was written or removed.
void tell_done(Io& io, std::string_view what, std::string_view path);

/// All commands, in the order in which help lists them.
std::vector<std::unique_ptr<Command>> all_commands();

// Arguments that several commands share.
CallArgument inputs_argument(std::vector<std::string>& into, std::string_view help);
CallArgument cluster_argument(std::string& into);
CallArgument target_argument(std::string& into);
/// Which job of the inputs.
CallArgument job_argument(std::string& into);
CallArgument templates_argument(std::vector<std::string>& into);
CallArgument schemas_argument(std::vector<std::string>& into);
CallArgument strict_argument(bool& into);
CallArgument fail_on_argument(std::string& into);
CallArgument checks_argument(std::string& into);
CallArgument reader_argument(std::string& into);
CallArgument policy_argument(std::vector<std::string>& into);
CallArgument config_argument(std::string& into);
CallArgument no_config_argument(bool& into);
CallArgument overlay_argument(std::vector<std::string>& into);
CallArgument lock_argument(std::string& into);
CallArgument no_lock_argument(bool& into);
CallArgument locked_argument(bool& into);
CallArgument live_argument(std::vector<std::string>& into);
CallArgument tool_argument(std::string& into);
CallArgument namespace_argument(std::string& into);
CallArgument jobs_argument(std::string& into);
/// The threads that a word of `--jobs` asks for, 0 for one for each core; nothing when it is none.
std::optional<unsigned> thread_count(std::string_view word);

/// What options that several commands share change in a session.
struct SessionOptions {
  std::vector<std::string> templates;
  std::vector<std::string> schemas;
  bool strict = false;
  std::string reader = "fast";
  std::vector<std::string> policies = {};
  std::string config = {};  // the file; "" to look for one
  bool no_config = false;
  std::vector<std::string> overlays = {};
  std::string lock = {};  // the file; "" to look for one
  bool no_lock = false;
  bool locked = false;
  std::string fail_on = {};  // the word of an effect; "" for the severities of the checks
  std::string checks = {};   // severities: `gang=off,mpi-*=warning`
};
void prepare(Session& session, const SessionOptions& options);
/// What is wrong with the lock options together; "" for nothing.
std::string wrong_locks(const SessionOptions& options);

/// What of a request a config file can fill where the call leaves it open.
struct Configurable {
  const std::vector<std::string>& inputs;
  std::string& cluster;
  std::string& target;
  std::string* kubernetes = nullptr;
  bool* ignore_unknown_kinds = nullptr;
};
/// As prepare, for a command that works on files: with the config file for these.
void prepare(Session& session, SessionOptions options, const Configurable& request);

/// As prepare, with the config file of the current folder: for what it says of checks.
void prepare_here(Session& session, SessionOptions options);

/// The format of a word of `--output`; what is not a report is text.
OutputFormat output_format(std::string_view word);

/// Prints what the sink has, in the format of `io`, and says how it went. `members` are further
/// members of the JSON document, `"a": 1, "b": 2`.
ExitCode finish(Io& io, Session& session, std::string_view members = {});

/// The last line on a terminal: what was done, `12 files read`, in which time, and how many
/// findings have which effect.
void summarize(Io& io, const Session& session, std::string_view done);

/// A mistake in the call itself: says so, and what would be right.
ExitCode wrong_call(Io& io, std::string_view message);
ExitCode wrong_thread_count(Io& io, std::string_view word);
/// What was asked for does not exist.
ExitCode wrong_input(Io& io, std::string_view message);

/// `"name": "text"`, for `finish`.
std::string json_member(std::string_view name, std::string_view text);
std::string json_member(std::string_view name, const std::vector<std::string>& texts);
std::string json_member(std::string_view name, std::size_t number);

}  // namespace trainyard
