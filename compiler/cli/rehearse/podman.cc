#include "cli/rehearse/podman.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "cli/run_program.h"
#include "diag/words.h"
#include "source/file_error.h"

namespace trainyard {
namespace {

ProgramRun run_podman(std::vector<std::string> words) {
  words.insert(words.begin(), "podman");
  return run_program(words, "", whole_environment());
}

std::string first_line(std::string text) {
  return text.substr(0, text.find('\n'));
}

/// The name of this program, and its arguments.
std::vector<std::string> own_call() {
  std::vector<std::string> words = {""};
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  for (char each = 0; file != -1 && ::read(file, &each, 1) == 1;) {
    if (each == '\0') {
      words.emplace_back();
    } else {
      words.back() += each;
    }
  }
  if (file != -1) ::close(file);
  if (words.size() > 1) words.pop_back();  // each ends with a zero
  return words;
}

}  // namespace

PodmanImages::~PodmanImages() {
  for (const auto& [image, facts] : known_) {
    if (facts.fault.empty()) run_podman({"image", "unmount", image});
  }
}

const ImageFacts& PodmanImages::facts(const std::string& image) {
  const auto [found, is_new] = known_.try_emplace(image);
  ImageFacts& facts = found->second;
  if (!is_new) return facts;
  const ProgramRun inspected = run_podman({"image", "inspect", image});
  if (inspected.code != 0) {
    facts.fault = "podman does not have image " + shown(image) + "; `podman pull` fetches it";
    return facts;
  }
  facts = read_image_facts(inspected.out);
  if (!facts.fault.empty()) return facts;
  const ProgramRun mounted = run_podman({"image", "mount", image});
  facts.root = first_line(mounted.out);
  if (mounted.code != 0) {
    facts.fault = "podman cannot mount " + shown(image) + ": " + first_line(mounted.err);
  }
  return facts;
}

std::string enter_podman() {
  if (run_podman({"--version"}).code < 0) {
    return "podman is not installed; without `--image`, the programs of this machine run";
  }
  // What `podman unshare` sets (containers/storage pkg/unshare/unshare_linux.go).
  if (::geteuid() == 0 || std::getenv("_CONTAINERS_USERNS_CONFIGURED") != nullptr) return {};
  std::vector<std::string> words = {"podman", "unshare", "/proc/self/exe"};
  char self[4096] = "";
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) words.back() = std::string(self, static_cast<std::size_t>(length));
  const std::vector<std::string> call = own_call();
  words.insert(words.end(), call.begin() + 1, call.end());
  std::vector<char*> pointers;
  for (std::string& each : words) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  ::execvp("podman", pointers.data());
  return "podman: " + error_from(errno).message;
}

}  // namespace trainyard
