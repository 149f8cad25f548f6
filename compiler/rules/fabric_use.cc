#include "rules/fabric_use.h"

#include <algorithm>

#include "plan/release.h"
#include "rules/gpu_offer.h"
#include "rules/kubernetes_build.h"

namespace trainyard {
namespace {

constexpr std::string_view kSockets = "tcp";

const FabricSettings& settings_of(const RuleContext& context, std::string_view fabric) {
  static const FabricSettings kNone;
  if (context.in.cluster == nullptr) return kNone;
  const auto* found = find(*context.in.cluster->spec->network->fabrics, fabric);
  return found == nullptr ? kNone : **found;
}

bool is_for(const FabricProfile& profile, const Machine* machine) {
  if (machine == nullptr || profile.machines->empty()) return true;
  return std::any_of(profile.machines->begin(), profile.machines->end(), [&](const Text& name) {
    return *name == *machine->name ||
           std::any_of(machine->aliases->begin(), machine->aliases->end(),
                       [&](const Text& alias) { return *alias == *name; });
  });
}

const FabricProfile* profile_with(const FabricUse& use, const Machine* machine, bool host_network,
                                  bool claims) {
  const FabricProfile* of_some_machines = nullptr;
  for (const auto& profile : *use.fabric->spec->profiles) {
    if (profile->host_network.value_or(false) != host_network) continue;
    if (profile->claims.value_or(false) != claims) continue;
    if (!is_for(*profile, machine)) continue;
    // If the spec names no machine, settings of certain machines do not hold for others.
    if (machine != nullptr || profile->machines->empty()) return &*profile;
    if (of_some_machines == nullptr) of_some_machines = &*profile;
  }
  return of_some_machines;
}

const FabricProfile* profile_of(const RuleContext& context, const RoleInput& input,
                                const FabricUse& use) {
  if (use.fabric == nullptr) return nullptr;
  const Machine* machine = input.nodes.machine;
  const bool claims =
      use.settings->claims.value_or(false) || (machine != nullptr && !machine->claims->empty());
  if (use.settings->host_network.value_or(false)) return profile_with(use, machine, true, claims);
  const FabricProfile* found = profile_with(use, machine, false, claims);
  if (found == nullptr && claims && !use.settings->claims.value_or(false)) {
    found = profile_with(use, machine, false, false);
  }
  // Interfaces of its own and the network of the node exclude each other.
  const bool on_host = context.of(input, &RoleFields::network)->host_network.value_or(false);
  const bool own_interfaces = found != nullptr && found->networks->required.value_or(false);
  return on_host && own_interfaces ? profile_with(use, machine, true, claims) : found;
}

void add_use(const RuleContext& context, const RoleInput& input, std::string_view name, Span place,
             bool asked, std::vector<FabricUse>& uses) {
  FabricUse use;
  use.name = name == "none" ? kSockets : name;
  use.place = place;
  use.asked = asked;
  use.settings = &settings_of(context, use.name);
  use.fabric = context.in.fabrics->find(use.name);
  use.profile = profile_of(context, input, use);
  uses.push_back(use);
}

std::int64_t share_of(const RoleInput& input, std::int64_t of_node) {
  const Integer* gpus = input.nodes.gpus();
  if (gpus == nullptr || **gpus <= 0) return of_node;
  return std::max<std::int64_t>(1, of_node * *input.role->gpus / **gpus);
}

bool has_fabric(const Machine& machine, std::string_view fabric) {
  return *machine.fabric == fabric || *machine.underlay == fabric;
}

/// What the machine has of a resource, where that is the fabric's.
const Integer* of_machine(const RoleInput& input, const FabricUse& use, std::string_view resource) {
  const Machine* machine = input.nodes.machine;
  if (machine == nullptr || !has_fabric(*machine, use.name)) return nullptr;
  return find(*machine->resources, resource);
}

const Integer* nics_of(const RoleInput& input, const FabricUse& use) {
  const Machine* machine = input.nodes.machine;
  if (machine == nullptr || !has_fabric(*machine, use.name) || !machine->nics) return nullptr;
  return &machine->nics;
}

/// How many of a resource that the Cluster or the fabric names.
std::optional<DeviceRequest> named_request(RuleContext& context, const RoleInput& input,
                                           const FabricUse& use, const Text& resource) {
  const auto& count = use.settings->count ? use.settings->count : use.profile->resource->count;
  DeviceRequest request{*resource, 1, context.because({context.from(resource)})};
  if (!count) {
    const Integer* known = of_machine(input, use, *resource);
    if (known == nullptr) return std::nullopt;
    request.amount = share_of(input, **known);
    request.origin = context.because({context.from(resource), context.from(*known)});
    return request;
  }
  const OriginId counted = context.from(count);
  switch (*count) {
    case FabricCount::One:
      break;
    case FabricCount::PerGpu:
      request.amount = *input.role->gpus;
      break;
    case FabricCount::PerNic: {
      const Integer* nics = nics_of(input, use);
      const std::size_t networks = fabric_networks(input, use)->size();
      if (nics == nullptr && networks < 2) return std::nullopt;
      request.amount =
          nics != nullptr ? share_of(input, **nics) : static_cast<std::int64_t>(networks);
      if (nics != nullptr) {
        request.origin = context.because({context.from(resource), counted, context.from(*nics)});
        return request;
      }
      break;
    }
  }
  request.origin = context.because({context.from(resource), counted});
  return request;
}

void requests_of_map(RuleContext& context, const RoleInput& input, const IntegerMap& map,
                     std::vector<DeviceRequest>& requests) {
  for (const auto& entry : *map) {
    if (*entry.value <= 0) continue;
    requests.push_back({entry.key, share_of(input, *entry.value),
                        context.because({context.from(entry.value), input.role->gpus.origin})});
  }
}

bool names_fabric(const Located<Pool>* pool) {
  return pool != nullptr && (*pool)->network->fabric && *(*pool)->network->fabric != "auto";
}

/// Most jobs have sockets and need nothing for them.
bool says_anything_of_sockets(const RuleContext& context) {
  if (context.in.cluster == nullptr) return false;
  const ClusterNetwork& network = *context.in.cluster->spec->network;
  return network.interface.given() || find(*network.fabrics, kSockets) != nullptr;
}

/// Finds what is in the way, one thing after the other.
class Obstacles {
 public:
  Obstacles(RuleContext& context, const RoleInput& input, const FabricUse& use)
      : context_(context), input_(input), use_(use) {}

