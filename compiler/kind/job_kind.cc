#include "kind/job_kind.h"

#include <algorithm>
#include <array>

#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_kinds();  // made by the build from templates/kinds.yaml

namespace {

// In the order of JobPhase.
constexpr auto kPhases = std::to_array<std::string_view>(
    {"pending", "suspended", "running", "restarting", "ending", "succeeded", "failing", "failed"});

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
  if (!has_items(list)) faults_.emplace_back("the file has no list of kinds");
  for (View entry : Items(list)) add(entry);
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
  for (View each : items_at(entry, "of")) {
    kind.kind = string_at(each, "kind");
    kind.wanted = texts_at(each, "wanted");
    if (kind.kind.empty() || kind.group.empty() || !has_sign) {
      faults_.emplace_back("a kind has no name, no group or no signs");
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
    if (marks.labels.empty()) faults_.emplace_back("pods have no labels");
    kind.pods.push_back(std::move(marks));
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
    faults_.push_back("no phase is named `" + std::string(string_at(entry, "phase")) + "`");
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
    faults_.emplace_back("a sign has one of `condition`, `field` and `some`");
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
