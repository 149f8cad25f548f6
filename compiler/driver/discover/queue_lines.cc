#include "driver/discover/queue_lines.h"

#include <algorithm>
#include <map>
#include <set>

#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string_view name_at(View object) {
  return string_at(get(object, "metadata"), "name");
}

/// What a ClusterQueue guarantees, over its flavors.
std::map<std::string, Quantity> quota_of(View cluster_queue) {
  std::map<std::string, Quantity> sums;
  for (const View group : items_at(get(cluster_queue, "spec"), "resourceGroups")) {
    for (const View flavor : items_at(group, "flavors")) {
      for (const View resource : items_at(flavor, "resources")) {
        const auto amount = Quantity::parse(get(resource, "nominalQuota").text());
        if (!amount) continue;
        Quantity& sum = sums[std::string(string_at(resource, "name"))];
        sum = add(sum, *amount).value_or(sum);
      }
    }
  }
  return sums;
}

void add_quota(View cluster_queue, Fields& fields) {
  Fields quota;
  for (const auto& [resource, amount] : quota_of(cluster_queue)) {
    quota.emplace_back(resource, yaml_text(amount.text()));
  }
  if (!quota.empty()) fields.emplace_back("quota", flow_map(quota));
}

/// v1beta2 calls it `cohortName`, v1beta1 `cohort`.
std::string_view cohort_of(View cluster_queue) {
  const View spec = get(cluster_queue, "spec");
  const std::string_view name = string_at(spec, "cohortName");
  return name.empty() ? string_at(spec, "cohort") : name;
}

/// LocalQueues of one name are one queue, where one ClusterQueue is behind them.
struct LocalQueues {
  std::string_view cluster_queue;
  std::set<std::string_view> name_spaces;
  std::set<std::string_view> others;  // `namespace` of those with another ClusterQueue
};

