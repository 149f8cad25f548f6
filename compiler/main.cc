#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/cluster_program.h"
#include "cli/failure.h"
#include "cli/progress_bar.h"
#include "cli/standard_files.h"

namespace trainyard {
/// What this program was built from; the build writes it (cmake/tools/Commit.cmake).
std::string_view commit();
}  // namespace trainyard

namespace {

using trainyard::ExitCode;

ExitCode run(int argc, char** argv) {
  const auto seconds = trainyard::stopwatch();
  const bool has_output = trainyard::hold_standard_files();
  // Without a program name in front, as some callers start programs, there are no arguments.
  char** const begin = argc > 0 ? argv + 1 : argv;
  const std::vector<std::string> arguments(begin, argv + argc);
  trainyard::RealFileSystem files;
  if (const auto words = trainyard::words_for_cluster_program(arguments)) {
    if (!trainyard::is_here_too(*words)) {
      return trainyard::become_cluster_program(*words, trainyard::say);
    }
    if (!trainyard::may_do_without_cluster(*words) ||
        trainyard::names_a_cluster(*words, trainyard::environment_variable, files)) {
      trainyard::become_cluster_program(*words, [](std::string_view) {});
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  trainyard::Env env{files, trainyard::read_standard_input};
  std::string out;
  std::string err;
  trainyard::Io io{env, out, err, trainyard::wants_colour()};
  io.commit = trainyard::commit();
  io.variable = trainyard::environment_variable;
  if (trainyard::has_person()) io.ask = trainyard::ask_person;
  if (trainyard::has_terminal()) io.seconds = seconds;
  trainyard::ProgressBar bar(seconds, trainyard::say, trainyard::terminal_columns());
  env.progress = [&bar](const trainyard::WorkDone& work) { bar.show(work); };
  const ExitCode code = trainyard::run_cli(arguments, io);
  bar.clear();
  trainyard::say(err);
  const ExitCode printed = trainyard::print_and_close(out, io.rest, has_output);
  if (printed != ExitCode::Good) return printed;
  trainyard::say(io.summary);
  return code;
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
