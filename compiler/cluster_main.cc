#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/failure.h"
#include "cli/progress_bar.h"
#include "cli/standard_files.h"
#include "live/interrupt.h"
#include "live/live_command.h"

namespace trainyard {
/// What this program was built from; the build writes it (cmake/tools/Commit.cmake).
std::string_view commit();
}  // namespace trainyard

namespace {

using trainyard::ExitCode;

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string version_line() {
  std::string line = "trainyard-cluster " + std::string(trainyard::version());
  if (!trainyard::commit().empty()) line += " (commit " + std::string(trainyard::commit()) + ")";
  return line + "\n";
}

ExitCode run(int argc, char** argv) {
  const auto seconds = trainyard::stopwatch();
  const bool has_output = trainyard::hold_standard_files();
  std::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_DUMPABLE, 0);  // no core file holds a token
  trainyard::RealFileSystem files;
  trainyard::Env env{files, trainyard::read_standard_input};
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  trainyard::LocalMachine machine{files, variable, terminal};
  std::string out;
  std::string err;
  trainyard::Io io{env, out, err, trainyard::wants_colour()};
  io.commit = trainyard::commit();
  trainyard::ProgressBar bar(seconds, trainyard::say, trainyard::terminal_columns());
  env.progress = [&bar](const trainyard::WorkDone& work) {
    if (work.done < work.all) {
      bar.show(work);
    } else {
      bar.clear();  // a question or the state of a job may follow
    }
  };
  char** const begin = argc > 0 ? argv + 1 : argv;
  const std::vector<std::string> arguments(begin, argv + argc);
  ExitCode code = ExitCode::Good;
  if (arguments == std::vector<std::string>{"--version"}) {
    out = version_line();
  } else {
    trainyard::tell_early_interrupts();
    code = trainyard::run_cli(arguments, io, trainyard::live_commands(machine));
  }
  bar.clear();
  trainyard::say(err);
  const ExitCode printed = trainyard::print_and_close(out, io.rest, has_output);
  return printed == ExitCode::Good ? code : printed;
}

}  // namespace

int main(int argc, char** argv) {
  ExitCode code = ExitCode::OurFault;
  try {
    code = run(argc, argv);
  } catch (...) {
    code = trainyard::tell_failure(std::current_exception(), trainyard::say);
  }
  return static_cast<int>(code);
}
