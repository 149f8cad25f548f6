#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plan/release.h"
#include "rules/data_address.h"
#include "rules/data_command.h"
#include "rules/data_containers.h"
#include "rules/data_sharing.h"
#include "rules/host_names.h"
#include "rules/mounts.h"
#include "rules/paths.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/sha256.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

/// An archive until it is unpacked; a store leaves files of such names behind.
constexpr std::string_view kArchive = ".trainyard-archive";
constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

/// Builds the containers that move the data of one job.
class Mover {
 public:
  explicit Mover(RuleContext& context)
      : context_(context), tree_(context.tree()), sharing_(context), containers_(context) {}

  void build() {
    const std::vector<DataMove> inputs = moves(context_.plan.inputs, true);
    const std::vector<DataMove> outputs = moves(context_.plan.outputs, false);
    for (const DataMove& move : inputs) place(move);
    for (const DataMove& move : outputs) place(move);
    if (failed_) return;
    std::vector<DataMove> fetched_before;
    for (const DataMove& move : inputs) {
      if (fetches_before(move)) {
        fetched_before.push_back(move);
        continue;
      }
      for (RoleInput& input : context_.roles) {
        if (sharing_.takes_part(input)) fetch(move, input);
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

  // --- what is to be moved

  /// An address with an extension may be that of one object; with the same extension, `path` names
  /// the file. A slash at the end of either says that it is a directory.
  static DataMove make_move(const DataPlan& data, const TransferSpec& way, bool fetches) {
    DataMove move;
    move.data = &data;
    move.way = &way;
    move.path = plain_path(*data.path);
    move.folder = move.path;
    move.fetches = fetches;
    const DataAddress address = split_address(*data.uri);
    const std::string_view from = last_step(address.inner.empty() ? address.item : address.inner);
    const std::string_view extension = extension_of(from);
    const bool may_be_file =
        way.fetch_file && !address.is_prefix &&
        (!address.inner.empty() ||
         (address.version.empty() && *data.scheme != "hf" && !extension.empty()));
    if (!may_be_file) return move;
    if (data.unpack) {
      move.file = move.path + "/" + std::string(kArchive);
      return move;
    }
    const std::string_view to = last_step(move.path);
    move.is_file = !data.path->ends_with('/') &&
                   (extension.empty() ? to == from : extension_of(to) == extension);
    move.file = move.is_file ? move.path : move.path + "/" + std::string(from);
    if (move.is_file) move.folder = move.path.substr(0, move.path.rfind('/'));
    return move;
  }

  std::vector<DataMove> moves(const std::vector<DataPlan>& list, bool fetches) {
    std::vector<DataMove> result;
    for (const DataPlan& data : list) {
      const Transfer* transfer = context_.in.transfers->find(*data.scheme);
      if (transfer == nullptr) {
        unknown_scheme(data);
        continue;
      }
      DataMove move = make_move(data, *transfer->spec, fetches);
      move.name = (fetches ? "fetch-" : "store-") + std::to_string(result.size());
      check(move);
      if (has_place(move) && stands_apart(move, result)) result.push_back(std::move(move));
    }
    return result;
  }

  /// Two inputs in one directory would be taken for one another: each is there once something is.
  bool stands_apart(const DataMove& move, const std::vector<DataMove>& before) {
    if (!move.fetches) return true;
    for (const DataMove& other : before) {
      if (!is_within(move.path, other.path) && !is_within(other.path, move.path)) continue;
      refuse(
          DiagnosticKind::DataPlace, move.data->path,
          code(move.path) + " and " + code(other.path) + " of another input are within each other")
          .also(context_.place(other.data->path.origin), "the other input")
          .note("give each input a directory of its own, or one file");
      return false;
    }
    return true;
  }

  void unknown_scheme(const DataPlan& data) {
    failed_ = true;
    if (*data.scheme == "nemo") return;  // a limit of the target, which says so
    std::string known;
    for (const std::string& name : context_.in.transfers->names()) {
      known += (known.empty() ? "" : ", ") + code(name);
    }
    Diagnostic& report =
        refuse(DiagnosticKind::DataAddress, data.uri,
               "nothing is known that moves data of the scheme " + code(*data.scheme));
    if (const std::string meant = address_of_other_tool(*data.uri); !meant.empty()) {
      report.fix(context_.place(data.uri.origin), "\"" + meant + "\"", "write " + code(meant));
    }
    if (*data.scheme == "gs") {
      report.note(
          "Cloud Storage takes requests of S3 at `endpoint: https://storage.googleapis.com`, with "
          "HMAC keys in `credentials`");
    }
    report.note("known schemes are " + known + "; another is a file `data/" +
                std::string(*data.scheme) + ".yaml` below `--templates`");
  }

  bool has_place(const DataMove& move) {
    if (move.is_file && !move.fetches) {
      refuse(DiagnosticKind::DataPlace, move.data->path,
             code(move.path) + " names a file; an output is a directory, with all that is in it")
          .note("name the directory; where it is one, end `uri` with `/`");
      return false;
    }
    if (!goes_up(*move.data->path) && move.path != "/" && !move.folder.empty()) return true;
    refuse(DiagnosticKind::DataPlace, move.data->path,
           code(*move.data->path) +
               " is no directory for data; expected one below the root, "
               "without `..`");
    return false;
  }

  void check(const DataMove& move) {
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
    if (data.unpack && !way.fetch_file) {
      refuse(DiagnosticKind::DataAddress, data.uri,
             "data of the scheme " + code(*data.scheme) +
                 " cannot be unpacked: its Transfer has no `fetchFile`");
    }
    if (containers_.image(move) == nullptr) {
      refuse(DiagnosticKind::MissingFact, data.uri,
             "no image is known that moves data of the scheme " + code(*data.scheme))
          .note("name one that has a shell and " + std::string(*way.tool) + " in the Cluster, " +
                code("data: {images: {" + std::string(*data.scheme) + ": ...}}"));
    }
  }

  // --- where it is

  /// A directory on no mount becomes one that the containers of the pod share.
  void place(const DataMove& move) {
    for (RoleInput& input : context_.roles) {
      if (!sharing_.takes_part(input)) continue;
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

  void add_scratch(const DataMove& move, Role& role) {
    const OriginId origin = because(move.data->path);
    const std::string_view volume =
        context_.text(move.fetches ? "input" : "output", move.name.substr(move.name.find('-')));
    context_.add_volume(role, volume, "emptyDir", tree_.add_map(origin), origin);
    VolumeMount mount;
    mount.volume = volume;
    mount.path = context_.text(move.path);
    if (move.is_file) mount.sub_path = context_.text(last_step(move.path));
    mount.origin = origin;
    context_.add_mount(role, mount);
  }

  // --- who does it

  Turn turn_to_fetch(const Role& role, const DataMove& move) {
    if (!sharing_.is_shared_by_pods(role, move) || sharing_.pods_with(role, move) < 2) return {};
    const Role* one = sharing_.fetching(role, move);
    if (one != &role) return {Turn::Who::None, ""};
    if (sharing_.is_single(role)) return {};
    if (context_.in.target->master_host.empty()) {
      refuse(DiagnosticKind::DataPlace, move.data->path,
             "several pods share " + code(move.path) + ", and none of them can be chosen to fetch")
          .note("give each pod storage of its own there");
    }
    return {Turn::Who::Named, sharing_.first_pod(role)};
  }

  /// Another address at the same place is fetched anew.
  static std::string mark_of(const DataMove& move) {
    const DataPlan& data = *move.data;
    Sha256 hash;
    hash.update_field(*data.uri);
    hash.update_field(*data.revision);
    hash.update_field(*data.endpoint);
    if (move.is_file) hash.update_field(move.path);  // beside others in one directory
    if (data.unpack) hash.update_field("unpack");
    return ".trainyard-" + hash.finish_hex().substr(0, 8);
  }

  static Fetch fetch_of(const DataMove& move, const Turn& turn) {
    const bool has_name = move.is_file || move.data->unpack;
    return {literal_argument(move.folder), mark_of(move), turn,
            has_name ? literal_argument(move.file) : std::string(), move.data->unpack.is_set};
  }

  void fetch(const DataMove& move, RoleInput& input) {
    Role& role = *input.role;
    const Turn turn = turn_to_fetch(role, move);
    const Fetch fetch = fetch_of(move, turn);
    const NodeId result =
        containers_.container(role, move, fetch_words(fetch, containers_.words(move)), turn.who);
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
    const auto longest = static_cast<std::size_t>(target.longest_name(alone, false));
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
  void add_step(Role& role, const Role& of_program, const DataMove& move,
                const std::vector<std::string>& command) {
    const std::string_view volume = mount_of(of_program, move.path)->volume;
    if (volume_of(role, volume) == nullptr) role.volumes.push_back(*volume_of(of_program, volume));
    if (!role.sidecars.empty()) {
      role.init_containers.push_back(role.sidecars.back());
      role.sidecars.pop_back();
    }
    const NodeId step = containers_.container(of_program, move, command, Turn::Who::All);
    role.sidecars.push_back({step, because(move.data->uri), true});
  }

  /// Whether nodes other than those of the program can write to the directory before it starts. A
  /// claim that may be for one node only could be bound to the wrong one.
  bool is_open_to_all_nodes(const Role& role, const DataMove& move) const {
    if (!sharing_.is_shared_by_pods(role, move)) return false;
    const std::string_view volume = mount_of(role, move.path)->volume;
    if (source_of(context_.plan, role, volume) != "persistentVolumeClaim") return true;
    if (sharing_.pods_with(role, move) > 1) return true;
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
  bool fetches_before(const DataMove& move) const {
    const TargetFacts& target = *context_.in.target;
    if (context_.roles.size() != 1) return false;
    const Role& role = *context_.roles.front().role;
    return role.gpus && *role.gpus > 0 &&
           has_pod_of_its_own(target.fetching_role, target.fetching_since) &&
           is_open_to_all_nodes(role, move);
  }

  void fetch_before(const std::vector<DataMove>& inputs) {
    Role& of_program = *context_.roles.front().role;
    const OriginId origin = because(inputs.front().data->uri);
    Role role = single_pod(context_.in.target->fetching_role, of_program, origin);
    context_.set(of_program.follows, role.name, origin);
    for (const DataMove& move : inputs) {
      const Fetch fetch = fetch_of(move, {});
      add_step(role, of_program, move, fetch_words(fetch, containers_.words(move)));
    }
    context_.plan.before.push_back(std::move(role));
  }

  /// A step afterwards waits for success. With a runtime the Job of the program has the time to
  /// live, and one that is gone before the other has ended is made again. Where mpirun starts the
  /// ranks, the job ends with its launcher.
  bool stores_afterwards(const std::vector<DataMove>& outputs) const {
    const TargetFacts& target = *context_.in.target;
    const Role& role = *first_ranked(context_).role;
    if (target.runtimes && (context_.spec.lifecycle->ttl || started_by_mpirun(context_))) {
      return false;
    }
    return has_pod_of_its_own(target.storing_role, target.storing_since) &&
           std::ranges::all_of(outputs, [&](const DataMove& move) {
             return !move.data->after_failure && sharing_.is_shared_by_pods(role, move);
           });
  }

  void store_afterwards(const std::vector<DataMove>& outputs) {
    const Role& of_program = *first_ranked(context_).role;
    const OriginId origin = because(outputs.front().data->uri);
    Role role = single_pod(context_.in.target->storing_role, of_program, origin);
    context_.set(role.waits_for, of_program.name, origin);
    for (const DataMove& move : outputs) {
      add_step(role, of_program, move, store_words(containers_.words(move)));
    }
    context_.plan.after.push_back(std::move(role));
  }

  // --- storing beside the program

  void store_beside(const std::vector<DataMove>& outputs) {
    const RoleInput& input = first_ranked(context_);
    Role& role = *input.role;
    if (!can_wait(outputs, role)) return;
    const Turn turn =
        sharing_.is_single(role) ? Turn{} : Turn{Turn::Who::Named, sharing_.first_pod(role)};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const DataMove& move = outputs[i];
      const StoreAfter after = move.data->after_failure ? StoreAfter::AnyEnd : StoreAfter::Success;
      const auto command = store_after_words(i, after, turn, containers_.words(move));
      const NodeId result = containers_.container(role, move, command, turn.who);
      const OriginId origin = because(move.data->uri);
      const NodeId mount = containers_.pair("name", kResultVolume, origin);
      tree_.append(mount, "mountPath", string(kResultFolder, origin));
      tree_.append(tree_.find(result, "volumeMounts"), mount);
      role.sidecars.push_back({result, origin, true});
    }
    await(outputs, role);
  }

  bool can_wait(const std::vector<DataMove>& outputs, const Role& role) {
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
    for (const DataMove& move : outputs) {
      if (!context_.plan.elastic.max_nodes || sharing_.is_shared_by_pods(role, move)) continue;
      refuse(DiagnosticKind::DataPlace, move.data->path,
             code(move.path) +
                 " is each pod's own, and which pod of an elastic job has rank 0 is "
                 "not known before")
          .note("mount a claim there in `storage`");
    }
    return !failed_;
  }

  /// The program behind a shell that tells how it has ended.
  void await(const std::vector<DataMove>& outputs, Role& role) {
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
  DataSharing sharing_;
  DataContainers containers_;
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
    "outputs are stored once it has ended well, or in any way where the spec asks for that.",
    "Containers of a pod share its volumes and not its credentials. Two pods that fetch into one "
    "directory spoil each other's files, and a container beside the program does not learn how "
    "that ended (kubernetes/kubernetes pkg/kubelet/kuberuntime).",
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
