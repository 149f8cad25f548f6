#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "scheduling.volcano.sh";
constexpr std::string_view kSource =
    "volcano-sh/volcano pkg/webhooks/admission/queues/validate/validate_queue.go";
constexpr OperatorSpan kVolcano{.name = "volcano"};
constexpr OperatorSpan kProtectsRoot{.name = "volcano", .since = "1.15"};

std::optional<Quantity> amount_of(View value) {
  if (!value || !value->is_scalar() || value.kind() == Kind::Null) return std::nullopt;
  return Quantity::parse(value->text);
}

std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps;
  while (true) {
    const std::size_t end = path.find('/');
    steps.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return steps;
    path.remove_prefix(end + 1);
  }
}

void hierarchy(View object, CheckContext& context) {
  const View path = annotation(object, "volcano.sh/hierarchy");
  const View weights = annotation(object, "volcano.sh/hierarchy-weights");
  if (string_of(path).empty() && string_of(weights).empty()) return;
  const View at = string_of(weights).empty() ? path : weights;
  const auto steps = steps_of(string_of(path));
  const auto numbers = steps_of(string_of(weights));
  if (steps.size() != numbers.size()) {
    context.refuse(at, "`volcano.sh/hierarchy` has " +
                           counted(static_cast<std::uint32_t>(steps.size()), "step") +
                           " and `volcano.sh/hierarchy-weights` " +
                           counted(static_cast<std::uint32_t>(numbers.size()), "weight") +
                           "; expected as many");
    return;
  }
  for (std::string_view number : numbers) {
    const auto value = go_number(number);
    if (value && *value > 0) continue;
    context.refuse(at, "weight " + shown(number) + " of `volcano.sh/hierarchy-weights` is no " +
                           "number above 0");
    return;
  }
  const Inventory* around = context.inventory();
  if (around == nullptr) return;
  for (View other : around->all(kGroup, "Queue")) {
    const std::string_view below = string_of(annotation(other, "volcano.sh/hierarchy"));
    if (!below.starts_with(std::string(string_of(path)) + "/")) continue;
    if (string_of(metadata_name(other)) == string_of(metadata_name(object))) continue;
    context.refuse(path, "queue " + shown(string_of(metadata_name(other))) + " is below " +
                             shown(string_of(path)) + ", which therefore is no queue itself");
    return;
  }
}

std::string_view parent_of(View queue) {
  const std::string_view parent = string_at(get(queue, "spec"), "parent");
  return parent == "root" ? std::string_view() : parent;
}

/// What queues share among each other; of the rest only `amounts` is reported.
///
/// volcano-sh/volcano pkg/scheduler/api/resource_info.go NewResource
bool is_shared_out(std::string_view resource) {
  constexpr auto plain =
      std::to_array<std::string_view>({"cpu", "memory", "pods", "ephemeral-storage"});
  if (std::ranges::find(plain, resource) != plain.end()) return true;
  if (resource.starts_with("hugepages-") || resource.starts_with("attachable-volumes-"))
    return true;
  return resource.find('/') != std::string_view::npos && !resource.starts_with("count/") &&
         !resource.starts_with("requests.");
}

/// Above all: what children have together may not be more than the parent has. Of devices and the
/// like not even nothing may be had where the parent does not name them.
void compare_sums(View parent, const std::vector<View>& children, std::string_view what,
                  View (*list_of)(View), View at, CheckContext& context) {
  std::map<std::string_view, Quantity> sums;
  for (View child : children) {
    const View list = list_of(child);
    for (View entry : list && list->is_map() ? Items(list) : Items()) {
      const auto amount = amount_of(entry);
      if (!amount || !is_shared_out(entry.key())) continue;
      if (const auto sum = add(sums[entry.key()], *amount)) sums[entry.key()] = *sum;
    }
  }
  for (const auto& [resource, sum] : sums) {
    const auto own = amount_of(get(list_of(parent), resource));
    const bool named = own || resource == "cpu" || resource == "memory";
    if (named && sum <= own.value_or(Quantity())) continue;
    context.refuse(at, "the queues below " + shown(string_of(metadata_name(parent))) +
                           " have together " + shown(sum.text()) + " of " + shown(resource) +
                           " as `" + std::string(what) + "`, and the queue itself " +
                           (own ? shown(own->text()) : "nothing"));
    return;
  }
}

View deserved_of(View queue) {
  return get(get(queue, "spec"), "deserved");
}
View guarantee_of(View queue) {
  return get(get(get(queue, "spec"), "guarantee"), "resource");
}

/// Whether a queue is below itself by way of others.
bool is_in_a_circle(View queue, const Inventory& around) {
  const std::string_view name = string_of(metadata_name(queue));
  std::string_view above = parent_of(queue);
  for (int depth = 0; depth < 32 && !above.empty(); ++depth) {
    if (above == name) return true;
    above = parent_of(around.find(kGroup, "Queue", "", above));
  }
  return false;
}

/// How many queues there are from this one up to the root, as far as they are given.
int levels_of(View queue, const Inventory& around) {
  int levels = 1;
  for (std::string_view above = parent_of(queue); levels < 32 && !above.empty(); ++levels) {
    above = parent_of(around.find(kGroup, "Queue", "", above));
  }
  return levels;
}

