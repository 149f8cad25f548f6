#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan/release.h"
#include "rules/data_command.h"
#include "rules/host_names.h"
#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

/// An input or an output together with what moves it.
struct Move {
  const DataPlan* data = nullptr;
  const TransferSpec* way = nullptr;
  std::string name;  // of the container
  std::string path;
  bool fetches = false;
};

/// A value as an argument of a container, in which `$(NAME)` would be the variable's value.
std::string literal(std::string_view value) {
  return expanded(value, "$(", "$$(");
}

/// A name in braces, and the value that stands for it.
using Hole = std::pair<std::string_view, std::string_view>;

/// A word with its holes filled; what looks like a hole within a value is none.
std::string filled(std::string_view word, std::span<const Hole> holes) {
  std::string result;
  while (!word.empty()) {
    const auto hole =
        std::ranges::find_if(holes, [&](const Hole& each) { return word.starts_with(each.first); });
    if (hole != holes.end()) {
      result += literal(hole->second);
      word.remove_prefix(hole->first.size());
    } else {
      result += word.front();
      word.remove_prefix(1);
    }
  }
  return result;
}

/// The volume is one and the same in all pods that have it.
bool is_shared(std::string_view source) {
  return source == "persistentVolumeClaim" || source == "nfs" || source == "csi";
}

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

/// Builds the containers that move the data of one job.
class Mover {
 public:
  explicit Mover(RuleContext& context) : context_(context), tree_(context.tree()) {}

  void build() {
    const std::vector<Move> inputs = moves(context_.plan.inputs, true);
    const std::vector<Move> outputs = moves(context_.plan.outputs, false);
    for (const Move& move : inputs) place(move);
    for (const Move& move : outputs) place(move);
    if (failed_) return;
    std::vector<Move> fetched_before;
    for (const Move& move : inputs) {
      if (fetches_before(move)) {
        fetched_before.push_back(move);
        continue;
      }
      for (RoleInput& input : context_.roles) {
        if (takes_part(input)) fetch(move, input);
      }
    }
    if (!fetched_before.empty()) fetch_before(fetched_before);
    if (outputs.empty()) return;
    if (stores_afterwards(outputs)) {
      store_afterwards(outputs);
    } else {
      store_beside(outputs);
    }
  }

 private:
  template <class... Values>
  OriginId because(const Values&... values) const {
    return context_.because({values.origin...});
  }
  NodeId string(std::string_view value, OriginId origin) { return tree_.add_string(value, origin); }
  Diagnostic& refuse(DiagnosticKind kind, const Field<std::string_view>& field,
                     std::string message) {
    failed_ = true;
    return context_.report(kind, context_.place(field.origin), std::move(message));
  }

  /// A pod that only starts the others has none of their storage.
  bool takes_part(const RoleInput& input) const { return !runs_mpirun_only(context_, input); }

  // --- what is to be moved

  std::vector<Move> moves(const std::vector<DataPlan>& list, bool fetches) {
    std::vector<Move> result;
    for (const DataPlan& data : list) {
      const Transfer* transfer = context_.in.transfers->find(*data.scheme);
      if (transfer == nullptr) {
        unknown_scheme(data);
        continue;
      }
      Move move{&data, &*transfer->spec, "", plain_path(*data.path), fetches};
      move.name = (fetches ? "fetch-" : "store-") + std::to_string(result.size());
      check(move);
      if (has_place(move)) result.push_back(std::move(move));
    }
    return result;
  }

  void unknown_scheme(const DataPlan& data) {
    failed_ = true;
    if (*data.scheme == "nemo") return;  // a limit of the target, which says so
    std::string known;
    for (const std::string& name : context_.in.transfers->names()) {
      known += (known.empty() ? "" : ", ") + code(name);
    }
    refuse(DiagnosticKind::DataAddress, data.uri,
           "nothing is known that moves data of the scheme " + code(*data.scheme))
        .note("known schemes are " + known + "; another is a file `data/" +
              std::string(*data.scheme) + ".yaml` below `--templates`");
  }

