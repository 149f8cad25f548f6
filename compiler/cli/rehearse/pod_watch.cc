#include "cli/rehearse/pod_watch.h"

#include <algorithm>

namespace trainyard {
namespace {

using State = PodSocket::State;

std::size_t index_of(const Rehearsal& rehearsal, const RehearsedPod* pod) {
  return static_cast<std::size_t>(pod - rehearsal.pods.data());
}

bool listens(const SeenPod& pod, std::uint16_t port) {
  return std::ranges::any_of(pod.sockets, [port](const PodSocket& each) {
    return each.state == State::Listening && (port == 0 || each.local_port == port);
  });
}

std::string place_text(const Meeting& meeting) {
  return meeting.host + (meeting.port == 0 ? "" : ", port " + std::to_string(meeting.port)) + ": ";
}

/// The place where ranks of `pod` meet, if it is another pod; else null.
const RehearsedPod* host_of(const Rehearsal& rehearsal, const RehearsedPod& pod) {
  const RehearsedPod* const host = find_pod(rehearsal, pod.meeting.host);
  return host == &pod ? nullptr : host;
}

}  // namespace

void note_meetings(const Rehearsal& rehearsal, std::vector<SeenPod>& seen) {
  for (std::size_t i = 0; i < rehearsal.pods.size(); ++i) {
    const RehearsedPod& pod = rehearsal.pods[i];
    const RehearsedPod* const host = host_of(rehearsal, pod);
    if (host == nullptr) continue;
    const auto connects = [](const std::vector<PodSocket>& sockets, const auto& is_it) {
      return std::ranges::any_of(sockets, [&](const PodSocket& each) {
        return each.state == State::Connected && is_it(each);
      });
    };
    const std::uint16_t port = pod.meeting.port;
    seen[i].has_met |= connects(seen[i].sockets, [&](const PodSocket& each) {
      return each.remote == host->address && (port == 0 || each.remote_port == port);
    });
    seen[i].has_met |= connects(seen[index_of(rehearsal, host)].sockets, [&](const auto& each) {
      return each.remote == pod.address && (port == 0 || each.local_port == port);
    });
  }
}

bool is_missing(const Rehearsal& rehearsal, std::size_t pod, const SeenPod& seen) {
  const RehearsedPod& own = rehearsal.pods[pod];
  return !own.meeting.host.empty() && find_pod(rehearsal, own.meeting.host) != &own &&
         !seen.has_met;
}

bool is_awaited_ready(const Rehearsal& rehearsal, std::size_t pod,
                      const std::vector<SeenPod>& seen) {
  return std::ranges::all_of(rehearsal.pods[pod].awaits, [&](const Meeting& each) {
    const RehearsedPod* const other = find_pod(rehearsal, each.host);
    return other == nullptr || listens(seen[index_of(rehearsal, other)], each.port);
  });
}

std::vector<std::string> waits_of(const Rehearsal& rehearsal, std::size_t pod,
                                  const std::vector<SeenPod>& seen) {
  const RehearsedPod& own = rehearsal.pods[pod];
  std::vector<std::string> lines;
  for (const PodSocket& each : seen[pod].sockets) {
    if (each.state != State::Asking) continue;
    const RehearsedPod* const other = find_pod(rehearsal, each.remote);
    const std::string whose = other == nullptr ? ", no pod of the job" : " (" + other->label + ")";
    lines.push_back(each.remote + whose + ", port " + std::to_string(each.remote_port) +
                    ": no answer");
  }
  for (const Meeting& each : own.awaits) {
    const RehearsedPod* const other = find_pod(rehearsal, each.host);
    if (other != nullptr && !listens(seen[index_of(rehearsal, other)], each.port)) {
      lines.push_back(place_text(each) + "nothing listens there on " + other->label);
    }
  }
  if (is_missing(rehearsal, pod, seen[pod])) {
    const RehearsedPod* const host = find_pod(rehearsal, own.meeting.host);
    lines.push_back(place_text(own.meeting) +
                    (host == nullptr         ? "no pod has this name"
                     : own.meeting.port == 0 ? host->label + " does not connect"
                     : listens(seen[index_of(rehearsal, host)], own.meeting.port)
                         ? host->label + " listens there, and " + own.label + " does not connect"
                         : "nothing listens there on " + host->label));
  }
  for (const std::string& name : seen[pod].unknown) lines.push_back("`" + name + "`: no such name");
  std::ranges::sort(lines);
  const auto repeated = std::ranges::unique(lines);
  lines.erase(repeated.begin(), repeated.end());
  return lines;
}

}  // namespace trainyard
