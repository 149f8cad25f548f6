#include <algorithm>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "plan/release.h"
#include "rules/device_claims.h"
#include "rules/fabric_command.h"
#include "rules/fabric_sidecar.h"
#include "rules/fabric_use.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kLibraryPath = "LD_LIBRARY_PATH";

/// True when a list with colons between has this item.
bool has_directory(std::string_view list, std::string_view directory) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (list.substr(0, end) == directory) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// Puts the parts of one fabric into one role.
class Patch {
 public:
  Patch(RuleContext& context, RoleInput& input, const FabricUse& use)
      : context_(context),
        tree_(context.tree()),
        input_(input),
        role_(*input.role),
        use_(use),
        profile_(*use.profile) {}

  void apply() {
    host_network();
    networks();
    resources();
    claims();
    volumes();
    environment();
    rights();
    if (profile_.sidecar) add_fabric_sidecar(context_, role_, use_);
    command();
  }

 private:
  template <class T>
  OriginId because(const Located<T>& field) const {
    return context_.because({context_.from(field)});
  }

  const NetworkRequest& wanted() const { return *context_.of(input_, &RoleFields::network); }

  bool on_host() const {
    return profile_.host_network.value_or(false) || wanted().host_network.value_or(false);
  }

  void host_network() {
    if (!profile_.host_network.value_or(false)) return;
    const OriginId origin = context_.because(
        {context_.from(use_.settings->host_network), context_.from(profile_.host_network)});
    context_.set(role_.host_network, true, origin);
    context_.set(role_.dns_policy, std::string_view("ClusterFirstWithHostNet"), origin);
  }

  void annotate(std::string_view name, std::string_view value, OriginId origin) {
    context_.add(role_.pod_annotations, name, value, origin);
  }

  void networks() {
    const FabricNetworks& wanted = *profile_.networks;
    const TextList& named = fabric_networks(input_, use_);
    if (!profile_.networks || !named || named->empty()) return;
    const OriginId origin =
        context_.because({context_.from(named), context_.from(wanted.annotation)});
    if (wanted.default_annotation) {
      annotate(*wanted.default_annotation, *wanted.default_interface,
               because(wanted.default_interface));
    }
    const bool as_interfaces = *wanted.format == NetworksFormat::Interfaces;
    annotate(*wanted.annotation,
             context_.text(as_interfaces ? interfaces(wanted, *named) : network_list(*named)),
             origin);
  }

