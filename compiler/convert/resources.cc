#include <algorithm>
#include <optional>
#include <string>

#include "convert/pod_template_reader.h"
#include "manifest/devices.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct SpecName {
  std::string_view resource;
  std::string_view field;
};
constexpr SpecName kNames[] = {
    {"cpu", "cpu"}, {"memory", "memory"}, {"ephemeral-storage", "ephemeralStorage"}};

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kMig = "nvidia.com/mig-";
constexpr std::string_view kShared = ".shared";

bool same_amount(View a, View b) {
  const auto x = Quantity::parse(a->text);
  const auto y = Quantity::parse(b->text);
  return x && y && *x == *y;
}

bool is_accelerator(std::string_view name) {
  if (is_mig_resource(name)) return true;
  if (name.ends_with(kShared)) name.remove_suffix(kShared.size());
  return is_gpu_resource(name);
}

/// The container's amounts, in the fields of the language.
class Amounts {
 public:
  explicit Amounts(PodParts& parts)
      : parts_(parts),
        job_(parts.job),
        resources_(get(parts.main, "resources")),
        requests_(get(resources_, "requests")),
        limits_(get(resources_, "limits")) {}

  void read() {
    gpus();
    if (is_starter() && !has_items(resources_)) return no_amounts();
    for (const SpecName& name : kNames) amount(name);
    extended(limits_);
    extended(requests_);
  }

 private:
  NodeId fields() { return job_.map_at(parts_.fields(), "resources"); }

  void gpus() {
    View found;
    for (View list : {limits_, requests_}) {
      for (View each : Items(list)) {
        if (!is_accelerator(each->key)) continue;
        if (!found) found = each;
        const bool same = each->key == found->key && same_amount(each, found);
        if (same) {
          job_.ledger.carried(each);
        } else {
          job_.ledger.lost(
              each, "a pod has one sort of GPU resource here, `" + std::string(found->key) + "`",
              "add this one in `pod`, for the container `main`");
        }
      }
    }
    const auto amount = found ? Quantity::parse(found->text) : std::nullopt;
    const std::int64_t count = amount ? amount->whole_units().value_or(0) : 0;
    parts_.role.gpus = count;
    job_.maker.put(parts_.fields(), "gpusPerNode", job_.number(count));
    if (count != 0) name_resource(found->key);
  }

  void name_resource(std::string_view resource) {
    if (resource == kGpu) return;
    const NodeId gpu = job_.map_at(parts_.fields(), "gpu");
    // Whether slices go by such a name is a setting of the Cluster's, and `mig` leaves it to that.
    if (!resource.starts_with(kMig) || job_.has_template) {
      job_.maker.put(gpu, "resource", job_.text(resource));
      return;
    }
    // A resource name has a dot for the `+` of a profile: `1g.10gb.me`.
    std::string profile(resource.substr(kMig.size()));
    if (profile.ends_with(kShared)) {
      profile.resize(profile.size() - kShared.size());
      job_.maker.put(gpu, "sharing", job_.text("time-slicing"));
    }
    const std::size_t memory = profile.find("gb");
    if (memory != profile.npos && profile.substr(memory + 2).starts_with('.')) {
      profile[memory + 2] = '+';
    }
    job_.maker.put(gpu, "mig", job_.text(profile));
  }

  void amount(const SpecName& name) {
    View request = get(requests_, name.resource);
    const View limit = get(limits_, name.resource);
    if (!request && !limit) {
      if (is_starter()) no_amount(name);
      return;
    }
    // Kubernetes takes the limit for a request that is not there.
    if (!request) request = limit;
    job_.carry(fields(), name.field, request);
    job_.ledger.carried(limit);
    if (!limit) {
      take_away("limits", name);
    } else if (!same_amount(request, limit)) {
      job_.carry(job_.map_at(fields(), "limits"), name.field, limit);
    }
  }

  /// A build gives amounts to a pod that only starts the others.
  bool is_starter() const { return parts_.role.name == "launcher" || parts_.role.name == "head"; }

  void no_amounts() {
    job_.maker.put(parts_.own_container(), "resources", job_.maker.tree.add(Kind::Null));
  }

  void no_amount(const SpecName& name) {
    if (name.field == "ephemeralStorage") return;
    take_away("requests", name);
    take_away("limits", name);
  }

  void take_away(std::string_view list, const SpecName& name) {
    const NodeId amounts = job_.map_at(job_.map_at(parts_.own_container(), "resources"), list);
    job_.maker.put(amounts, name.resource, job_.maker.tree.add(Kind::Null));
  }

  static bool is_named(std::string_view resource) {
    return std::ranges::find(kNames, resource, &SpecName::resource) != std::end(kNames);
  }

  void extended(View list) {
    for (View each : Items(list)) {
      if (is_named(each->key) || is_accelerator(each->key)) continue;
      const NodeId map = job_.map_at(fields(), "extended");
      const NodeId known = job_.maker.tree.find(map, each->key);
      if (known != kNoNode && !same_amount(job_.maker.view(known), each)) {
        job_.ledger.lost(each, "request and limit of an extended resource are the same",
                         "check which of the two amounts is meant");
        continue;
      }
      const std::string_view key = each->key;
      if (known == kNoNode) job_.maker.put(map, key, job_.maker.copy(each));
      job_.ledger.carried(each);
    }
  }

  PodParts& parts_;
  Conversion& job_;
  View resources_;
  View requests_;
  View limits_;
};

}  // namespace

void read_resources(PodParts& parts) {
  Amounts(parts).read();
}

}  // namespace trainyard
