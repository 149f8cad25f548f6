#include "editor/name_sorts.h"

#include <algorithm>
#include <array>
#include <vector>

namespace trainyard {
namespace {

using Kind = OutlineNode::Kind;

/// A place in documents of one kind; "" for a kind is any. The path is compared from its end. `*`
/// stands for any key, `[]` for an item.
struct Row {
  std::string_view kind;
  std::string_view path;
  NameSort sort;
  bool is_definition = false;
  bool of_key = false;
};

constexpr auto kRows = std::to_array<Row>({
    {"TrainingJob", "metadata.name", NameSort::Job, true},
    {"TrainingJob", "spec.roles.*", NameSort::Role, true, true},
    {"TrainingJob", "after.*", NameSort::Role, false, true},
    {"TrainingJob", "spec.runtime", NameSort::Runtime},
    {"TrainingJob", "spec.target", NameSort::Target},
    {"TrainingJob", "scheduling.queue", NameSort::Queue},
    {"TrainingJob", "scheduling.priority", NameSort::PriorityClass},
    {"TrainingJob", "serve.priority", NameSort::PriorityClass},
    {"TrainingJob", "extends", NameSort::File},
    {"TrainingJob", "extends.[]", NameSort::File},
    {"TrainingJob", "items.[].from", NameSort::File},
    {"TrainingJob", "claim", NameSort::Claim},
    {"Cluster", "spec.pools.[].name", NameSort::Pool, true},
    {"Cluster", "spec.queues.[].name", NameSort::Queue, true},
    {"Cluster", "spec.priorityClasses.[].name", NameSort::PriorityClass, true},
    {"Cluster", "spec.claims.[].name", NameSort::Claim, true},
    {"Cluster", "spec.storageClasses.[].name", NameSort::StorageClass, true},
    {"Cluster", "spec.runtimes.[].name", NameSort::Runtime, true},
    {"Cluster", "spec.namespaces.[].name", NameSort::Namespace, true},
    {"Cluster", "queues.[].pools.[]", NameSort::Pool},
    {"Cluster", "queues.[].namespaces.[]", NameSort::Namespace},
    {"Cluster", "defaults.target", NameSort::Target},
    {"Cluster", "scheduling.queue", NameSort::Queue},
    {"Cluster", "scheduling.priority", NameSort::PriorityClass},
    {"Cluster", "policies.[].schema", NameSort::File},
    {"Fleet", "clusters.[].file", NameSort::File},
    {"Fleet", "specs.[]", NameSort::File},
    {"Fleet", "overlays.[]", NameSort::File},
    {"Fleet", "policies.[]", NameSort::File},
    {"Fleet", "chains.[].steps.[]", NameSort::Job},
    {"Fleet", "teams.[].namespaces.[]", NameSort::Namespace},
    {"Config", "cluster", NameSort::File},
    {"Config", "schemas.[]", NameSort::File},
    {"Config", "policies.[]", NameSort::File},
    {"Config", "target", NameSort::Target},
    {"Kustomization", "resources.[]", NameSort::File},
    {"", "pool", NameSort::Pool},
    {"", "machine", NameSort::Machine},
    {"", "fabric", NameSort::Fabric},
    {"", "image", NameSort::Image},
    {"", "metadata.namespace", NameSort::Namespace},
    {"", "storageClassName", NameSort::StorageClass},
    {"", "priorityClassName", NameSort::PriorityClass},
    {"", "claimName", NameSort::Claim},
    {"", "kueue.x-k8s.io/queue-name", NameSort::Queue},
    {"", "volcano.sh/queue-name", NameSort::Queue},
    {"", "kai.scheduler/queue", NameSort::Queue},
});

/// What is before the last dot of a path that is not within a key.
std::string_view take_last(std::string_view& path) {
  // Keys with a slash have dots of their own, and stand alone.
  const std::size_t dot = path.find('/') == path.npos ? path.rfind('.') : path.npos;
  const std::string_view step = dot == path.npos ? path : path.substr(dot + 1);
  path = dot == path.npos ? std::string_view() : path.substr(0, dot);
  return step;
}

bool fits(std::string_view pattern, const Outline& outline, std::uint32_t node) {
  while (!pattern.empty()) {
    if (outline[node].kind == Kind::Document) return false;
    const std::string_view step = take_last(pattern);
    const bool is_item = outline[node].kind == Kind::Item;
    if (step == "[]" ? !is_item : is_item || (step != "*" && step != outline.key(node))) {
      return false;
    }
    node = outline[node].parent;
  }
  return true;
}

const Row* row_of(const Outline& outline, std::uint32_t node, bool of_key) {
  std::string_view kind = outline.heading(outline.document_of(node), "kind");
  if (kind == "TrainingJobLayer") kind = "TrainingJob";
  if (kind.empty()) kind = "Config";
  const auto found = std::ranges::find_if(kRows, [&](const Row& row) {
    return row.of_key == of_key && (row.kind.empty() || row.kind == kind) &&
           fits(row.path, outline, node);
  });
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace

std::optional<SortedName> name_at(const Outline& outline, std::uint32_t node, bool on_key) {
  const OutlineNode& each = outline[node];
  // While it is typed, a word is what will be a key.
  const Row* const row = row_of(outline, node, on_key);
  if (row == nullptr) return std::nullopt;
  SortedName name{row->sort, row->is_definition, {}, 0, 0};
  name.name = on_key ? outline.key(node) : outline.value(node);
  const std::size_t from = on_key ? each.begin : each.value;
  name.begin = static_cast<std::size_t>(name.name.data() - outline.text().data());
  if (name.name.empty()) name.begin = from;
  name.end = name.begin + name.name.size();
  return name;
}

std::optional<NameSort> sort_of_value(const Outline& outline, std::uint32_t node) {
  const Row* const row = row_of(outline, node, false);
  if (row == nullptr || row->is_definition) return std::nullopt;
  return row->sort;
}

}  // namespace trainyard
