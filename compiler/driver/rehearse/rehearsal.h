#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// A file of a ConfigMap.
struct RehearsedFile {
  std::string path;  // below that of the mount
  std::string text;
  std::uint32_t mode = 0644;
};

/// What a pod of a rehearsal finds at a path.
struct RehearsedMount {
  enum class Source : std::uint8_t {
    Files,   // of a ConfigMap
    Own,     // an empty folder of the pod
    Memory,  // an empty folder of the pod, in memory
    Shared,  // an empty folder that all pods see
    Folder,  // one of the user's, which stays as it is
  };
  std::string path;
  Source source = Source::Own;
  std::string name;  // of the volume; of a folder its path
  std::vector<RehearsedFile> files = {};
  std::int64_t size = 0;      // in memory, in bytes; 0 for no limit
  std::string sub_path = {};  // below the volume
  bool read_only = false;
};

/// A host and port at which ranks meet.
struct Meeting {
  std::string host;        // "" for none
  std::uint16_t port = 0;  // 0 for any, at either end
};

/// A pod as processes of this machine. Its variables may be secret.
struct RehearsedPod {
  std::string label;               // `worker 3`
  std::string hostname;            // in the pod
  std::vector<std::string> names;  // by which all pods know it, full names first
  std::string address;             // `10.99.0.1`
  std::string root;                // of the files of its image; "" for those of this machine
  std::vector<std::string> command;
  std::vector<std::string> environment;  // `NAME=VALUE`
  std::string working_directory;         // "" for that of the caller
  std::vector<RehearsedMount> mounts;    // outer ones first
  bool decides = true;                   // the job ends with the pods that do
  Meeting meeting;
  std::vector<Meeting> awaits;  // where others must listen before it starts
  /// Of a user of its own, for whom ssh has keys; "" for the caller.
  std::string home;
};

/// A job as it can run on this machine.
struct Rehearsal {
  std::string job;  // `PyTorchJob/train`
  std::vector<RehearsedPod> pods;
  std::vector<std::string> differences;  // from the cluster, a line each
};

/// The network of a rehearsal: pods are 10.99.0.1 and so on.
inline constexpr const char* kRehearsalServer = "10.99.255.254";

/// The text of `/etc/hosts` in a pod: the kubelet's lines, and what the DNS of the cluster knows.
std::string hosts_file(const Rehearsal& rehearsal, const RehearsedPod& own);

/// The pod with a name or address; null for none.
const RehearsedPod* find_pod(const Rehearsal& rehearsal, const std::string& host);

}  // namespace trainyard
