#include "rules/data_command.h"

#include "rules/fabric_command.h"

namespace trainyard {
namespace {

using Words = std::vector<std::string>;

// Tools go on where they were broken off, so another try costs little; a pod that fails may cost
// the job one of its restarts.
constexpr std::string_view kTry =
    "for pause in 10 30 60 0; do\n"
    "  if \"$@\"; then break; fi\n"
    "  if [ \"$pause\" -eq 0 ]; then exit 1; fi\n"
    "  sleep \"$pause\"\n"
    "done\n";

Words shell(const std::string& script, const Words& arguments, const Words& command) {
  Words words{"/bin/sh", "-c", script, "sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

/// `otherwise` in all pods but the first, whose name is `$first`; controllers may add five
/// characters to a name.
std::string unless_first(std::string_view otherwise) {
  return "case $" + std::string(kPodName) +
         " in\n  \"$first\" | \"$first\"-????"
         "?) ;;\n  *) " +
         std::string(otherwise) + " ;;\nesac\n";
}

std::string pipe_of(std::size_t index) {
  return std::string(kResultFolder) + "/" + std::to_string(index);
}

std::string well() {
  return std::string(kResultFolder) + "/well";
}

/// The first container makes it, for the other's user, too.
std::string make_pipe(std::size_t index) {
  const std::string pipe = pipe_of(index);
  return "mkfifo -m 666 " + pipe + " 2>/dev/null || [ -p " + pipe + " ] || exit 1\n";
}

}  // namespace

Words fetch_words(const Fetch& fetch, const Words& command) {
  const bool named = fetch.turn.who == Turn::Who::Named;
  const std::string wait = "until [ -e \"$place/$mark\" ]; do sleep 5; done; exit 0";
  std::string script = "place=$1\nmark=$2\n";
  Words arguments{fetch.place, fetch.mark};
  if (fetch.turn.who == Turn::Who::None) return shell(script + wait + "\n", arguments, {});
  if (named) {
    arguments.push_back(fetch.turn.first);
    script += "first=$3\n" + unless_first(wait);
  }
  if (!fetch.file.empty()) {
    arguments.push_back(fetch.file);
    script += "wanted=$" + std::to_string(arguments.size()) + "\n";
  }
  const std::string_view wanted = fetch.file.empty() ? "place" : "wanted";
  script += "shift " + std::to_string(arguments.size()) + "\n";
  script += "if [ -e \"$place/$mark\" ]; then exit 0; fi\nmkdir -p \"$place\" || exit 1\n";
  script += kTry;
  // Some tools take an address without anything behind it for success; an empty directory in the
  // place of a file would have the next try put the file into it.
  const std::string it = "\"$" + std::string(wanted) + "\"";
  script += "if [ -z \"$(ls -A " + it + ")\" ]; then\n";
  if (!fetch.file.empty()) script += "  rmdir " + it + " 2>/dev/null\n";
  script += "  echo \"nothing has come to $" + std::string(wanted) +
            "\" >&2\n"
            "  exit 1\n"
            "fi\n"
            ": > \"$place/$mark\"\n";
  return shell(script, arguments, command);
}

Words store_words(const Words& command) {
  return shell(std::string(kTry), {}, command);
}

// The program holds its end of a pipe open as long as it lives, however it ends; an ordinary file
// would never come from one that is killed.
Words store_after_words(std::size_t index, StoreAfter after, const Turn& turn,
                        const Words& command) {
  const std::string failed = "if [ ! -e " + well() + " ]; then\n";
  std::string script = failed + "  " + make_pipe(index);
  script += "  cat " + pipe_of(index) + "\nfi\n";
  const bool any_end = after == StoreAfter::AnyEnd;
  const auto fail = [&](std::string_view message) {
    return failed + "  echo '" + std::string(message) + "' >&2\n  exit 1\nfi\n";
  };
  if (!any_end) script += fail("the program has failed, nothing is stored");
  Words arguments;
  if (turn.who == Turn::Who::Named) {
    arguments.push_back(turn.first);
    script += "first=$1\n" + unless_first("exit 0") + "shift\n";
  }
  script += kTry;
  // A container that fails comes again with the program, and stores what that leaves then.
  if (any_end) script += fail("the program has failed, and what it left is stored");
  return shell(script, arguments, command);
}

Words awaited_program(std::size_t waiting) {
  std::string script;
  std::string closed;
  for (std::size_t i = 0; i < waiting; ++i) {
    const std::string number = std::to_string(i + 3);  // after those of the terminal
    script += make_pipe(i) + "exec " + number + "> " + pipe_of(i) + "\n";
    closed += " " + number + ">&-";
  }
  script += run_and_wait(closed);
  script += "if [ \"$status\" -eq 0 ]; then : > " + well() + "; fi\nexit \"$status\"\n";
  return {"/bin/sh", "-c", script, "sh"};
}

}  // namespace trainyard
