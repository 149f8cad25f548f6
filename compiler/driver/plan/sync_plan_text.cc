#include "driver/plan/sync_plan_text.h"

#include <algorithm>

#include "diag/foreign_text.h"
#include "diag/words.h"

namespace trainyard {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kTermWidth = 9;
constexpr std::size_t kMostFields = 6;  // of an object that are shown
constexpr std::size_t kMostNames = 8;   // of objects that wait

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + " ";
}

std::string name_of(const TreeObject& object) {
  const std::string_view ns = object.name_space();
  return foreign_text(label_of(object) + (ns.empty() ? "" : " (" + std::string(ns) + ")"));
}

std::string value(const std::string& text) {
  return text.empty() ? "none" : text;
}

/// Not what only follows from another object.
bool is_derived_alone(const SyncObject& object) {
  return object.is_derived && (object.action == Action::Update ||
                               object.action == Action::Restart || object.action == Action::Create);
}

bool is_shown(const SyncObject& object) {
  return object.action != Action::Unchanged && !is_derived_alone(object);
}

/// The changes that no term is about, and that are no digest.
std::vector<const ValueChange*> other_changes(const SyncObject& object) {
  std::vector<const ValueChange*> changes;
  for (const ValueChange& each : object.changes) {
    if (!is_told_by(object.terms, each.path) && !is_derived(each.path)) changes.push_back(&each);
  }
  return changes;
}

std::string signed_number(std::int64_t number) {
  return (number > 0 ? "+" : "") + std::to_string(number);
}

std::string field_lines(const SyncObject& object) {
  std::string text;
  const auto changes = other_changes(object);
  for (std::size_t i = 0; i < std::min(changes.size(), kMostFields); ++i) {
    const ValueChange& each = *changes[i];
    text += "      " + foreign_text(each.path) + "\n";
    if (!each.before.empty()) text += "        - " + each.before + "\n";
    if (!each.after.empty()) text += "        + " + each.after + "\n";
  }
  if (changes.size() > kMostFields) {
    text += "      and " + std::to_string(changes.size() - kMostFields) + " more fields\n";
  }
  return text;
}

/// What a new job will take, or one that goes gives back.
std::string size_line(const SyncObject& object) {
  const TrainingTerms& terms = object.after == nullptr ? object.from : object.to;
  if (!terms.is_workload || !object.terms.empty() || !object.changes.empty()) return {};
  return counted(static_cast<std::uint32_t>(terms.nodes), "node") +
         (terms.gpus == 0 ? "" : ", " + counted(static_cast<std::uint32_t>(terms.gpus), "GPU")) +
         (terms.queue.empty() ? "" : ", queue " + terms.queue);
}

std::string running(const SyncObject& object) {
  if (!object.runs || !ends_pods(object.action)) return {};
  return "it runs" + (object.since.empty() ? "" : " since " + foreign_text(object.since));
}

std::string lines_of(const SyncObject& object) {
  const ActionWords& words = words_of(object.action);
  std::string text = std::string("  ") + words.sign + " " +
                     padded(name_of(object.shown()), kNameWidth) + std::string(words.verdict);
  if (const std::string size = size_line(object); !size.empty()) text += ": " + size;
  if (const std::string runs = running(object); !runs.empty()) text += ": " + runs;
  text += "\n";
  for (const TermChange& each : object.terms) {
    text += "      " + padded(std::string(each.term), kTermWidth) + value(each.before) + " -> " +
            value(each.after) + "\n";
  }
  text += field_lines(object);
  if (!object.because.empty()) text += "      because " + object.because + "\n";
  return text;
}

std::string names(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMostNames); ++i) {
    text += (i == 0 ? "" : ", ") + foreign_text(all[i]);
  }
  if (all.size() > kMostNames) text += " and " + std::to_string(all.size() - kMostNames) + " more";
  return text;
}

std::string kept_changes(const std::vector<std::string>& waiting) {
  return counted(static_cast<std::uint32_t>(waiting.size()), "change");
}

std::string blocked_line(const SyncPlan& plan, const BlockedUnit& unit) {
  const std::string at = foreign_text(unit.unit) + ": ";
  std::string line;
  if (!unit.asking.empty()) {
    line = at + "Argo CD waits until a person confirms the end of " + names(unit.asking);
    if (!unit.waiting.empty())
      line += ", which blocks " + kept_changes(unit.waiting) + ": " + names(unit.waiting);
    if (unit.refused.empty()) return line;
    line += "\n";
  }
  line += at + names(unit.refused);
  if (unit.waiting.empty() || !unit.asking.empty())
    return line + (unit.refused.size() == 1 ? " is" : " are") + " refused, and the sync fails";
  const bool is_flux = plan.tool == SyncTool::Flux;
  return line + (unit.refused.size() == 1 ? " blocks " : " block ") + kept_changes(unit.waiting) +
         ", " +
         (is_flux ? "because Flux applies all or nothing"
                  : "because Argo CD stops after its wave") +
         ": " + names(unit.waiting);
}

