#include "rules/fabric_command.h"

namespace trainyard {
namespace {

// Vendors' settings are written for bash; under another shell some of them pick their fallbacks
// without a word (google/nccl-plugin-gpudirect-tcpxo tcpxo_scripts/nccl-env-profile.sh).
constexpr std::string_view kBash = "/bin/bash";

std::string end_file() {
  return std::string(kEndFolder) + "/ended";
}

}  // namespace

// A shell that waits keeps signals to itself, so it hands on those that may ask for a checkpoint.
// The traps come first: a signal before the program has a number is handed on as soon as it has.
// `wait` returns early when one comes, with a status that is not the program's, so the program is
// waited for until it is gone, and then asked once more.
std::string run_and_wait(std::string_view closed) {
  return "early=\n"
         "for signal in TERM INT HUP USR1 USR2; do\n"
         "  trap \"early=$signal; kill -$signal \\$! 2>/dev/null\" \"$signal\"\n"
         "done\n"
         "\"$@\"" +
         std::string(closed) +
         " &\n"
         "program=$!\n"
         "if [ -n \"$early\" ]; then kill \"-$early\" \"$program\"; fi\n"
         "wait \"$program\"\n"
         "status=$?\n"
         "while kill -0 \"$program\" 2>/dev/null; do wait \"$program\"; done\n"
         "wait \"$program\" 2>/dev/null\n"
         "last=$?\n"
         "if [ \"$last\" -ne 127 ]; then status=$last; fi\n";
}

std::string source_settings(std::string_view settings) {
  const std::string file(settings);
  return "if [ ! -r " + file + " ]; then\n  echo 'there is no " + file +
         " on this node' >&2\n  exit 1\nfi\n. " + file;
}

std::vector<std::string> program_wrapper(std::string_view settings, bool tells_end) {
  std::string script;
  if (tells_end) script += "trap 'touch " + end_file() + "' EXIT\n";
  if (!settings.empty()) script += source_settings(settings) + "\n";
  script += tells_end ? run_and_wait() + "exit \"$status\"\n" : "exec \"$@\"\n";
  return {std::string(kBash), "-c", script, "bash"};
}

std::vector<std::string> daemon_wrapper() {
  std::string script = "\"$@\" &\ndaemon=$!\n";
  script += "trap 'kill -TERM \"$daemon\"' TERM INT\n";
  script += "while kill -0 \"$daemon\" 2>/dev/null; do\n";
  script += "  if [ -e " + end_file() + " ]; then kill -TERM \"$daemon\"; sleep 15; exit 0; fi\n";
  script += "  sleep 10\n";
  script += "done\n";
  script += "wait \"$daemon\"\n";
  return {"/bin/sh", "-c", script, "sh"};
}

}  // namespace trainyard