  bool has_place(const Move& move) {
    if (!goes_up(*move.data->path) && move.path != "/") return true;
    refuse(DiagnosticKind::DataPlace, move.data->path,
           code(*move.data->path) +
               " is no directory for data; expected one below the root, "
               "without `..`");
    return false;
  }

  void check(const Move& move) {
    const DataPlan& data = *move.data;
    const TransferSpec& way = *move.way;
    if (!(move.fetches ? way.fetch : way.store)) {
      refuse(DiagnosticKind::DataAddress, data.uri,
             "data of the scheme " + code(*data.scheme) + " cannot be " +
                 (move.fetches ? "fetched" : "stored"));
    }
    if (data.endpoint && !way.endpoint) {
      refuse(DiagnosticKind::DataAddress, data.endpoint,
             "the service of the scheme " + code(*data.scheme) + " cannot be another one");
    }
    if (data.revision && !way.revision) {
      refuse(DiagnosticKind::DataAddress, data.revision,
             "data of the scheme " + code(*data.scheme) + " has no revisions");
    }
    if (image(move) == nullptr) {
      refuse(DiagnosticKind::MissingFact, data.uri,
             "no image is known that moves data of the scheme " + code(*data.scheme))
          .note("name one that has a shell and " + std::string(*way.tool) + " in the Cluster, " +
                code("data: {images: {" + std::string(*data.scheme) + ": ...}}"));
    }
  }

  const Text* image(const Move& move) const {
    if (context_.in.cluster != nullptr) {
      const auto& known = *context_.in.cluster->spec->data->images;
      if (const Text* own = find(known, *move.data->scheme)) return own;
    }
    return move.way->image ? &move.way->image : nullptr;
  }

  // --- where it is

  /// A directory on no mount becomes one that the containers of the pod share.
  void place(const Move& move) {
    for (RoleInput& input : context_.roles) {
      if (!takes_part(input)) continue;
      const Shape& pod = context_.of(input, &RoleFields::pod);
      if (pod && mounts(context_.tree_of(pod.span), pod.node, move.path)) {
        refuse(DiagnosticKind::DataPlace, move.data->path,
               code(move.path) +
                   " is on a mount of `pod`, which the containers that move data do "
                   "not have")
            .also(pod.span, "the mount is in here")
            .note("mount it in `storage`");
        continue;
      }
      Role& role = *input.role;
      const VolumeMount* mount = mount_of(role, move.path);
      if (mount == nullptr) {
        add_scratch(move, role);
      } else if (const auto source = source_of(context_.plan, role, mount->volume);
                 mount->read_only || source == "configMap" || source == "secret") {
        refuse(DiagnosticKind::DataPlace, move.data->path,
               code(move.path) + " cannot be written: " + code(mount->volume) +
                   " is mounted read-only")
            .also(context_.place(mount->origin), "its mount");
      }
    }
  }

  void add_scratch(const Move& move, Role& role) {
    const OriginId origin = because(move.data->path);
    const std::string_view volume =
        context_.text(move.fetches ? "input" : "output", move.name.substr(move.name.find('-')));
    context_.add_volume(role, volume, "emptyDir", tree_.add_map(origin), origin);
    VolumeMount mount;
    mount.volume = volume;
    mount.path = context_.text(move.path);
    mount.origin = origin;
    context_.add_mount(role, mount);
  }

  bool is_shared_by_pods(const Role& role, const Move& move) const {
    const VolumeMount* mount = mount_of(role, move.path);
    return mount != nullptr && is_shared(source_of(context_.plan, role, mount->volume));
  }

