#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace trainyard {

/// Programs that give a network namespace a way outside without root, the preferred one first.
struct OutsideProgram {
  const char* name;
  const char* package;  // of Debian
};
inline constexpr OutsideProgram kOutsidePrograms[] = {{"pasta", "passt"},
                                                      {"slirp4netns", "slirp4netns"}};

/// What leads outside in the network of a pod: a device without an address, so that no program
/// takes it for the one that leads to the other pods, and a router.
inline constexpr const char* kOutsideDevice = "outside";
inline constexpr const char* kOutsideRouter = "169.254.98.2";

/// A pod that waits for its network.
struct WaitingPod {
  pid_t process = 0;
  std::string address;
};

/// A network outside for pods, by a process of `pasta` or `slirp4netns` for each. Pods reach what
/// this machine reaches, but not what listens at its loopback addresses alone; nothing outside
/// reaches them.
class OutsideNetwork {
 public:
  /// Call it in the network of this machine, in a mount and PID namespace of the caller's own: the
  /// processes end with that. False, with `errno`, where there can be none.
  bool open(const std::string& program);
  /// Gives each pod the device. What went wrong, or "".
  std::string connect(const std::vector<WaitingPod>& pods) const;

 private:
  int starter_ = -1;  // to the process that stays in the network of this machine
};

}  // namespace trainyard
