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

/// For Python 2.7 and 3, as images have no other tool in common: that of the AWS CLI has no tar,
/// but the Python of yum (aws/aws-cli docker/Dockerfile). A tar that ends with a zip looks like a
/// zip, so tar is asked first. Each member costs an inode, so it counts 512 bytes and its size.
constexpr std::string_view kUnpack =
    "import os, sys, tarfile, zipfile\n"
    "archive, folder = sys.argv[1], os.path.realpath(sys.argv[2])\n"
    "limit = max(1 << 30, 200 * os.path.getsize(archive))\n"
    "left = [limit]\n"
    "def fail(why):\n"
    "    sys.exit(\"%s: the archive is not safe\" % why)\n"
    "def stay_within(name):\n"
    "    path = os.path.realpath(os.path.join(folder, name))\n"
    "    if path != folder and not path.startswith(folder + os.sep):\n"
    "        fail(\"%s leads out of %s\" % (name, folder))\n"
    "def take(name, size):\n"
    "    stay_within(name)\n"
    "    if os.path.basename(name).startswith(\".trainyard-\"):\n"
    "        fail(\"%s is the name of a mark\" % name)\n"
    "    left[0] -= 512 + size\n"
    "    if left[0] < 0:\n"
    "        fail(\"it unpacks to more than %d bytes\" % limit)\n"
    "def unpack_zip(source):\n"
    "    for member in source.infolist():\n"
    "        take(member.filename, member.file_size)\n"
    "        source.extract(member, folder)\n"
    "def unpack_tar(source):\n"
    "    for member in source:\n"
    "        take(member.name, member.size)\n"
    "        if member.issym():\n"
    "            stay_within(os.path.join(os.path.dirname(member.name), member.linkname))\n"
    "        elif member.islnk():\n"
    "            stay_within(member.linkname)\n"
    "        elif not member.isfile() and not member.isdir():\n"
    "            fail(\"%s is no file\" % member.name)\n"
    "        member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), \"\", "
    "\"\"\n"
    "        member.mode = member.mode & 0o777 | (0o700 if member.isdir() else 0o600)\n"
    "        source.extract(member, folder)\n"
    "if tarfile.is_tarfile(archive):\n"
    "    with tarfile.open(archive) as source:\n"
    "        unpack_tar(source)\n"
    "else:\n"
    "    with zipfile.ZipFile(archive) as source:\n"
    "        unpack_zip(source)\n";

/// Unpacks `$wanted` into `$place`, and takes it away.
constexpr std::string_view kUnpacking =
    "for python in python3 python python2 ''; do\n"
    "  if [ -n \"$python\" ] && command -v \"$python\" >/dev/null; then break; fi\n"
    "done\n"
    "if [ -z \"$python\" ]; then\n"
    "  echo 'this image has no Python, by which archives are unpacked' >&2\n"
    "  exit 1\n"
    "fi\n"
    "\"$python\" -c \"$unpack\" \"$wanted\" \"$place\" && rm -f \"$wanted\" || exit 1\n";

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
  if (fetch.unpacks) {
    arguments.emplace_back(kUnpack);
    script += "unpack=$" + std::to_string(arguments.size()) + "\n";
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
            "fi\n";
  if (fetch.unpacks) script += kUnpacking;
  script += ": > \"$place/$mark\"\n";
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