  bool is_same_volume(const Role& a, const Role& b, const Move& move) const {
    const Volume* left = volume_of(a, mount_of(a, move.path)->volume);
    const Volume* right = volume_of(b, mount_of(b, move.path)->volume);
    return left != nullptr && right != nullptr &&
           equal(tree_, left->fragment, tree_, right->fragment);
  }

  // --- who does it

  bool is_single(const Role& role) const {
    return *role.replicas == 1 && !context_.plan.elastic.max_nodes;
  }

  /// The role that fetches for all that have its volume: one that waits for no other, rank 0's for
  /// choice, and not the one behind sshd that starts when all others run.
  const Role* fetching(const Role& role, const Move& move) const {
    const Role* found = nullptr;
    int best = -1;
    for (const RoleInput& input : context_.roles) {
      const Role& other = *input.role;
      if (!takes_part(input) || !is_shared_by_pods(other, move)) continue;
      if (!is_same_volume(role, other, move)) continue;
      const bool ranked_first = other.first_rank && *other.first_rank == 0;
      const bool waits = other.waits_for || (input.is_coordinator && started_by_mpirun(context_));
      const bool can_be_told = is_single(other) || !context_.in.target->master_host.empty();
      const int score = (waits ? 0 : 4) + (can_be_told ? 2 : 0) + (ranked_first ? 1 : 0);
      if (score <= best) continue;
      best = score;
      found = &other;
    }
    return found;
  }

  /// The name of the first pod of a role, as its controller makes it.
  std::string first_pod(const Role& role) const {
    const std::string host =
        expanded(expanded(context_.in.target->master_host, "{job}", *context_.plan.name), "{role}",
                 role.name);
    return host.substr(0, host.find('.'));
  }

  std::int64_t pods_with(const Role& role, const Move& move) const {
    std::int64_t pods = 0;
    for (const RoleInput& input : context_.roles) {
      const Role& other = *input.role;
      if (!takes_part(input) || !is_shared_by_pods(other, move)) continue;
      if (is_same_volume(role, other, move)) {
        pods += is_single(other) ? 1 : std::max<std::int64_t>(2, *other.replicas);
      }
    }
    return pods;
  }

  Turn turn_to_fetch(const Role& role, const Move& move) {
    if (!is_shared_by_pods(role, move) || pods_with(role, move) < 2) return {};
    const Role* one = fetching(role, move);
    if (one != &role) return {Turn::Who::None, ""};
    if (is_single(role)) return {};
    if (context_.in.target->master_host.empty()) {
      refuse(DiagnosticKind::DataPlace, move.data->path,
             "several pods share " + code(move.path) + ", and none of them can be told to fetch")
          .note("give each pod storage of its own there");
    }
    return {Turn::Who::Named, first_pod(role)};
  }

  // --- the containers

  std::vector<std::string> words(const Move& move) const {
    const DataPlan& data = *move.data;
    const TransferSpec& way = *move.way;
    const std::string_view said = data.kind ? *data.kind : *way.default_kind;
    const Text* kind = find(*way.kinds, said);
    if (kind == nullptr) kind = find(*way.kinds, *way.default_kind);
    const Hole holes[] = {
        {"{uri}", *data.uri},
        {"{path}", move.path},
        {"{owner}", *data.owner},
        {"{item}", *data.item},
        {"{version}", *data.version},
        {"{revision}", *data.revision},
        {"{kind}", kind == nullptr ? std::string_view() : **kind},
    };
    std::vector<std::string> result;
    const auto add = [&](const TextList& list) {
      for (const Text& word : *list) {
        result.push_back(filled(*word, holes));
      }
    };
    add(move.fetches ? way.fetch : way.store);
    if (data.revision) add(way.revision);
    return result;
  }

  NodeId pair(std::string_view key, std::string_view value, OriginId origin) {
    const NodeId map = tree_.add_map(origin);
    tree_.append(map, key, string(value, origin));
    return map;
  }

  NodeId variable(std::string_view name, std::string_view value, OriginId origin) {
    const NodeId entry = pair("name", name, origin);
    tree_.append(entry, "value", string(value, origin));
    return entry;
  }