  std::vector<Obstacle> find() {
    if (use_.fabric == nullptr) {
      add("there is no sound file of it among the templates, `fabrics/" + std::string(use_.name) +
          ".yaml`");
      return std::move(found_);
    }
    version();
    if (use_.profile == nullptr) {
      no_profile();
      return std::move(found_);
    }
    kubernetes();
    driver();
    gpus();
    networks();
    resource();
    return std::move(found_);
  }

 private:
  void add(std::string reason, Span place = {}) {
    found_.push_back({std::move(reason), place, false});
  }
  void fault(std::string reason, Span place) { found_.push_back({std::move(reason), place, true}); }
  std::string setting(std::string_view field) const {
    return code("network.fabrics." + std::string(use_.name) + "." + std::string(field));
  }

  void version() {
    const Text& wanted = use_.settings->version;
    const auto& versions = use_.fabric->spec->versions;
    if (!wanted || !versions || fabric_version(use_) != nullptr) return;
    std::string known;
    for (const auto& row : *versions->known) {
      known += (known.empty() ? "" : ", ") + code(*row->version);
    }
    fault("version " + code(*wanted) + " is not known; known are " + known, wanted.span);
  }

  void no_profile() {
    if (use_.settings->host_network.value_or(false)) {
      return fault("it is not reached through the network of the node",
                   use_.settings->host_network.span);
    }
    if (use_.settings->claims.value_or(false)) {
      return fault("its devices do not come by claims", use_.settings->claims.span);
    }
    const Machine* machine = input_.nodes.machine;
    std::string machines;
    for (const auto& profile : *use_.fabric->spec->profiles) {
      for (const Text& name : *profile->machines) {
        if (machines.find(code(*name)) != std::string::npos) continue;
        machines += (machines.empty() ? "" : ", ") + code(*name);
      }
    }
    add("it is there on " + machines + " only" +
            (machine == nullptr ? "" : ", not on " + code(*machine->name)),
        context_.machine_place(input_));
  }

  void older_than(std::string_view least, std::string_view what) {
    if (context_.in.cluster == nullptr) return;
    const Text& given = context_.in.cluster->spec->kubernetes;
    const auto has = given ? release(*given) : std::nullopt;
    const auto wanted = release(least);
    if (!has || !wanted || *has >= *wanted) return;
    too_old(what, least, given);
  }

  void too_old(std::string_view what, std::string_view least, const Text& given) {
    fault(std::string(what) + " Kubernetes " + std::string(least) + " or later, the Cluster has " +
              std::string(*given),
          given.span);
  }