/// For a table of Markdown: what is in backticks is code, and all else has no effect.
std::string cell(std::string_view text) {
  constexpr std::string_view kSpecial = "\\<>*_[]~@#";
  const bool has_code = std::ranges::count(text, '`') % 2 == 0;
  bool is_code = false;
  std::string result;
  for (const char c : text) {
    if (c == '`' && has_code) is_code = !is_code;
    const bool is_special = !is_code && kSpecial.find(c) != std::string_view::npos;
    if (c == '|' || is_special || (c == '`' && !has_code)) result += '\\';
    result += c;
  }
  return result;
}

/// A value as code.
std::string code(std::string text) {
  std::ranges::replace(text, '`', '\'');
  return text.empty() ? "none" : "`" + text + "`";
}

/// The terms and fields of a change in one line.
std::string in_one_line(const SyncObject& object) {
  std::string text = size_line(object);
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const TermChange& each : object.terms) {
    add(std::string(each.term) + " " + code(each.before) + " → " + code(each.after));
  }
  const auto changes = other_changes(object);
  for (std::size_t i = 0; i < std::min<std::size_t>(changes.size(), 3); ++i) {
    add(code(foreign_text(changes[i]->path)) + " " + code(changes[i]->before) + " → " +
        code(changes[i]->after));
  }
  if (changes.size() > 3) add(std::to_string(changes.size() - 3) + " more fields");
  return text;
}

}  // namespace

std::string sync_plan_summary(const SyncPlan& plan) {
  std::string text;
  const auto add = [&text](std::ptrdiff_t count, std::string_view what) {
    if (count != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(what);
  };
  for (const ActionWords& words : all_action_words()) {
    add(std::ranges::count_if(plan.objects,
                              [&words](const SyncObject& each) {
                                return each.action == words.action && !is_derived_alone(each);
                              }),
        words.summary);
  }
  add(std::ranges::count_if(plan.objects, is_derived_alone), "in names and digests alone");
  if (text.empty()) text = "nothing to do";
  const std::int64_t more = plan.gpus_after - plan.gpus_before;
  if (plan.gpus_after == 0 && plan.gpus_before == 0) return text;
  text += "; GPUs " + std::to_string(plan.gpus_before) + " -> " + std::to_string(plan.gpus_after);
  text += " (" + (more == 0 ? std::string("as many") : signed_number(more));
  for (const auto& [queue, count] : plan.gpus_by_queue) {
    text += "; " + (queue.empty() ? "no queue" : "queue " + queue) + " " + signed_number(count);
  }
  return text + ")";
}

std::string sync_plan_text(const SyncPlan& plan) {
  std::string text;
  std::string_view unit;
  for (const SyncObject& each : plan.objects) {
    if (!is_shown(each)) continue;
    if (each.shown().unit != unit) {
      unit = each.shown().unit;
      text += (text.empty() ? "" : "\n") + foreign_text(unit) + "\n";
    }
    text += lines_of(each);
  }
  if (!plan.blocked.empty()) text += "\n";
  for (const BlockedUnit& each : plan.blocked) text += blocked_line(plan, each) + "\n";
  return text + (text.empty() ? "" : "\n") + sync_plan_summary(plan) + ".\n";
}

std::string sync_plan_markdown(const SyncPlan& plan) {
  std::string rows;
  for (const SyncObject& each : plan.objects) {
    if (!is_shown(each)) continue;
    std::string why = each.because;
    if (const std::string runs = running(each); !runs.empty())
      why += (why.empty() ? "" : "; ") + runs;
    rows += "| " + cell(foreign_text(each.shown().unit)) + " | " + cell(name_of(each.shown())) +
            " | " + std::string(words_of(each.action).verdict) + " | " + cell(in_one_line(each)) +
            " | " + cell(why) + " |\n";
  }
  std::string text;
  if (!rows.empty()) {
    text =
        "| unit | object | verdict | what changes | why |\n|---|---|---|---|---|\n" + rows + "\n";
  }
  for (const BlockedUnit& each : plan.blocked) text += "* " + cell(blocked_line(plan, each)) + "\n";
  if (!plan.blocked.empty()) text += "\n";
  return text + "**" + cell(sync_plan_summary(plan)) + "**\n";
}

}  // namespace trainyard
