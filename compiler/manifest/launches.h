#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/workload.h"
#include "shell/command_line.h"
#include "tree/tree.h"

namespace trainyard {

/// How processes come into other pods than that of their launcher.
enum class Channel : std::uint8_t {
  None,   // not at all: they are where it is
  Agent,  // by a launcher in each of these pods, or by what Slurm has there
  Ssh,
  Api,  // through the API server
};

/// The MPI whose words a launcher speaks; `Any` where both know them.
enum class Mpi : std::uint8_t { Any, Open, Hydra };

struct LaunchHost {
  std::string name;
  std::optional<std::int64_t> slots;  // where they are written
};

/// The hosts that one option of a launcher says.
struct LaunchHosts {
  OptionValue told;              // a list, a path, or a variable with one of them
  bool in_file = false;          // else they are listed
  View text;                     // of the file, where it is known
  std::vector<LaunchHost> each;  // as far as they are known

  /// Whether all are the pod itself.
  bool are_local() const;
};

/// A launcher that a container starts: whom it starts, and by which way.
struct Launch {
  std::string_view program;  // `mpirun`, under whichever name; "" for none
  std::string what = {};     // `mpirun with hosts`
  Channel channel = Channel::None;
  bool is_sure = true;  // false where a variable may hold what makes it another channel
  WordView by = {};     // the word that makes it this channel, or the program
  std::vector<LaunchHosts> hosts = {};  // for each option that says some
  OptionValue ranks = {};               // that it starts in all pods
  Mpi mpi = Mpi::Any;
  WordView mpi_word = {};  // that only this MPI knows
  std::shared_ptr<const LauncherCall> call =
      {};  // null for a program that asks the API server itself

  explicit operator bool() const { return !program.empty(); }
  bool goes_over_ssh() const { return channel == Channel::Ssh && is_sure; }
};

/// What a file of the container holds; an empty view where it is not known.
using FileText = std::function<View(std::string_view path)>;

/// The launchers of a container that start processes in other pods, or may. Not torchrun, which
/// manifest/launch.h knows, nor those that know of no other pod (manifest/bare_launchers.h).
std::vector<Launch> launches_in(View container, const FileText& text_of);
/// That of mpirun.
Launch mpi_launch_in(View container, const FileText& text_of = {});

/// An MPIJob of release 2 of the MPI Operator, which reaches its workers over ssh.
bool is_mpi_job_over_ssh(const Workload& workload);
/// The MPI for which an operator prepares a launcher, by the `mpiImplementation` of a spec or a
/// policy; Open MPI by default.
Mpi mpi_of_operator(View holder);
/// Where an operator puts the key by which pods log in to each other; "" where none makes a key.
std::string_view keys_of_operator(const Workload& workload);
inline constexpr std::string_view kKeysOfRoot = "/root/.ssh";

/// The user that a container surely runs as, if it is not root; an empty view for root, and where
/// the image says it.
View other_user(const Pod& pod, View container);

/// A sshd that a container starts.
struct Sshd {
  WordView at;
  std::optional<std::int64_t> port = {};  // nothing where a file may name another one
  bool stays = false;                     // in the foreground
  bool is_last = false;                   // command of the container
};
std::vector<Sshd> sshds_in(View container);

}  // namespace trainyard