/// The names of all queues that are given but this one.
std::vector<std::string_view> other_queues(View queue, const Inventory& around) {
  std::vector<std::string_view> names;
  for (View each : around.all(kGroup, "Queue")) {
    const std::string_view name = string_of(metadata_name(each));
    if (name != string_of(metadata_name(queue))) names.push_back(name);
  }
  return names;
}

/// No resource of a queue is above what the nearest queue over it that limits it may use.
void capability_below_parents(View object, View above, const Inventory& around,
                              CheckContext& context) {
  for (View entry : entries_at(get(object, "spec"), "capability")) {
    if (!is_shared_out(entry.key())) continue;
    const auto amount = amount_of(entry);
    View ancestor = above;
    for (int depth = 0; ancestor && depth < 32; ++depth) {
      const View limit = get(get(get(ancestor, "spec"), "capability"), entry.key());
      const auto most = amount_of(limit);
      if (most && !most->is_zero()) {
        if (amount && *amount > *most) {
          context.refuse(entry, shown(entry->text) + " of " + shown(entry.key()) +
                                    " are above the capability of queue " +
                                    shown(string_of(metadata_name(ancestor))) + ", " +
                                    shown(limit->text));
        }
        break;
      }
      const std::string_view next = parent_of(ancestor);
      ancestor = next.empty() ? View() : around.find(kGroup, "Queue", "", next);
    }
  }
}

void parent(View object, CheckContext& context) {
  const View own = get(get(object, "spec"), "parent");
  const std::string_view name = string_of(metadata_name(object));
  if (parent_of(object).empty()) return;
  if (own->text == name) {
    context.refuse(own, "queue " + shown(name) + " cannot be below itself");
    return;
  }
  const Inventory* around = context.inventory();
  if (around == nullptr) return;
  if (is_in_a_circle(object, *around)) {
    context.refuse(own, "queue " + shown(name) + " is below itself, by way of " + shown(own->text));
    return;
  }
  constexpr int deepest = 5;  // --max-queue-depth, by default
  const int levels = levels_of(object, *around);
  if (levels > deepest && context.versions().within({.name = "volcano", .since = "1.15"})) {
    context
        .warn(own, "queue " + shown(name) + " is at level " + std::to_string(levels) +
                       " below the root, and Volcano takes " + std::to_string(deepest))
        .note("`--max-queue-depth` of the admission server allows more");
  }
  const View above = around->find(kGroup, "Queue", "", own->text);
  if (!above) {
    // It may be in the cluster, but for a name that is nearly that of another one.
    const auto near = suggest(own->text, other_queues(object, *around));
    if (near && !around->has(kGroup, "Queue", "", own->text)) {
      context.warn(own, "there is no queue " + shown(own->text) + " among those that are given")
          .note("did you mean " + shown(*near) + "?");
    }
    return;
  }
  capability_below_parents(object, above, *around, context);
  std::vector<View> children;
  for (View each : around->all(kGroup, "Queue")) {
    if (parent_of(each) == own->text) children.push_back(each);
  }
  // The last one that is made is the one that does not fit.
  if (children.empty() || string_of(metadata_name(children.back())) != name) return;
  compare_sums(above, children, "guarantee", guarantee_of, own, context);
  compare_sums(above, children, "deserved", deserved_of, own, context);
}

/// The first amount that has changed; an empty view where none has.
View changed_amount(View before, View now) {
  for (View entry : Items(now)) {
    const View was = get(before, entry.key());
    if (!was || amount_of(was) != amount_of(entry)) return entry;
  }
  for (View entry : Items(before)) {
    if (!get(now, entry.key())) return now ? now : entry;
  }
  return {};
}

/// The root is all that the cluster has, which Volcano itself writes down.
void root_stays(View object, CheckContext& context) {
  const View old = context.old();
  if (!old || string_of(metadata_name(object)) != "root") return;
  const View before = get(old, "spec");
  const View now = get(object, "spec");
  const auto keep = [&](View was, View is, std::string_view what) {
    const View changed = changed_amount(was, is);
    if (!changed) return;
    const bool is_ours = &changed.tree() == &object.tree();
    context.refuse(is_ours ? changed : now,
                   "the " + std::string(what) + " of queue `root` cannot change");
  };
  keep(get(before, "capability"), get(now, "capability"), "capability");
  keep(get(before, "deserved"), get(now, "deserved"), "deserved amounts");
  keep(get(get(before, "guarantee"), "resource"), get(get(now, "guarantee"), "resource"),
       "guarantee");
}

constexpr Check kChecks[] = {
    {.name = "volcano-queue-hierarchy",
     .group = CheckGroup::Queue,
     .on = "scheduling.volcano.sh Queue",
     .sentence = "The annotations of a hierarchy have a weight above 0 for each step.",
     .source = kSource,
     .object = hierarchy,
     .operators = kVolcano},
    {.name = "volcano-queue-parent",
     .group = CheckGroup::Queue,
     .on = "scheduling.volcano.sh Queue",
     .sentence = "A queue is not below itself, and fits into the queue that it is below.",
     .source = kSource,
     .object = parent,
     .operators = kVolcano},
    {.name = "volcano-root-queue",
     .group = CheckGroup::Queue,
     .on = "scheduling.volcano.sh Queue",
     .sentence = "The amounts of the queue `root` stay as they are, unless the webhooks run with "
                 "`--enable-root-queue-protection=false`.",
     .source = kSource,
     .object = root_stays,
     .operators = kProtectsRoot},
};

}  // namespace

constinit const std::span<const Check> volcano_queue_checks = kChecks;

}  // namespace trainyard