  NodeId variables(const Move& move, bool asks_for_name) {
    const NodeId list = tree_.add_seq();
    for (const auto& entry : *move.way->env) {
      const OriginId origin = context_.because({context_.from(entry.value)});
      tree_.append(list, variable(entry.key, *entry.value, origin));
    }
    if (move.data->endpoint) {
      tree_.append(list, variable(*move.way->endpoint, context_.text(literal(*move.data->endpoint)),
                                  move.data->endpoint.origin));
    }
    if (asks_for_name) {
      const OriginId origin = because(context_.plan.multi_node);
      const NodeId entry = pair("name", kPodName, origin);
      const NodeId from = tree_.add_map(origin);
      tree_.append(from, "fieldRef", pair("fieldPath", "metadata.name", origin));
      tree_.append(entry, "valueFrom", from);
      tree_.append(list, entry);
    }
    return list;
  }

  /// The Secret's keys as variables, in this container alone.
  NodeId credentials(const Move& move) {
    const OriginId origin = move.data->credentials.origin;
    const NodeId source = tree_.add_map(origin);
    tree_.append(source, "secretRef", pair("name", *move.data->credentials, origin));
    const NodeId list = tree_.add_seq(origin);
    tree_.append(list, source);
    return list;
  }

  NodeId resources(const Move& move) {
    const auto amounts = [&] {
      const NodeId map = tree_.add_map();
      for (const auto& [key, amount] :
           {std::pair{"cpu", &move.way->cpu}, std::pair{"memory", &move.way->memory}}) {
        if (!*amount) continue;
        tree_.append(map, key, string(**amount, context_.because({context_.from(*amount)})));
      }
      return map;
    };
    const NodeId result = tree_.add_map();
    tree_.append(result, "requests", amounts());
    tree_.append(result, "limits", amounts());
    return result;
  }

  bool says(const Fragment& security, std::string_view key, std::string_view value) const {
    return security.is_set && View(tree_, *security)[key].text() == value;
  }

  /// No more rights than the program has, and as few as do; root may need its own to write where
  /// others do.
  NodeId security(const Role& role, const Move& move) {
    const OriginId origin = context_.because({role.pod_security.origin});
    const NodeId result = tree_.add_map(origin);
    const bool without_root = says(role.pod_security, "runAsNonRoot", "true") ||
                              says(role.container_security, "runAsNonRoot", "true");
    const bool has_user =
        role.pod_security.is_set && View(tree_, *role.pod_security)["runAsUser"].text() != "";
    if (without_root) {
      if (!has_user && move.way->user) {
        tree_.append(
            result, "runAsUser",
            tree_.add_int(*move.way->user, context_.because({context_.from(move.way->user)})));
      }
      tree_.append(result, "runAsNonRoot", tree_.add_bool(true, origin));
    }
    tree_.append(result, "allowPrivilegeEscalation", tree_.add_bool(false, origin));
    if (without_root) {
      const NodeId dropped = tree_.add_seq(origin);
      tree_.append(dropped, string("ALL", origin));
      const NodeId capabilities = tree_.add_map(origin);
      tree_.append(capabilities, "drop", dropped);
      tree_.append(result, "capabilities", capabilities);
    }
    return result;
  }

  NodeId mount_list(const Role& role, const Move& move) {
    const VolumeMount& mount = *mount_of(role, move.path);
    const OriginId origin = context_.because({mount.origin});
    const NodeId entry = pair("name", mount.volume, origin);
    tree_.append(entry, "mountPath", string(mount.path, origin));
    if (!mount.sub_path.empty()) tree_.append(entry, "subPath", string(mount.sub_path, origin));
    if (!move.fetches) tree_.append(entry, "readOnly", tree_.add_bool(true, origin));
    const NodeId list = tree_.add_seq(origin);
    tree_.append(list, entry);
    return list;
  }

