#include "kind/job_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_kinds();  // made by the build from templates/kinds.yaml

namespace {

// In the order of JobPhase.
constexpr auto kPhases = std::to_array<std::string_view>(
    {"pending", "suspended", "running", "restarting", "ending", "succeeded", "failing", "failed"});

// The fields of a file of kinds, by what has them.
constexpr auto kEntryFields = std::to_array<std::string_view>(
    {"of", "group", "version", "native", "source", "counts", "details", "signs", "queue", "pods",
     "children", "suspend", "restarts", "queues", "defaulted", "filled", "deletes", "changes",
     "part"});
constexpr auto kNameFields = std::to_array<std::string_view>({"kind", "wanted"});
constexpr auto kSignFields =
    std::to_array<std::string_view>({"phase", "condition", "field", "some", "is", "reason", "all"});
constexpr auto kPodFields = std::to_array<std::string_view>({"labels", "role", "index"});
constexpr auto kChangeFields = std::to_array<std::string_view>(
    {"refused", "suspended", "presence", "ignored", "restarts", "held", "source"});

std::string in_quotes(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view each : words)
    text += (text.empty() ? "`" : ", `") + std::string(each) + "`";
  return text;
}

std::vector<std::string_view> texts_at(View map, std::string_view key) {
  std::vector<std::string_view> texts;
  for (View each : items_at(map, key)) texts.push_back(string_of(each));
  return texts;
}

/// Whether `path` is `above`, or a field below it. `[]` of `above` is any item.
bool is_at_or_below(std::string_view path, std::string_view above) {
  while (!above.empty()) {
    const std::size_t any = std::min(above.find("[]"), above.size());
    if (!path.starts_with(above.substr(0, any))) return false;
    path.remove_prefix(any);
    above.remove_prefix(any);
    if (above.empty()) break;
    above.remove_prefix(2);
    if (!path.starts_with('[')) return false;
    path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
  }
  return path.empty() || path.front() == '.' || path.front() == '[';
}

}  // namespace

std::string_view name_of(JobPhase phase) {
  return kPhases.at(static_cast<std::size_t>(phase));
}

bool is_final(JobPhase phase) {
  return phase == JobPhase::Succeeded || phase == JobPhase::Failed;
}

const JobKinds& JobKinds::builtin() {
  static const Tree tree = embedded_tree(embedded_kinds(), "kinds.yaml");
  static const JobKinds kinds(tree);
  return kinds;
}

JobKinds::JobKinds(const Tree& file) {
  const View list(file, file.root());
  if (!has_items(list)) fault(list, "the file has no list of kinds");
  for (View entry : Items(list)) add(entry);
}

JobKinds::JobKinds(const Tree& file, const JobKinds& behind) : JobKinds(file) {
  for (View entry : Items(View(file, file.root()))) {
    fault_others(entry, kEntryFields);
    const bool is_job = !get(entry, "queue") && !is_true(get(entry, "part"));
    if (is_job && string_at(entry, "version").empty()) {
      fault(entry, "a kind of job needs `version`, that of its API");
    }
    for (View each : items_at(entry, "of")) fault_others(each, kNameFields);
    for (View each : items_at(entry, "signs")) fault_others(each, kSignFields);
    for (View each : items_at(entry, "pods")) fault_others(each, kPodFields);
    fault_others(get(entry, "changes"), kChangeFields);
  }
  const auto add_others = [](const std::vector<JobKind>& others, std::vector<JobKind>& all) {
    for (const JobKind& each : others) {
      if (find(all, each.kind, each.group) == nullptr) all.push_back(each);
    }
  };
  add_others(behind.kinds_, kinds_);
  add_others(behind.parts_, parts_);
}

void JobKinds::fault(Span at, std::string message) {
  faults_.push_back({at, std::move(message)});
}

void JobKinds::fault_others(View map, std::span<const std::string_view> known) {
  if (!map || !map->is_map()) return;
  for (View each : Items(map)) {
    if (std::ranges::find(known, each.key()) != known.end()) continue;
    fault(each->key_span, "no field is named `" + std::string(each.key()) + "`; expected one of " +
                              in_quotes(known));
  }
}

void JobKinds::add(View entry) {
  JobKind kind;
  kind.group = string_at(entry, "group");
  kind.version = string_at(entry, "version");
  kind.native = texts_at(entry, "native");
  kind.source = string_at(entry, "source");
  kind.counts = string_at(entry, "counts");
  if (kind.counts.empty()) kind.counts = "pods";
  kind.details = string_at(entry, "details");
  for (View each : items_at(entry, "signs")) kind.signs.push_back(sign(each));
  add_live_fields(entry, kind);
  const bool is_part = is_true(get(entry, "part"));
  const bool has_sign = is_part || !kind.signs.empty() || !kind.children.empty() || !kind.is_job();
  if (!has_items(get(entry, "of"))) fault(entry, "an entry needs `of`, its list of kinds");
  for (View each : items_at(entry, "of")) {
    kind.kind = string_at(each, "kind");
    kind.wanted = texts_at(each, "wanted");
    if (kind.kind.empty() || kind.group.empty() || !has_sign) {
      fault(each, "a kind needs `kind`, `group`, and `signs` or `children`");
    }
    (is_part ? parts_ : kinds_).push_back(kind);
  }
}