/// The pools whose nodes all have the labels of a flavor of the queue, in the order of the flavors.
/// None where a flavor has no labels: its nodes may be any.
std::vector<std::string> pools_of(View cluster_queue, const Survey& survey,
                                  const std::vector<DiscoveredPool>& pools) {
  std::vector<std::string> names;
  for (const View group : items_at(get(cluster_queue, "spec"), "resourceGroups")) {
    for (const View entry : items_at(group, "flavors")) {
      const View flavor =
          survey.kind("ResourceFlavor.kueue.x-k8s.io").find(string_at(entry, "name"));
      const Items labels = entries_at(get(flavor, "spec"), "nodeLabels");
      if (labels.begin() == labels.end()) return {};
      for (const DiscoveredPool& pool : pools) {
        const bool fits = pool.machine.machine != nullptr &&
                          std::all_of(labels.begin(), labels.end(), [&pool](View label) {
                            return std::ranges::all_of(pool.nodes, [label](const RealNode* node) {
                              return node->label(label.key()) == label.text();
                            });
                          });
        const std::string name = yaml_text(pool.name);
        if (fits && std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
  }
  return names;
}

void kueue(const Survey& survey, const std::vector<DiscoveredPool>& pools, DocumentLines& list) {
  std::vector<View> items = survey.kind("LocalQueue.kueue.x-k8s.io").items;
  std::ranges::sort(items, {}, [](View each) {
    return std::pair(string_at(get(each, "metadata"), "namespace"), name_at(each));
  });
  std::map<std::string_view, LocalQueues> by_name;
  for (const View each : items) {
    const std::string_view behind = string_at(get(each, "spec"), "clusterQueue");
    LocalQueues& queues =
        by_name.try_emplace(name_at(each), LocalQueues{behind, {}, {}}).first->second;
    const std::string_view name_space = string_at(get(each, "metadata"), "namespace");
    (queues.cluster_queue == behind ? queues.name_spaces : queues.others).insert(name_space);
  }
  const SurveyedKind& behind = survey.kind("ClusterQueue.kueue.x-k8s.io");
  for (const auto& [name, queues] : by_name) {
    Fields fields = {{"name", yaml_text(name)}, {"system", "kueue"}};
    if (queues.cluster_queue != name) {
      fields.emplace_back("clusterQueue", yaml_text(queues.cluster_queue));
    }
    std::vector<std::string> name_spaces;
    for (const std::string_view each : queues.name_spaces) name_spaces.push_back(yaml_text(each));
    fields.emplace_back("namespaces", flow_list(name_spaces));
    const View cluster_queue = behind.find(queues.cluster_queue);
    if (const auto cohort = cohort_of(cluster_queue); !cohort.empty()) {
      fields.emplace_back("parent", yaml_text(cohort));
    }
    if (const auto names = pools_of(cluster_queue, survey, pools); !names.empty()) {
      fields.emplace_back("pools", flow_list(names));
    }
    add_quota(cluster_queue, fields);
    fields.emplace_back("existing", "true");
    list.entry(2, fields,
               "LocalQueue " + std::string(name) +
                   (cluster_queue ? ", ClusterQueue " + std::string(queues.cluster_queue) : ""));
    for (const std::string_view each : queues.others) {
      list.comment(
          2, "in namespace " + std::string(each) + " this name leads to another ClusterQueue");
    }
  }
}

/// Of Volcano `deserved` and `capability`; of KAI and Run:ai GPUs, where a number below 0 is no
/// bound.
void add_bounds(View queue, Fields& fields) {
  const View spec = get(queue, "spec");
  for (const auto& [field, name] : {std::pair("deserved", "quota"), {"capability", "limit"}}) {
    Fields amounts;
    for (const View each : entries_at(spec, field)) {
      const auto amount = Quantity::parse(each.text());
      if (amount) amounts.emplace_back(each.key(), yaml_text(amount->text()));
    }
    if (!amounts.empty()) fields.emplace_back(name, flow_map(amounts));
  }
  if (const auto weight = integer_at(spec, "weight"); weight && *weight > 1) {
    fields.emplace_back("weight", std::to_string(*weight));
  }
  const View gpus = get(get(spec, "resources"), "gpu");
  for (const std::string_view field : {"quota", "limit"}) {
    const View bound = get(gpus, field);
    const auto amount = bound ? Quantity::parse(bound.text()) : std::nullopt;
    if (!amount || amount->is_negative()) continue;
    fields.emplace_back(field, flow_map({{"nvidia.com/gpu", yaml_text(amount->text())}}));
  }
}

/// A name can stand once in the list, whatever its system.
void named(const SurveyedKind& kind, const std::string& system, std::string_view parent_field,
           std::set<std::string, std::less<>>& taken, DocumentLines& list) {
  std::vector<View> items = kind.items;
  std::ranges::sort(items, {}, name_at);
  for (const View each : items) {
    if (!taken.emplace(name_at(each)).second) {
      list.comment(2, "queue " + std::string(name_at(each)) + " of " + system +
                          " has the name of another queue");
      continue;
    }
    Fields fields = {{"name", yaml_text(name_at(each))}, {"system", system}};
    const std::string_view parent = string_at(get(each, "spec"), parent_field);
    if (!parent.empty()) fields.emplace_back("parent", yaml_text(parent));
    add_bounds(each, fields);
    fields.emplace_back("existing", "true");
    list.entry(2, fields, "Queue " + std::string(name_at(each)));
  }
}

}  // namespace

void queue_lines(const Survey& survey, const std::vector<DiscoveredPool>& pools,
                 DocumentLines& lines) {
  DocumentLines list;
  kueue(survey, pools, list);
  std::set<std::string, std::less<>> taken;
  for (const View each : survey.kind("LocalQueue.kueue.x-k8s.io").items)
    taken.emplace(name_at(each));
  named(survey.kind("Queue.scheduling.volcano.sh"), "volcano", "parent", taken, list);
  const bool is_runai = survey.serves("TrainingWorkload.run.ai");
  named(survey.kind("Queue.scheduling.run.ai"), is_runai ? "runai" : "kai", "parentQueue", taken,
        list);
  if (list.is_empty()) return;
  lines.line(1, "queues:");
  lines.append(list);
}

}  // namespace trainyard