  /// One that only waits needs nothing of what the others are told.
  NodeId container(const Role& role, const Move& move, const std::vector<std::string>& command,
                   Turn::Who who) {
    const OriginId origin = because(move.data->uri, move.data->path);
    const NodeId result = pair("name", context_.text(move.name), origin);
    const Text& from = *image(move);
    tree_.append(result, "image", string(*from, context_.because({context_.from(from)})));
    const NodeId list = tree_.add_seq(origin);
    for (const std::string& word : command) {
      tree_.append(list, string(context_.text(word), origin));
    }
    tree_.append(result, "command", list);
    if (who != Turn::Who::None) {
      if (move.data->credentials) tree_.append(result, "envFrom", credentials(move));
      tree_.append(result, "env", variables(move, who == Turn::Who::Named));
    }
    tree_.append(result, "resources", resources(move));
    tree_.append(result, "securityContext", security(role, move));
    tree_.append(result, "volumeMounts", mount_list(role, move));
    return result;
  }

  /// Another address at the same place is fetched anew.
  static std::string mark_of(const DataPlan& data) {
    Sha256 hash;
    hash.update_field(*data.uri);
    hash.update_field(*data.revision);
    hash.update_field(*data.endpoint);
    return ".trainyard-" + hash.finish_hex().substr(0, 8);
  }

  void fetch(const Move& move, RoleInput& input) {
    Role& role = *input.role;
    const Turn turn = turn_to_fetch(role, move);
    const Fetch fetch{literal(move.path), mark_of(*move.data), turn};
    const NodeId result = container(role, move, fetch_words(fetch, words(move)), turn.who);
    role.init_containers.push_back({result, because(move.data->uri), true});
  }

  // --- in a pod of its own

  /// Whether the controller starts the pod in time. Schedulers that place gangs count the pods of a
  /// job in their own ways, and a domain that is kept for the job may have no room for one more.
  bool has_pod_of_its_own(std::string_view name, std::string_view since) const {
    const TargetFacts& target = *context_.in.target;
    if (name.empty() || context_.has_role(name)) return false;
    const auto needed = release(since);
    if (needed && context_.in.release && *context_.in.release < *needed) return false;
    if (first_ranked(context_).role->scheduler) return false;
    const RoleCount alone[] = {{name, 1}};
    const auto longest = static_cast<std::size_t>(target.longest_name(alone));
    if ((*context_.plan.name).size() > longest) return false;  // too long for the name of that pod
    const auto names_domain = [&](const NamedValue& annotation) {
      return annotation.name == target.exclusive_topology;
    };
    return std::ranges::none_of(context_.plan.workload_annotations, names_domain) &&
           std::ranges::none_of(context_.plan.runtime.annotations, names_domain);
  }

  /// Such a pod, which has of the program's what is no matter of training. It may land on another
  /// node, but in the same zone, where the volume can be reached.
  Role single_pod(std::string_view name, const Role& of_program, OriginId origin) {
    Role role;
    role.name = name;
    role.trains = false;
    context_.set(role.replicas, std::int64_t{1}, origin);
    for (const NamedValue& label : context_.plan.labels) role.pod_labels.push_back(label);
    for (const NamedValue& label : of_program.node_selector) {
      if (label.name == kZoneLabel) role.node_selector.push_back(label);
    }
    role.pod_security = of_program.pod_security;
    role.service_account = of_program.service_account;
    role.mount_token = of_program.mount_token;
    role.service_links = of_program.service_links;
    role.image_pull_secrets = of_program.image_pull_secrets;
    role.priority_class = of_program.priority_class;
    role.tolerations = of_program.tolerations;
    context_.set(role.restart_policy, context_.in.target->restart_policy, origin);
    return role;
  }