void JobKinds::add_live_fields(View entry, JobKind& kind) {
  kind.queue = string_at(entry, "queue");
  for (View each : items_at(entry, "pods")) {
    PodMarks marks;
    for (View label : entries_at(each, "labels")) {
      marks.labels.push_back({label.key(), string_of(label)});
    }
    marks.role = texts_at(each, "role");
    marks.index = texts_at(each, "index");
    if (marks.labels.empty()) {
      fault(each, "`pods` needs `labels`, by which they are found");
    } else {
      kind.pods.push_back(std::move(marks));
    }
  }
  kind.children = texts_at(entry, "children");
  kind.suspend = string_at(entry, "suspend");
  kind.restarts = string_at(entry, "restarts");
  kind.queues = texts_at(entry, "queues");
  kind.defaulted = texts_at(entry, "defaulted");
  kind.filled = texts_at(entry, "filled");
  kind.deletes = string_at(entry, "deletes");
  const View changes = get(entry, "changes");
  kind.changes = {texts_at(changes, "refused"),  texts_at(changes, "suspended"),
                  texts_at(changes, "presence"), texts_at(changes, "ignored"),
                  texts_at(changes, "restarts"), string_at(changes, "held"),
                  string_at(changes, "source")};
}

StatusSign JobKinds::sign(View entry) {
  StatusSign sign;
  const auto* phase = std::ranges::find(kPhases, string_at(entry, "phase"));
  if (phase == kPhases.end()) {
    fault(get(entry, "phase") ? get(entry, "phase") : entry,
          "no phase is named `" + std::string(string_at(entry, "phase")) + "`; expected one of " +
              in_quotes(kPhases));
  } else {
    sign.phase = static_cast<JobPhase>(phase - kPhases.begin());
  }
  sign.condition = string_at(entry, "condition");
  sign.field = string_at(entry, "field");
  sign.some = string_at(entry, "some");
  sign.is = string_at(entry, "is");
  sign.reason = string_at(entry, "reason");
  sign.all = texts_at(entry, "all");
  if (sign.is.empty() && !sign.condition.empty()) sign.is = "True";
  const auto tests = std::to_array({sign.condition, sign.field, sign.some});
  if (std::ranges::count(tests, std::string_view()) != 2) {
    fault(entry, "a sign has one of `condition`, `field` and `some`");
  }
  return sign;
}

const JobKind* JobKinds::find(View object) const {
  const std::string_view version = string_at(object, "apiVersion");
  return find(kinds_, string_at(object, "kind"), version.substr(0, version.find('/')));
}

const JobKind* JobKinds::find_part(View object) const {
  const std::string_view version = string_at(object, "apiVersion");
  return find(parts_, string_at(object, "kind"), version.substr(0, version.find('/')));
}

const JobKind* JobKinds::find(std::string_view name) const {
  const std::size_t dot = std::min(name.find('.'), name.size());
  return find(kinds_, name.substr(0, dot), name.substr(std::min(dot + 1, name.size())));
}

const JobKind* JobKinds::find(const std::vector<JobKind>& kinds, std::string_view kind,
                              std::string_view group) {
  const auto found = std::ranges::find_if(
      kinds, [&](const JobKind& each) { return each.group == group && each.kind == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

View field_at(View at, std::string_view path) {
  if (path.empty()) return {};
  while (at && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = get(at, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

ChangeEffect effect_of(const JobKind& kind, View job, std::string_view path) {
  const auto is_below = [&](std::string_view above) { return is_at_or_below(path, above); };
  const KindChanges& changes = kind.changes;
  if (std::ranges::any_of(changes.refused, is_below)) {
    const bool is_suspended = !kind.suspend.empty() && is_true(field_at(job, kind.suspend));
    const bool is_free = is_suspended && std::ranges::any_of(changes.suspended, is_below);
    return is_free ? ChangeEffect::Works : ChangeEffect::Refused;
  }
  if (std::ranges::any_of(changes.ignored, is_below)) return ChangeEffect::Ignored;
  if (!std::ranges::any_of(changes.restarts, is_below)) return ChangeEffect::Works;
  const bool is_held = integer_of(field_at(job, changes.held)).value_or(0) > 0;
  return is_held ? ChangeEffect::Ignored : ChangeEffect::Restarts;
}

std::string filled_in(std::string_view text, View job) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}');
  if (open == text.npos || close == text.npos || close < open) return std::string(text);
  const std::string_view value = string_of(field_at(job, text.substr(open + 1, close - open - 1)));
  if (value.empty()) return {};
  return std::string(text.substr(0, open)) + std::string(value) +
         std::string(text.substr(close + 1));
}

}  // namespace trainyard
