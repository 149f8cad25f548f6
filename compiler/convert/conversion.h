#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/convert.h"
#include "convert/ledger.h"
#include "effective/pod_builder.h"
#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// What the command line of a role comes to.
enum class ProgramKind : std::uint8_t { Image, Command, Script, Shell };

/// Pods of a job that are made from one template, on the way into the spec.
struct ConvertedRole {
  std::string name;  // as the language calls it: `worker`, `master`; "" where there is one
  std::int64_t pods = 1;
  NodeId fields = kNoNode;     // the fields of the language that a role may have
  std::int64_t gpus = 0;       // per pod
  std::int64_t processes = 0;  // per pod; 0 where nothing says it
  bool says_gpus = false;      // although the job has as many
  bool has_rank = true;        // its pods meet those of the other roles
  ProgramKind program = ProgramKind::Image;
  std::string_view launcher = "none";  // as the language calls it
  /// torchrun starts one process unless its line or a variable says otherwise.
  bool one_process_unless_told = false;
};

/// One job while it is taken apart: what is known of it, and the spec that grows.
struct Conversion {
  Conversion(Ledger& account, PodBuilder& made, const ConvertInput& all)
      : ledger(account), maker(made), input(all), objects(all.objects), schemas(all.schemas) {}

  Ledger& ledger;
  PodBuilder& maker;
  const ConvertInput& input;
  std::span<const View> objects;
  const SchemaPack& schemas;
  Sink* sink = nullptr;  // for what is wrong with the input itself

  View job;
  std::string name;
  std::int64_t pods = 1;              // all that train
  std::int64_t without_rank = 0;      // of these, such as an evaluator
  std::int64_t processes = 0;         // of each pod, by a field of the kind; 0 where none says it
  std::int64_t gang_pods = 0;         // that start together, where these are not all
  bool has_gang = false;              // something asks that all pods start together
  bool roles_are_even = false;        // roles that are the same but for their number are one
  bool roles_are_named = false;       // even one role is not what a build makes of equal nodes
  bool has_programs = false;          // each role is a program with names and ranks of its own
  bool has_template = true;           // for pods; else the kind has fields of its own
  bool ours = false;                  // made by Trainyard, whose defaults are known
  bool by_mpirun = false;             // a launcher of ours starts the ranks of all pods
  std::set<std::string> exported;     // variables that its mpirun hands to the ranks
  std::set<std::string_view> passed;  // variables that the launcher has of the nodes alone
  View nodes;                         // the container of the pods that mpirun starts ranks on
  std::string_view framework = {};    // that the kind stands for; "" where it has to be guessed
  std::string_view container = {};    // the name that the controller asks for; "" for none
  std::int64_t port = 29500;          // at which the kind lets ranks meet unless told otherwise
  /// Whether the controller gives the pods a variable, whatever their template says.
  std::function<bool(std::string_view variable)> injects = [](std::string_view) { return false; };
  std::map<std::string_view, std::string_view> labels;  // that the job has and gives to its pods

  std::set<std::string> fabrics;  // of roles with GPUs, as their pods have them; "" for none
  std::vector<FabricLook> looks;
  /// A variable that tells a role where the others are.
  struct TfConfig {
    View value;
    std::string role;
  };
  std::vector<TfConfig> tf_configs;
  std::vector<View> worker_counts;  // variables that say how many processes XGBoost has in all
  bool launcher_works = false;      // that of mpirun is a node, too
  std::vector<View> least_pods;     // what says how many pods start together
  NodeId metadata = kNoNode;
  NodeId shared = kNoNode;  // fields that the job alone has
  std::vector<ConvertedRole> roles;
  /// What the pods of a role have of something that a spec says once (convert/role_values.h).
  struct RoleValue {
    NodeId role = kNoNode;                // its fields
    std::vector<std::string_view> field;  // of the spec
    NodeId value = kNoNode;
    View from;
    std::function<void(NodeId fields)> own;  // says it of the role alone
  };
  std::vector<RoleValue> role_values;
  /// The security contexts of a role, until the level of the job is known.
  struct SecurityOfRole {
    struct Given {
      std::string_view key;
      View value;
    };
    NodeId role = kNoNode;  // its fields
    std::string role_name;
    std::string_view level;           // that comes closest; "" where nothing is known
    bool builds_at_baseline = false;  // unless the spec says the level: its image starts as root
    std::vector<Given> given;
  };
  std::vector<SecurityOfRole> securities;
  std::vector<NodeId> read_roles;  // the fields of those whose pod templates have been read
  /// Fields of roles that do not train and have no number, by name.
  std::vector<std::pair<std::string_view, NodeId>> further_roles;

  /// An object of the input by kind and name; those in another namespace are others.
  View find(std::string_view group, std::string_view kind, std::string_view name) const;

  bool several_pods() const { return pods > 1; }
  /// With how many pods a gang of this job starts: with fewer than all where it is elastic.
  std::int64_t fewest_pods() const;
  /// The pods whose ranks meet those of this role.
  std::int64_t meeting(const ConvertedRole& role) const {
    return role.has_rank ? pods - without_rank : 1;
  }

  /// A field that all roles have in common. False when it has another value already, which is
  /// reported at `from`.
  bool share(std::span<const std::string_view> path, NodeId value, View from);
  bool share(std::initializer_list<std::string_view> path, NodeId value, View from) {
    return share(std::span(path.begin(), path.size()), value, from);
  }
  void share_copy(std::initializer_list<std::string_view> path, View value);
  /// What was shared there, or an empty view.
  View shared_at(std::initializer_list<std::string_view> path) const;

  /// Says a value of the object itself, outside of its pods, by a patch for the target of its kind.
  void patch(std::string_view target, std::initializer_list<std::string_view> path, View value);

  /// Takes a value as it is into `map`.
  void carry(NodeId map, std::string_view key, View value);
  /// The same under its own key, which is read when the tree has grown: `value` may be in it.
  void carry(NodeId map, View value) { carry(map, value->key, value); }

  NodeId text(std::string_view value) { return maker.text(value, kNoOrigin); }
  NodeId number(std::int64_t value) { return maker.number(value, kNoOrigin); }
  NodeId truth(bool value) { return maker.truth(value, kNoOrigin); }
  NodeId map() { return maker.map(kNoOrigin); }
  NodeId list() { return maker.list(kNoOrigin); }
  NodeId map_at(NodeId map, std::string_view key) { return maker.map_at(map, key, kNoOrigin); }
  NodeId list_at(NodeId map, std::string_view key) { return maker.list_at(map, key, kNoOrigin); }
};

/// `3600` as `1h`: a length of time as the language writes it.
std::string duration_text(std::int64_t seconds);

/// The host of rank 0 of this job, by whatever controller: its first label is the name of the job,
/// perhaps the role, and ends in the index 0.
bool is_first_host(const Conversion& job, std::string_view host);

}  // namespace trainyard
