#include "rules/added_containers.h"

#include <algorithm>
#include <string>

#include "plan/plan.h"

namespace trainyard {
namespace {

/// One container as the parts of `pod` give it, one after the other.
struct Added {
  std::string_view name;
  bool counts = true;  // it runs beside the others
  std::vector<AddedRequest> requests;
};

AddedRequest& request_for(std::vector<AddedRequest>& requests, std::string_view resource) {
  const auto known = std::ranges::find(requests, resource, &AddedRequest::resource);
  if (known != requests.end()) return *known;
  return requests.emplace_back(AddedRequest{resource, {}, {}});
}

class Reader {
 public:
  explicit Reader(std::string_view main) : main_(main) {}

  void part(View pod) {
    read(pod["spec"]["containers"], false);
    read(pod["spec"]["initContainers"], true);
  }

  std::vector<AddedRequest> sum() const {
    std::vector<AddedRequest> result;
    for (const Added& container : containers_) {
      if (!container.counts) continue;
      for (const AddedRequest& each : container.requests) {
        AddedRequest& all = request_for(result, each.resource);
        all.amount = add(all.amount, each.amount).value_or(all.amount);
        all.place = each.place;
      }
    }
    return result;
  }

 private:
  void read(View list, bool init) {
    if (!list || !list->is_seq()) return;
    for (NodeId id : list.tree().children(list.id())) {
      const View container(list.tree(), id);
      const std::string_view name = container["name"].text();
      if (name.empty() || name == main_ || name == kMainContainer) continue;
      Added& added = find(name);
      if (init) added.counts = container["restartPolicy"].text() == "Always";
      // A limit without a request is one.
      amounts(container["resources"]["limits"], added);
      amounts(container["resources"]["requests"], added);
    }
  }

  Added& find(std::string_view name) {
    const auto known = std::ranges::find(containers_, name, &Added::name);
    return known != containers_.end() ? *known : containers_.emplace_back(Added{name, true, {}});
  }

  static void amounts(View list, Added& added) {
    if (!list || !list->is_map()) return;
    for (NodeId id : list.tree().children(list.id())) {
      const Node& entry = list.tree()[id];
      const auto amount = Quantity::parse(entry.text);
      if (!amount) continue;
      AddedRequest& request = request_for(added.requests, entry.key);
      request.amount = *amount;
      request.place = entry.span;
    }
  }

  std::string_view main_;
  std::vector<Added> containers_;
};

}  // namespace

std::vector<AddedRequest> requests_of_added(const JobSpec& spec, const Tree& tree,
                                            std::string_view role, std::string_view main) {
  Reader reader(main);
  if (spec.pod) reader.part(View(tree, spec.pod.node));
  for (const auto& each : *spec.roles) {
    if (each.key == role && each.value->pod) reader.part(View(tree, each.value->pod.node));
  }
  return reader.sum();
}

}  // namespace trainyard
