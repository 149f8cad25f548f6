#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"

namespace trainyard::test {

/// What a call of the program did.
struct Called {
  ExitCode code = ExitCode::OurFault;
  std::string out;
  std::string err;
  std::string summary;  // of a terminal, after all else
};

/// Calls the program with files in memory.
class Caller {
 public:
  MemoryFileSystem files;
  std::string input;   // standard input
  std::string commit;  // of the program
  std::map<std::string, std::string> environment;
  std::function<double()> seconds;  // of a terminal; empty for a pipe
  std::function<void(const WorkDone&)> progress;
  std::optional<std::vector<std::string>> answers;  // of a person; nothing where there is none
  std::string asked;                                // the questions of the last call

  Called operator()(std::vector<std::string> arguments) {
    Env env{files, [this](std::size_t) { return FileRead{input, {}}; }};
    Called called;
    Io io{env, called.out, called.err};
    io.commit = commit;
    io.seconds = seconds;
    env.progress = progress;
    io.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      if (found == environment.end()) return std::nullopt;
      return found->second;
    };
    asked.clear();
    if (answers) {
      io.ask = [this, at = std::size_t{0}](const std::string& question) mutable {
        asked += question + "\n";
        return at < answers->size() ? std::optional((*answers)[at++]) : std::nullopt;
      };
    }
    called.code = run_cli(arguments, io);
    called.out += io.rest.whole();
    called.summary = io.summary;
    return called;
  }
};

/// A spec without a fault.
inline const std::string kSpec =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: llama, namespace: nlp}\n"
    "spec:\n"
    "  image: nvcr.io/nvidia/nemo:25.07\n"
    "  run: {script: train.py}\n"
    "  nodes: 4\n"
    "  gpusPerNode: 8\n";

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace trainyard::test