  /// JSON, one line for each interface.
  std::string interfaces(const FabricNetworks& wanted, const std::vector<Text>& named) const {
    const auto line = [](std::string_view interface, std::string_view network) {
      return R"(  {"interfaceName":")" + std::string(interface) + R"(","network":")" +
             std::string(network) + "\"}";
    };
    std::string json = "[\n" + line(*wanted.default_interface, *wanted.default_network);
    std::int64_t number = *wanted.first;
    std::size_t at = 0;
    const auto count = network_count(input_, use_);
    const auto has = static_cast<std::int64_t>(named.size());
    if (wanted.extra && count && has == *count + 1) {
      json += ",\n" + line("eth" + std::to_string(*wanted.extra), *named[at++]);
    }
    for (; at < named.size(); ++at) {
      json += ",\n" + line("eth" + std::to_string(number++), *named[at]);
    }
    return json + "\n]";
  }

  /// Names with commas between; a lone one as often as the pod has devices.
  std::string network_list(const std::vector<Text>& named) const {
    std::size_t times = 1;
    const bool counted = device_count_rule(use_) != FabricCount::One;
    const auto requests = device_requests(context_, input_, use_);
    if (named.size() == 1 && counted && requests.size() == 1) {
      times = static_cast<std::size_t>(requests[0].amount);
    }
    std::string list;
    for (std::size_t i = 0; i < times; ++i) {
      for (const Text& name : named) list += (list.empty() ? "" : ",") + std::string(*name);
    }
    return list;
  }

  void resources() {
    for (const DeviceRequest& device : device_requests(context_, input_, use_)) {
      const auto same = [&](const NamedValue& known) { return known.name == device.resource; };
      // What the job itself requests of it counts.
      if (std::ranges::any_of(role_.requests, same)) continue;
      const std::string_view amount = context_.number(device.amount);
      context_.add(role_.requests, device.resource, amount, device.origin);
      context_.add(role_.limits, device.resource, amount, device.origin);
    }
    const QuantityText& pages = use_.settings->huge_pages;
    if (!pages) return;
    if (!requests_processors_or_memory()) {
      context_
          .report(DiagnosticKind::FabricConstraint, context_.place(role_.gpus.origin),
                  "the Cluster wants huge pages for the fabric " + code(use_.name) +
                      ", and Kubernetes takes them only beside a request of CPU or memory")
          .also(pages.span, "the huge pages")
          .note(
              "give `resources.memory`; pods with all GPUs of a known machine have it by "
              "themselves");
      return;
    }
    context_.add(role_.requests, "hugepages-2Mi", *pages, because(pages));
    context_.add(role_.limits, "hugepages-2Mi", *pages, because(pages));
  }

  bool requests_processors_or_memory() const {
    return std::ranges::any_of(role_.requests, [](const NamedValue& each) {
      return each.name == "cpu" || each.name == "memory";
    });
  }

  void claims() {
    Plan& plan = context_.plan;
    for (const auto& devices : *profile_.device_claims) {
      const std::string_view name = context_.text(*plan.name, "-", *devices->name);
      const OriginId origin = because(devices->device_class);
      add_claim(context_, role_, *devices->name, name, origin);
      add_claim_template(context_,
                         {name, *devices->device_class, {}, device_count(*devices), origin});
    }
    if (!profile_.nvlink_domain.value_or(false)) return;
    const OriginId origin = because(profile_.nvlink_domain);
    const std::string_view channel = context_.text(*plan.name, "-imex");
    add_claim(context_, role_, "imex", channel, origin);
    context_.set(plan.nvlink.domain, *plan.name, origin);
    context_.set(plan.nvlink.channel, channel, origin);
    context_.set(plan.nvlink.nodes, nvlink_nodes(), origin);
  }

  std::int64_t device_count(const FabricDeviceClaim& devices) const {
    const Machine* machine = input_.nodes.machine;
    const Integer* of_machine =
        machine == nullptr ? nullptr : trainyard::find(*machine->claims, *devices.device_class);
    return of_machine != nullptr ? **of_machine : devices.count.value_or(1);
  }

  /// Drivers of 25.8 and later let pods start as they come; older ones want the number of nodes
  /// (NVIDIA/k8s-dra-driver-gpu api/nvidia.com/resource/v1beta1/computedomain.go).
  std::int64_t nvlink_nodes() const {
    if (context_.in.cluster == nullptr) return 0;
    const Text driver = operator_version(*context_.in.cluster, Operator::DraDriver);
    const auto version = driver ? release(*driver) : std::nullopt;
    if (!version || *version >= Release{25, 8, 0}) return 0;
    std::int64_t pods = 0;
    for (const Role& role : context_.plan.roles) pods += *role.gpus > 0 ? *role.replicas : 0;
    return pods;
  }

  void volumes() {
    if (profile_.volumes) {
      const Tree& source = context_.tree_of(profile_.volumes.span);
      for (NodeId volume : source.children(profile_.volumes.node)) {
        for (NodeId part : source.children(volume)) {
          if (source[part].key == "name") continue;
          context_.add_volume(role_, View(source, volume)["name"].text(), source[part].key,
                              context_.shape(source, part),
                              context_.because({context_.from(source[volume].span)}));
        }
      }
    }
    if (!profile_.mounts) return;
    const Tree& source = context_.tree_of(profile_.mounts.span);
    for (NodeId mount : source.children(profile_.mounts.node)) {
      const View from(source, mount);
      VolumeMount result;
      result.volume = from["name"].text();
      result.path = from["mountPath"].text();
      result.sub_path = from["subPath"].text();
      result.read_only = from["readOnly"].text() == "true";
      result.origin = context_.because({context_.from(from->span)});
      context_.add_mount(role_, result);
    }
  }

  const EnvVar* variable(std::string_view name) const {
    const auto found = std::ranges::find(role_.env, name, &EnvVar::name);
    return found == role_.env.end() ? nullptr : &*found;
  }

  void add_variable(std::string_view name, std::string_view value, OriginId origin) {
    EnvVar result;
    result.name = name;
    result.value = value;
    result.origin = origin;
    context_.add_env(role_, result);
  }

  /// A variable that the job may have otherwise.
  void add_default(std::string_view name, std::string_view value, OriginId origin) {
    if (variable(name) == nullptr) add_variable(name, value, origin);
  }

  void environment() {
    const TextMap& of_cluster = use_.settings->env;
    for (const auto& entry : *of_cluster) {
      add_default(entry.key, *entry.value, because(entry.value));
    }
    for (const auto& entry : *profile_.env) {
      if (find(*of_cluster, entry.key) != nullptr) continue;
      add_variable(entry.key, *entry.value, because(entry.value));
    }
    for (const auto& entry : *profile_.tuning) {
      if (find(*of_cluster, entry.key) != nullptr) continue;
      add_default(entry.key, *entry.value, because(entry.value));
    }
    library_path();
    interface();
  }

  void library_path() {
    if (!profile_.library_path) return;
    const EnvVar* own = variable(kLibraryPath);
    if (own == nullptr) {
      std::string path;
      for (const Text& directory : *profile_.library_path) {
        path += (path.empty() ? "" : ":") + std::string(*directory);
      }
      return add_variable(kLibraryPath, context_.text(path), because(profile_.library_path));
    }
    for (const Text& directory : *profile_.library_path) {
      if (!own->is_literal() || has_directory(own->value, *directory)) continue;
      context_
          .report(DiagnosticKind::FabricConstraint, context_.place(own->origin),
                  code(kLibraryPath) + " lacks " + code(*directory) + ", where the fabric " +
                      code(use_.name) + " has its libraries")
          .note("directories of the image's own go before it");
    }
  }

  /// The interface by which ranks meet. On the network of the node its name is unknown; settings
  /// of the node find it, unless the fabric names one beside them.
  void interface() {
    if (wanted().interface || on_host()) return;
    if (profile_.nccl_profile && !profile_.interface) return;
    const Text* name = &profile_.interface;
    if (context_.in.cluster != nullptr && context_.in.cluster->spec->network->interface) {
      name = &context_.in.cluster->spec->network->interface;
    }
    if (!*name) return;
    for (std::string_view each : kInterfaceVariables) {
      add_default(each, **name, because(*name));
    }
  }

  void rights() {
    for (const Text& capability : *profile_.capabilities) {
      const auto same = [&](const CommandWord& known) { return known.text == *capability; };
      if (std::ranges::any_of(role_.capabilities, same)) continue;
      role_.capabilities.push_back({*capability, because(capability)});
    }
    if (profile_.privileged.value_or(false)) {
      context_.set(role_.privileged, true, because(profile_.privileged));
    }
  }

  /// The command behind a shell that sources the node's settings, and tells the daemon of the end.
  /// Pods of Ray start what their controller writes, which the settings go before later; those
  /// that mpirun reaches start sshd, which never ends, and what their ranks run is the launcher's.
  void command() {
    if (context_.in.target->entrypoint) return;
    const bool by_mpirun = started_by_mpirun(context_);
    const bool tells_end = profile_.sidecar && has_plain_sidecar(use_) && !by_mpirun;
    if (!profile_.nccl_profile && !tells_end) return;
    const OriginId origin =
        profile_.nccl_profile ? because(profile_.nccl_profile) : because(use_.settings->sidecar);
    const RoleInput& starter = program_of(context_, input_);
    if (by_mpirun && calls_mpirun_itself(context_, starter)) return sources_itself(*starter.role);
    Role& program = *starter.role;
    if (program.command.empty()) {
      context_
          .report(DiagnosticKind::NoProgram, use_.place,
                  "the fabric " + code(use_.name) + " needs a program to start after its settings")
          .note("the image's own entry point cannot be known here; give `run.command`");
      return;
    }
    const std::vector<std::string> front = program_wrapper(*profile_.nccl_profile, tells_end);
    // One launcher starts the programs of several roles.
    const bool done = std::ranges::equal(front, program.command | std::views::take(front.size()),
                                         {}, {}, &CommandWord::text);
    if (done) return;
    std::vector<CommandWord> wrapped;
    for (const std::string& word : front) wrapped.push_back({context_.text(word), origin});
    wrapped.insert(wrapped.end(), program.command.begin(), program.command.end());
    program.command = std::move(wrapped);
  }

  /// Nothing can be put between an mpirun of the job's own and what it starts.
  void sources_itself(const Role& launcher) {
    const std::string_view file = *profile_.nccl_profile;
    const std::string_view name = file.substr(file.rfind('/') + 1);
    for (const auto* words : {&launcher.command, &launcher.args}) {
      for (const CommandWord& word : *words) {
        if (word.text.find(name) != std::string_view::npos) return;
      }
    }
    context_
        .report(
            DiagnosticKind::FabricConstraint,
            launcher.command.empty() ? use_.place : context_.place(launcher.command.front().origin),
            "the fabric " + code(use_.name) + " needs programs that are started after " +
                code(file) + " of their node, and this mpirun does not start it")
        .also(use_.place, "what brings the fabric in")
        .note("have mpirun start `bash -c '. " + std::string(file) +
              " && exec PROGRAM'`, or give `run.script` and leave mpirun to the target");
  }

  RuleContext& context_;
  Tree& tree_;
  RoleInput& input_;
  Role& role_;
  const FabricUse& use_;
  const FabricProfile& profile_;
};

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    for (const FabricUse& use : fabrics_of(context, input)) {
      if (!obstacles_of(context, input, use).empty()) continue;
      Patch(context, input, use).apply();
    }
  }
}

}  // namespace

extern const Rule network_rule{
    "network",
    Rule::Phase::Infer,
    "Pods with GPUs carry what the fabric between their nodes needs, and others do not.",
    "NCCL uses a fabric only where its devices, libraries and settings all are; else it takes "
    "sockets without a word. What each fabric needs is in `templates/fabrics`, with its sources.",
    "spec.network spec.gpu spec.resources cluster.network.fabrics cluster.network.interface "
    "cluster.pools.network cluster.kubernetes cluster.operators machine fabric plan.multiNode "
    "plan.name role.nodes role.gpus role.replicas role.requests role.env role.command "
    "target.mpirun target.entrypoint spec.run",
    "role.podAnnotations role.initContainers role.sidecars role.volumes role.mounts role.env "
    "role.requests role.limits role.capabilities role.privileged role.hostNetwork role.dnsPolicy "
    "role.command role.resourceClaims role.claims plan.deviceClaims plan.claimsApi "
    "plan.nvlinkDomain "
    "plan.nvlinkChannel plan.nvlinkNodes",
    run};

}  // namespace trainyard