  /// One step of it after the other, the last of them being the program of the pod.
  void add_step(Role& role, const Role& of_program, const Move& move,
                const std::vector<std::string>& command) {
    const std::string_view volume = mount_of(of_program, move.path)->volume;
    if (volume_of(role, volume) == nullptr) role.volumes.push_back(*volume_of(of_program, volume));
    if (!role.sidecars.empty()) {
      role.init_containers.push_back(role.sidecars.back());
      role.sidecars.pop_back();
    }
    const NodeId step = container(of_program, move, command, Turn::Who::All);
    role.sidecars.push_back({step, because(move.data->uri), true});
  }

  /// Whether nodes other than those of the program can write to the directory before it starts. A
  /// claim that may be for one node only could be bound to the wrong one.
  bool is_open_to_all_nodes(const Role& role, const Move& move) const {
    if (!is_shared_by_pods(role, move)) return false;
    const std::string_view volume = mount_of(role, move.path)->volume;
    if (source_of(context_.plan, role, volume) != "persistentVolumeClaim") return true;
    if (pods_with(role, move) > 1) return true;
    const View claim = View(tree_, volume_of(role, volume)->fragment)["persistentVolumeClaim"];
    const auto created =
        std::ranges::find(context_.plan.claims, claim["claimName"].text(), &ClaimPlan::name);
    if (created == context_.plan.claims.end()) return false;
    const View modes = View(tree_, *created->spec)["accessModes"];
    return std::ranges::any_of(tree_.children(modes.id()),
                               [&](NodeId mode) { return tree_[mode].text == "ReadWriteMany"; });
  }

  /// Of a job with one role: the controller numbers the pods of several through all parts of the
  /// job, and the one that fetches would be the first.
  bool fetches_before(const Move& move) const {
    const TargetFacts& target = *context_.in.target;
    if (context_.roles.size() != 1) return false;
    const Role& role = *context_.roles.front().role;
    return role.gpus && *role.gpus > 0 &&
           has_pod_of_its_own(target.fetching_role, target.fetching_since) &&
           is_open_to_all_nodes(role, move);
  }

  void fetch_before(const std::vector<Move>& inputs) {
    Role& of_program = *context_.roles.front().role;
    const OriginId origin = because(inputs.front().data->uri);
    Role role = single_pod(context_.in.target->fetching_role, of_program, origin);
    context_.set(of_program.follows, role.name, origin);
    for (const Move& move : inputs) {
      const Fetch fetch{literal(move.path), mark_of(*move.data), {}};
      add_step(role, of_program, move, fetch_words(fetch, words(move)));
    }
    context_.plan.before.push_back(std::move(role));
  }

  /// With a runtime the Job of the program has the time to live, and one that is gone before the
  /// other has ended is made again. Where mpirun starts the ranks, the job ends with its launcher.
  bool stores_afterwards(const std::vector<Move>& outputs) const {
    const TargetFacts& target = *context_.in.target;
    const Role& role = *first_ranked(context_).role;
    if (target.runtimes && (context_.spec.lifecycle->ttl || started_by_mpirun(context_))) {
      return false;
    }
    return has_pod_of_its_own(target.storing_role, target.storing_since) &&
           std::ranges::all_of(outputs,
                               [&](const Move& move) { return is_shared_by_pods(role, move); });
  }

  void store_afterwards(const std::vector<Move>& outputs) {
    const Role& of_program = *first_ranked(context_).role;
    const OriginId origin = because(outputs.front().data->uri);
    Role role = single_pod(context_.in.target->storing_role, of_program, origin);
    context_.set(role.waits_for, of_program.name, origin);
    for (const Move& move : outputs) {
      add_step(role, of_program, move, store_words(words(move)));
    }
    context_.plan.after.push_back(std::move(role));
  }

  // --- storing beside the program

