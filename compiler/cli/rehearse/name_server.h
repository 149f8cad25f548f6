#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/rehearse/pod_watch.h"
#include "driver/rehearse/rehearsal.h"

namespace trainyard {

/// The DNS of a rehearsal. It knows the names of pods, and asks the server of this machine for the
/// names of other domains.
class NameServer {
 public:
  explicit NameServer(const Rehearsal& rehearsal) : rehearsal_(rehearsal) {}

  /// Reaches the first server that `/etc/resolv.conf` names, from the network of this machine: call
  /// it there. Otherwise only pods have names.
  void open_outside();
  void close_outside();
  /// Serves at its address, which the network of the caller has.
  void open();

  /// What to watch for input, or -1.
  std::array<int, 2> files() const { return {inside_, outside_}; }
  /// Answers what has come in. `seen` learns which pod asked for names that nothing has.
  void answer(std::vector<SeenPod>& seen);

 private:
  /// A question that the server outside has.
  struct Asked {
    std::size_t pod = 0;
    sockaddr_in from = {};
    std::string name;
    std::string number;  // that the pod gave it: two bytes
  };

  void take_question(const std::string& packet, const sockaddr_in& from,
                     std::vector<SeenPod>& seen);
  void take_answer(std::string packet, std::vector<SeenPod>& seen);
  void send(const std::string& packet, const sockaddr_in& to) const;

  const Rehearsal& rehearsal_;
  int inside_ = -1;
  int outside_ = -1;
  std::uint16_t next_ = 0;
  std::map<std::uint16_t, Asked> asked_;  // by the number that the server outside knows
};

}  // namespace trainyard
