#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/env.h"
#include "driver/session.h"

namespace CLI {
class App;
}

namespace trainyard {

/// Where a command speaks to: standard output, standard error, and what is known of the terminal.
struct Io {
  Env& env;
  std::string& out;     // written to standard output when the command has ended
  std::string& err;     // to standard error
  bool colour = false;  // of standard error
  bool json = false;    // `--output json`: diagnostics as JSON on standard output
};

/// One command of the program; one file each.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;      // one line, for the list of commands
  virtual std::string_view description() const = 0;  // for `--help` and the manual
  virtual void options(CLI::App& app) = 0;
  virtual ExitCode run(Io& io) = 0;
};

/// All commands, in the order in which help lists them.
std::vector<std::unique_ptr<Command>> all_commands();

/// Prints what the sink has, as text or JSON, and says how it went.
ExitCode finish(Io& io, Session& session);

/// A mistake in the call itself: says so, and what would be right.
ExitCode wrong_call(Io& io, std::string_view message);

}  // namespace trainyard
