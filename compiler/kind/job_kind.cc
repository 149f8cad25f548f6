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
  kind.source = string_at(entry, "source");
  kind.counts = string_at(entry, "counts");
  if (kind.counts.empty()) kind.counts = "pods";
  kind.details = string_at(entry, "details");
  for (View each : items_at(entry, "signs")) kind.signs.push_back(sign(each));
  for (View each : items_at(entry, "of")) {
    kind.kind = string_at(each, "kind");
    kind.wanted = texts_at(each, "wanted");
    if (kind.kind.empty() || kind.group.empty() || kind.signs.empty()) {
      faults_.emplace_back("a kind has no name, no group or no signs");
    }
    kinds_.push_back(kind);
  }
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
  const std::string_view group = version.substr(0, std::min(version.find('/'), version.size()));
  const std::string_view kind = string_at(object, "kind");
  const auto found = std::ranges::find_if(
      kinds_, [&](const JobKind& each) { return each.group == group && each.kind == kind; });
  return found == kinds_.end() ? nullptr : &*found;
}

}  // namespace trainyard
