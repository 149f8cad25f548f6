#include "cli/rehearse/ssh_keys.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/run_program.h"
#include "source/descriptor.h"

namespace trainyard {
namespace {

std::string text_of(const std::string& path) {
  constexpr std::size_t kMostText = 64 * 1024;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() ? read_all(file, kMostText).text : "";
}

}  // namespace

KeyPair make_ssh_keys() {
  KeyPair keys;
  std::string folder = "/tmp/trainyard-rehearse-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    keys.fault = "no folder can be made in /tmp for the keys of ssh";
    return keys;
  }
  const std::string path = folder + "/key";
  const ProgramRun run =
      run_program({"ssh-keygen", "-q", "-t", "ecdsa", "-m", "PEM", "-N", "", "-f", path}, "",
                  whole_environment());
  keys.secret = text_of(path);
  keys.shared = text_of(path + ".pub");
  if (run.code < 0) {
    keys.fault =
        "pods reach each other by ssh, and `ssh-keygen` is not installed (package "
        "openssh-client)";
  } else if (run.code != 0) {
    keys.fault = "`ssh-keygen` makes no keys: " + run.err.substr(0, run.err.find_first_of("\r\n"));
  }
  for (const char* end : {"", ".pub"}) ::unlink((path + end).c_str());
  ::rmdir(folder.c_str());
  return keys;
}

}  // namespace trainyard
