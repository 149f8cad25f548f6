#include "policy/policy_checks.h"

#include <algorithm>

#include "diag/words.h"
#include "policy/policy_evaluation.h"
#include "policy/policy_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

Severity usual_severity(Effect effect) {
  const bool is_error = effect == Effect::Refused || effect == Effect::NeverRuns;
  return is_error ? Severity::Error : Severity::Warning;
}

Check row_of(View at, PolicyCheck& check) {
  Check row{};
  row.name = string_at(at, "name");
  row.effect = effect_of(string_at(at, "effect")).value_or(Effect::Refused);
  if (string_at(at, "stage") == word(Stage::Preview)) row.stage = Stage::Preview;
  row.opt_in = is_true(get(at, "optIn"));
  row.sentence = string_at(at, "sentence");
  row.because = string_at(at, "because");
  row.fix = string_at(at, "fix");
  row.source = string_at(at, "source");
  row.severity = written_severity(at).value_or(usual_severity(row.effect));
  const PolicyReleases releases = read_releases(at);
  row.since = releases.since;
  row.operators = releases.operators;
  row.policy = &check;
  if (check.subject == PolicyCheck::Subject::Pod) row.pod = ask_policy_of_pod;
  if (check.subject == PolicyCheck::Subject::Job) row.job = ask_policy_of_job;
  if (check.subject == PolicyCheck::Subject::Object) row.object = ask_policy_of_object;
  return row;
}

/// As Check::on has it.
std::string subject_of(const PolicyCheck& check) {
  std::string on;
  for (const PolicyKind& each : check.kinds) {
    on.append(on.empty() ? "" : "; ").append(each.group.empty() ? "core" : each.group);
    on.append(" ").append(each.kind);
  }
  return on;
}

}  // namespace

PolicyChecks::PolicyChecks(View file, SchemaSources schemas, PolicyAuthor author) : file_(file) {
  const bool is_ours = author == PolicyAuthor::Program;
  const std::string_view group = string_at(file, "group");
  const bool is_our_group = std::ranges::find(kGroupWords, group) != kGroupWords.end();
  const auto fault = [&](View at, std::string message, std::string meant = {}) {
    faults_.push_back({at, std::move(message), std::move(meant)});
  };
  if (is_our_group != is_ours) {
    fault(get(file, "group"), is_ours
                                  ? shown(group) + " is not a group of Trainyard"
                                  : shown(group) + " is a group of Trainyard; choose another name");
  }
  for (View at : items_at(file, "checks")) {
    PolicyCheck& check = checks_.emplace_back();
    read_policy_check(at, schemas, check, walks_, faults_);
    Check& row = rows_.emplace_back(row_of(at, check));
    row.on = subjects_.emplace_back(subject_of(check));
    row.policy_group = group;
    if (is_ours) continue;
    if (row.because.empty()) row.because = row.sentence;
    if (!row.name.starts_with(std::string(group) + "-")) {
      fault(get(at, "name"), "the name of a check begins with its group",
            std::string(group) + "-" + std::string(row.name));
    }
  }
}

namespace {

/// Whether a run would ask the check of this object.
bool is_asked_of(const PolicyCheck& check, View object) {
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  return std::ranges::any_of(check.kinds, [&](const PolicyKind& each) {
    return each.kind == string_at(object, "kind") && each.group == group;
  });
}

/// What a check finds in an example: an object, or `{object: ..., old: ..., with: [...]}`.
std::vector<Diagnostic> found_in(const Check& check, View example) {
  static constexpr PodPlace kPlace{"", "Pod", ""};
  Inventory around;
  for (View each : items_at(example, "with")) around.add(each);
  const View old = get(example, "old");
  if (const View object = get(example, "object")) example = object;
  CheckInputs surroundings;
  surroundings.inventory = &around;
  Sink sink;
  CheckContext context(surroundings, sink);
  if (old) context.replaces(old);
  context.start(example, {}, {});
  context.use(check);
  if (check.pod != nullptr) check.pod(read_pod(example, example, kPlace), context);
  if (check.job != nullptr) check.job(Job{{}, example, nullptr}, context);
  if (check.object != nullptr && is_asked_of(*check.policy, example)) {
    check.object(example, context);
  }
  return sink.all();
}

}  // namespace

PolicyTest test_policy(const PolicyChecks& checks) {
  PolicyTest result;
  for (const Check& check : checks.rows()) {
    for (View each : items_at(check.policy->at, "wrong")) {
      ++result.examples;
      const std::vector<Diagnostic> found = found_in(check, each);
      if (found.empty()) {
        const View object = get(each, "object");
        const bool lacks_kind =
            check.object != nullptr && string_at(object ? object : each, "kind").empty();
        result.faults.push_back({each,
                                 "check " + shown(check.name) +
                                     " finds nothing in this wrong example" +
                                     (lacks_kind ? ", which lacks `apiVersion` and `kind`" : ""),
                                 {}});
      }
      for (const Diagnostic& other : found) {
        if (other.kind == DiagnosticKind::BadPolicy)
          result.faults.push_back({each, other.message, {}});
      }
    }
    for (View each : items_at(check.policy->at, "right")) {
      ++result.examples;
      for (const Diagnostic& found : found_in(check, each)) {
        result.faults.push_back({each,
                                 "check " + shown(check.name) +
                                     " finds something in this right example: " + found.message,
                                 {}});
      }
    }
  }
  return result;
}

}  // namespace trainyard