  /// The cloud's own count of builds: what makes the devices reachable came within a release.
  bool has_build() {
    if (context_.in.cluster == nullptr) return true;
    const Text& given = context_.in.cluster->spec->kubernetes;
    const std::string_view least =
        given ? build_needed(*given, use_.profile->builds) : std::string_view();
    if (!least.empty()) too_old("it needs", least, given);
    return least.empty();
  }

  void kubernetes() {
    const Text& least = use_.fabric->spec->needs->kubernetes;
    if (least) older_than(*least, "it needs");
    if (!has_build()) return;
    // kubernetes/kubernetes pkg/features/kube_features.go, SidecarContainers: on since 1.29.
    if (use_.profile->sidecar && !has_plain_sidecar(use_)) {
      older_than("1.29",
                 "its daemon is a native sidecar (" + setting("sidecar") + "), which needs");
    }
    if (!use_.profile->device_claims->empty() || use_.profile->nvlink_domain.value_or(false)) {
      // NVIDIA/k8s-dra-driver-gpu README.md: 1.32 with DRA turned on, which it always is from 1.34.
      older_than("1.32", "claims for its devices need");
    }
  }

  /// NVIDIA/k8s-dra-driver-gpu is what makes channels of a ComputeDomain. Devices by other classes
  /// come from drivers of the cloud, and resources from device plugins: the Cluster lists neither.
  void driver() {
    if (context_.in.cluster == nullptr || !use_.profile->nvlink_domain.value_or(false)) return;
    const auto& listed = context_.in.cluster->spec->operators;
    if (!listed || operator_version(*context_.in.cluster, Operator::DraDriver)) return;
    add("its ComputeDomain needs the operator `dra-driver`, which the Cluster does not list",
        listed.span);
  }

  void gpus() {
    const auto& request = context_.of(input_, &RoleFields::gpu);
    if (is_plain_fabric(use_.name)) return;
    if (request->mig) {
      return add("slices of GPUs cannot use it", request->mig.span);
    }
    if (is_shared(context_, input_)) return add("shared GPUs cannot use it", request.span);
    const FabricNeeds& needs = *use_.fabric->spec->needs;
    if (!needs.whole_node.value_or(false)) return;
    const Integer* of_node = input_.nodes.gpus();
    if (of_node == nullptr) of_node = &needs.gpus;
    if (!*of_node || **of_node == *input_.role->gpus) return;
    const std::int64_t taken = *input_.role->gpus;
    add("it cannot be split between pods of a node: each takes " + std::to_string(taken) +
            (taken == 1 ? " GPU" : " GPUs") + ", a node has " + std::to_string(**of_node),
        context_.place(input_.role->gpus.origin));
  }

  void networks() {
    const FabricNetworks& wanted = *use_.profile->networks;
    if (!use_.profile->networks) return;
    const TextList& named = fabric_networks(input_, use_);
    if (wanted.required.value_or(false) && !named) {
      const auto count = network_count(input_, use_);
      const std::string many = count ? std::to_string(*count) + " " : "";
      return add(context_.in.cluster == nullptr
                     ? "a Cluster must name its " + many + "networks under " + setting("networks")
                     : "the Cluster does not name its " + many + "networks under " +
                           setting("networks"));
    }
    if (!named) return;
    const auto has = static_cast<std::int64_t>(named->size());
    if (*wanted.format == NetworksFormat::Interfaces) {
      const auto count = network_count(input_, use_);
      if (!count || has == *count || (wanted.extra && has == *count + 1)) return;
      fault("it has " + std::to_string(*count) + " networks, " + std::to_string(has) +
                (has == 1 ? " is named" : " are named"),
            named.span);
    }
  }

  void resource() {
    if (!use_.profile->resource) return;
    const auto requests = device_requests(context_, input_, use_);
    const TextList& named = fabric_networks(input_, use_);
    if (!requests.empty()) return attachments(requests, named);
    if (!context_.of(input_, &RoleFields::resources)->extended->empty()) return;
    if (input_.nodes.pool != nullptr && (*input_.nodes.pool)->network->resources) return;
    const bool is_named = use_.settings->resource || use_.profile->resource->name;
    if (is_named) {
      return add(
          "the Cluster does not say how many of " +
          code(use_.settings->resource ? *use_.settings->resource : *use_.profile->resource->name) +
          " a pod requests: name a machine, or the Cluster's " + setting("count"));
    }
    add("state the resource for its devices in the Cluster, under " + setting("resource"));
  }