  void store_beside(const std::vector<Move>& outputs) {
    const RoleInput& input = first_ranked(context_);
    Role& role = *input.role;
    if (!can_wait(outputs, role)) return;
    const Turn turn = is_single(role) ? Turn{} : Turn{Turn::Who::Named, first_pod(role)};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Move& move = outputs[i];
      const auto command = store_after_words(i, turn, words(move));
      const NodeId result = container(role, move, command, turn.who);
      const OriginId origin = because(move.data->uri);
      const NodeId mount = pair("name", kResultVolume, origin);
      tree_.append(mount, "mountPath", string(kResultFolder, origin));
      tree_.append(tree_.find(result, "volumeMounts"), mount);
      role.sidecars.push_back({result, origin, true});
    }
    await(outputs, role);
  }

  bool can_wait(const std::vector<Move>& outputs, const Role& role) {
    const Field<std::string_view>& first = outputs.front().data->uri;
    if (role.command.empty()) {
      refuse(DiagnosticKind::NoProgram, first,
             "the containers that store outputs wait for the end of a program")
          .note("the image's own entry point cannot be known here; give `run.command`");
    }
    if (outputs.size() > kMostWaiting) {
      refuse(DiagnosticKind::DataPlace, outputs[kMostWaiting].data->uri,
             std::to_string(outputs.size()) + " outputs; expected at most " +
                 std::to_string(kMostWaiting));
    }
    for (const Move& move : outputs) {
      if (!context_.plan.elastic.max_nodes || is_shared_by_pods(role, move)) continue;
      refuse(DiagnosticKind::DataPlace, move.data->path,
             code(move.path) +
                 " is each pod's own, and which pod of an elastic job has rank 0 is "
                 "not known before")
          .note("mount a claim there in `storage`");
    }
    return !failed_;
  }

  /// The program behind a shell that tells how it has ended.
  void await(const std::vector<Move>& outputs, Role& role) {
    const OriginId origin = because(outputs.front().data->uri);
    context_.add_volume(role, kResultVolume, "emptyDir", tree_.add_map(origin), origin);
    VolumeMount mount;
    mount.volume = kResultVolume;
    mount.path = kResultFolder;
    mount.origin = origin;
    context_.add_mount(role, mount);
    std::vector<CommandWord> wrapped;
    for (const std::string& word : awaited_program(outputs.size())) {
      wrapped.push_back({context_.text(word), origin});
    }
    wrapped.insert(wrapped.end(), role.command.begin(), role.command.end());
    role.command = std::move(wrapped);
  }

  RuleContext& context_;
  Tree& tree_;
  bool failed_ = false;
};

void run(RuleContext& context) {
  if (context.plan.inputs.empty() && context.plan.outputs.empty()) return;
  if (context.in.target->own_transfers || !context.in.target->pod_template) return;
  if (context.plan.runtime.exists) return;  // which has initializers
  Mover(context).build();
}

}  // namespace

extern const Rule data_transfer_rule{
    "data-transfer",
    Rule::Phase::Infer,
    "Inputs are there before the program starts, fetched once for all pods that share a directory; "
    "outputs are stored once it has ended well.",
    "Containers of a pod share its volumes and not its credentials. Two pods that fetch into one "
    "directory spoil each other's files, and a container beside the program is not told how that "
    "ended (kubernetes/kubernetes pkg/kubelet/kuberuntime).",
    "spec.data spec.pod spec.lifecycle.ttl plan.inputs plan.outputs plan.multiNode plan.elastic "
    "plan.name "
    "plan.runtime role.mounts "
    "role.volumes role.replicas role.command role.firstRank role.waitsFor role.podSecurity "
    "role.gpus role.nodeSelector plan.claims plan.runtimeAnnotations plan.workloadAnnotations "
    "role.containerSecurity role.scheduler cluster.data.images plan.labels target.rendezvous "
    "target.data target.mpirun target.names target.exclusiveTopology",
    "role.initContainers role.sidecars role.volumes role.mounts role.command role.follows "
    "plan.before plan.after",
    run};

}  // namespace trainyard
