#include "golden/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "golden/files.h"

namespace trainyard::golden {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

constexpr int kCannotStart = 127;

/// In the child: puts a file in the place of a standard stream.
void redirect(const std::string& path, int flags, int stream) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, stream) < 0) _exit(kCannotStart);
  close(file);
}

}  // namespace

Outcome run_program(const std::filesystem::path& program, const Command& command,
                    const std::filesystem::path& directory, const std::filesystem::path& scratch,
                    const std::vector<std::string>& environment) {
  const std::string out = (scratch / "stdout").string();
  const std::string err = (scratch / "stderr").string();
  const std::string in = command.input ? (directory / *command.input).string() : "/dev/null";
  std::vector<std::string> words = {"trainyard"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  std::vector<std::string> variables = environment;
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    redirect(in, O_RDONLY, 0);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
    if (chdir(directory.c_str()) != 0) _exit(kCannotStart);
    alarm(120);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(kCannotStart);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error("cannot wait");
  }
  Outcome outcome;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit = WEXITSTATUS(status);
  if (outcome.exit == kCannotStart) throw std::runtime_error("cannot run " + program.string());
  outcome.out = read_file(out);
  outcome.err = read_file(err);
  return outcome;
}

}  // namespace trainyard::golden
