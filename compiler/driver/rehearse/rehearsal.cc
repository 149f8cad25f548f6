#include "driver/rehearse/rehearsal.h"

#include <algorithm>

namespace trainyard {

std::string hosts_file(const Rehearsal& rehearsal, const RehearsedPod& own) {
  std::string text = "127.0.0.1\tlocalhost\n";
  for (const RehearsedPod& each : rehearsal.pods) {
    std::string names;
    // The kubelet puts the host name of the pod behind its full name (pkg/kubelet/kubelet_pods.go).
    const bool is_own = each.address == own.address;
    for (const std::string& name : each.names) {
      names += " " + name;
      if (is_own && &name == &each.names.front()) names += " " + each.hostname;
    }
    if (is_own && names.empty()) names = " " + each.hostname;
    if (!names.empty()) text += each.address + "\t" + names.substr(1) + "\n";
  }
  return text;
}

const RehearsedPod* find_pod(const Rehearsal& rehearsal, const std::string& host) {
  for (const RehearsedPod& each : rehearsal.pods) {
    if (each.address == host || std::ranges::count(each.names, host) != 0) return &each;
  }
  return nullptr;
}

}  // namespace trainyard
