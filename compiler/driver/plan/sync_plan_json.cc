#include <string>

#include "diag/words.h"
#include "driver/plan/sync_plan_text.h"

namespace trainyard {
namespace {

std::string member(std::string_view name, std::string_view text) {
  return quoted(name) + ": " + quoted(text);
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& each : texts) list += (list.empty() ? "" : ", ") + quoted(each);
  return "[" + list + "]";
}

std::string change_json(std::string_view key, std::string_view name, const std::string& before,
                        const std::string& after) {
  return "{" + member(key, name) + ", " + member("before", before) + ", " + member("after", after) +
         "}";
}

std::string object_json(const SyncObject& object) {
  const TreeObject& shown = object.shown();
  std::string terms;
  for (const TermChange& each : object.terms) {
    terms += (terms.empty() ? "" : ", ") + change_json("term", each.term, each.before, each.after);
  }
  std::string changes;
  for (const ValueChange& each : object.changes) {
    changes +=
        (changes.empty() ? "" : ", ") + change_json("path", each.path, each.before, each.after);
  }
  return "{" + member("apiVersion", shown.object["apiVersion"].text()) + ", " +
         member("kind", shown.kind()) + ", " + member("namespace", shown.name_space()) + ", " +
         member("name", shown.name()) + ", " + member("unit", shown.unit) + ", " +
         member("verdict", words_of(object.action).verdict) + ", " +
         member("because", object.because) + ", \"runs\": " + (object.runs ? "true" : "false") +
         ", \"waits\": " + (object.waits ? "true" : "false") + ", " +
         member("oldRun", object.old_run) + ", " + member("newRun", object.new_run) +
         ", \"gpusBefore\": " + std::to_string(object.from.gpus) +
         ", \"gpusAfter\": " + std::to_string(object.to.gpus) + ", \"terms\": [" + terms +
         "], \"changes\": [" + changes + "]}";
}

}  // namespace

std::string sync_plan_json(const SyncPlan& plan) {
  std::string objects;
  std::size_t unchanged = 0;
  for (const SyncObject& each : plan.objects) {
    if (each.action == Action::Unchanged) ++unchanged;
    if (each.action == Action::Unchanged) continue;
    objects += (objects.empty() ? "" : ",\n    ") + object_json(each);
  }
  std::string blocked;
  for (const BlockedUnit& each : plan.blocked) {
    blocked += (blocked.empty() ? "{" : ", {") + member("unit", each.unit) +
               ", \"refused\": " + list_of(each.refused) + ", \"asking\": " + list_of(each.asking) +
               ", \"waiting\": " + list_of(each.waiting) + "}";
  }
  return "\"objects\": [" + objects + "],\n  \"blocked\": [" + blocked +
         "],\n  \"unchanged\": " + std::to_string(unchanged) +
         ",\n  \"gpus\": {\"before\": " + std::to_string(plan.gpus_before) +
         ", \"after\": " + std::to_string(plan.gpus_after) + "},\n  " +
         member("summary", sync_plan_summary(plan));
}

void report_sync_plan(const SyncPlan& plan, Sink& sink) {
  struct Finding {
    Action action;
    std::string_view name;
    std::string_view sentence;
    Severity severity;
  };
  constexpr Finding kFindings[] = {
      {Action::Refused, "refused", "The API server takes what a sync applies.", Severity::Error},
      {Action::DataLoss, "data-loss", "A sync deletes no data.", Severity::Error},
      {Action::NoEffect, "patch-without-effect", "A change of a job reaches its pods.",
       Severity::Warning},
      {Action::Replace, "recreate", "A sync deletes nothing that it makes again.",
       Severity::Warning},
  };
  for (const SyncObject& object : plan.objects) {
    for (const Diagnostic& each : object.refusals) sink.report(each);
    for (const Finding& finding : kFindings) {
      if (object.action != finding.action) continue;
      if (object.action == Action::Refused && !object.refusals.empty()) continue;
      const TreeObject& shown_object = object.shown();
      // What is gone has no place in the new tree.
      Span place;
      if (object.after != nullptr) place = shown_object.object["metadata"]["name"]->span;
      for (const Span& each : object.places) {
        if (each.known()) {
          place = each;
          break;
        }
      }
      Diagnostic report(DiagnosticKind::RunsWrong, place,
                        shown(label_of(shown_object)) + ": " + object.because);
      report.severity = finding.severity;
      report.found_by = {finding.name, finding.sentence, finding.severity};
      sink.report(std::move(report));
    }
  }
}

}  // namespace trainyard