  /// With Multus, a pod gets one device for each entry of the annotation.
  void attachments(const std::vector<DeviceRequest>& requests, const TextList& named) {
    if (!use_.profile->networks || !named || named->size() < 2 || requests.size() != 1) return;
    if (device_count_rule(use_) == FabricCount::One) return;
    const auto has = static_cast<std::int64_t>(named->size());
    if (has == requests[0].amount) return;
    fault("a pod has " + std::to_string(requests[0].amount) + " of " + code(requests[0].resource) +
              " and needs as many networks, " + std::to_string(has) + " are named",
          named.span);
  }

  RuleContext& context_;
  const RoleInput& input_;
  const FabricUse& use_;
  std::vector<Obstacle> found_;
};

}  // namespace

bool is_plain_fabric(std::string_view name) {
  return name.empty() || name == kSockets || name == "none";
}

std::vector<FabricUse> fabrics_of(const RuleContext& context, const RoleInput& input) {
  std::vector<FabricUse> uses;
  if (!input.role->trains || *input.role->gpus == 0) return uses;
  const Machine* machine = input.nodes.machine;
  const Text& wanted = context.of(input, &RoleFields::network)->fabric;
  const bool asked = wanted && *wanted != "auto";
  if (!asked && !context.spans_nodes(input)) return uses;

  std::string_view name = kSockets;
  Span place = wanted.span;
  if (asked) {
    name = *wanted;
  } else if (names_fabric(input.nodes.pool)) {
    const Text& of_pool = (*input.nodes.pool)->network->fabric;
    name = *of_pool;
    place = context.machine_place(input);
    if (!place.known()) place = of_pool.span;
  } else if (machine != nullptr && machine->fabric) {
    name = *machine->fabric;
    place = context.machine_place(input);
  }
  if (!asked && is_plain_fabric(name) && !says_anything_of_sockets(context)) return uses;
  if (machine != nullptr && machine->underlay && *machine->fabric == name) {
    add_use(context, input, *machine->underlay, place, false, uses);
  }
  add_use(context, input, name, place, asked, uses);
  return uses;
}

std::vector<Obstacle> obstacles_of(RuleContext& context, const RoleInput& input,
                                   const FabricUse& use) {
  return Obstacles(context, input, use).find();
}

const FabricVersion* fabric_version(const FabricUse& use) {
  const auto& known = *use.fabric->spec->versions->known;
  if (known.empty()) return nullptr;
  const Text& wanted = use.settings->version;
  if (!wanted) return &*known.back();
  for (const auto& row : known) {
    if (*row->version == *wanted) return &*row;
  }
  return nullptr;
}

const TextList& fabric_networks(const RoleInput& input, const FabricUse& use) {
  if (input.nodes.pool != nullptr) {
    const TextList& of_pool = (*input.nodes.pool)->network->networks;
    if (of_pool) return of_pool;
  }
  return use.settings->networks;
}

std::optional<std::int64_t> network_count(const RoleInput& input, const FabricUse& use) {
  if (const Integer* nics = nics_of(input, use)) return **nics;
  const Integer& count = use.profile->networks->count;
  return count ? std::optional(*count) : std::nullopt;
}

std::vector<DeviceRequest> device_requests(RuleContext& context, const RoleInput& input,
                                           const FabricUse& use) {
  std::vector<DeviceRequest> requests;
  if (!use.profile->resource) return requests;
  if (input.nodes.pool != nullptr && (*input.nodes.pool)->network->resources) {
    requests_of_map(context, input, (*input.nodes.pool)->network->resources, requests);
    return requests;
  }
  if (use.settings->resource) {
    if (auto one = named_request(context, input, use, use.settings->resource)) {
      requests.push_back(*one);
    }
    return requests;
  }
  const Machine* machine = input.nodes.machine;
  if (machine != nullptr && has_fabric(*machine, use.name) && machine->resources) {
    requests_of_map(context, input, machine->resources, requests);
    return requests;
  }
  const Text& own = use.profile->resource->name;
  if (!own) return requests;
  if (auto one = named_request(context, input, use, own)) requests.push_back(*one);
  return requests;
}

FabricCount device_count_rule(const FabricUse& use) {
  if (use.settings->count) return *use.settings->count;
  return use.profile->resource->count.value_or(FabricCount::One);
}

bool has_plain_sidecar(const FabricUse& use) {
  return use.settings->sidecar.value_or(SidecarKind::Native) == SidecarKind::Container;
}

}  // namespace trainyard
