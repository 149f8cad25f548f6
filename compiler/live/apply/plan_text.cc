#include "live/apply/plan_text.h"

#include <algorithm>
#include <unordered_map>

#include "diag/foreign_text.h"
#include "diag/words.h"

namespace trainyard {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kShownOthers = 3;  // of what is refused for one reason, beside the first
constexpr std::string_view kDigestPath = "metadata.annotations[trainyard/digest]";

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + " ";
}

std::string heading(const PlannedObject& object) {
  const ActionWords& words = words_of(object.action);
  std::string line = std::string("  ") + words.sign + " " +
                     padded(foreign_text(object.kind + "/" + object.name), kNameWidth) +
                     std::string(words.line);
  const bool stops = object.runs && ends_pods(object.action);
  if (object.awaits_end) line += ", once the old one is gone";
  if (stops) line += ": it runs" + (object.since.empty() ? "" : " since " + object.since);
  return line + "\n";
}

std::string change_lines(const ValueChange& change, const std::string& place) {
  std::string text =
      "      " + padded(foreign_text(change.path), place.empty() ? 0 : 56) + foreign_text(place);
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  if (!change.before.empty()) text += "        - " + change.before + "\n";
  if (!change.after.empty()) text += "        + " + change.after + "\n";
  return text;
}

std::string conflict_lines(const FieldConflict& conflict) {
  std::string text = "      " + foreign_text(conflict.path) + " is " + shown(conflict.manager) +
                     "'s" + (conflict.theirs.empty() ? "" : ", who wants " + conflict.theirs);
  return text + (conflict.place.empty() ? "" : "; ours is at " + foreign_text(conflict.place)) +
         "\n";
}

std::string lines_of(const PlannedObject& object) {
  std::string text = heading(object);
  for (std::size_t i = 0; i < object.changes.size(); ++i) {
    // It follows from the other changes.
    if (object.changes[i].path == kDigestPath && object.changes.size() > 1) continue;
    text += change_lines(object.changes[i], i < object.places.size() ? object.places[i] : "");
  }
  for (const FieldConflict& conflict : object.conflicts) text += conflict_lines(conflict);
  if (!object.because.empty()) text += "      because " + foreign_text(object.because) + "\n";
  if (!object.help.empty()) text += "      help: " + object.help + "\n";
  return text;
}

std::string name_of_object(const PlannedObject& object) {
  return foreign_text(object.kind + "/" + object.name);
}

/// The sentence of a refusal without the name of the object that it is about.
std::string reason_of(const PlannedObject& object) {
  std::string reason = object.because;
  const std::string name = "\"" + object.name + "\"";
  for (std::size_t at = reason.find(name); at != reason.npos; at = reason.find(name, at)) {
    reason.erase(at, name.size());
  }
  return reason;
}

/// `      and 3999 more for the same reason: Job/b (b.yaml), ...`
std::string others_line(const Refusal& refusal) {
  if (refusal.size() == 1) return {};
  std::string text =
      "      and " + std::to_string(refusal.size() - 1) + " more for the same reason: ";
  for (std::size_t i = 1; i < std::min(refusal.size(), kShownOthers + 1); ++i) {
    const PlannedObject& each = *refusal[i];
    text += (i == 1 ? "" : ", ") + name_of_object(each);
    if (each.set != nullptr && !each.set->source.empty()) {
      text += " (" + foreign_text(each.set->source) + ")";
    }
  }
  return text + (refusal.size() > kShownOthers + 1 ? ", ...\n" : "\n");
}

std::string member(std::string_view name, std::string_view text) {
  return quoted(name) + ": " + quoted(text);
}

std::string change_json(const ValueChange& change, const std::string& place) {
  return "{" + member("path", change.path) + ", " + member("before", change.before) + ", " +
         member("after", change.after) + ", " + member("spec", place) + "}";
}

std::string object_json(const PlannedObject& object) {
  std::string changes;
  for (std::size_t i = 0; i < object.changes.size(); ++i) {
    changes += (i == 0 ? "" : ", ") +
               change_json(object.changes[i], i < object.places.size() ? object.places[i] : "");
  }
  std::string conflicts;
  for (const FieldConflict& each : object.conflicts) {
    conflicts += (conflicts.empty() ? "{" : ", {") + member("path", each.path) + ", " +
                 member("manager", each.manager) + ", " + member("theirs", each.theirs) + ", " +
                 member("spec", each.place) + "}";
  }
  return "{" + member("kind", object.kind) + ", " + member("namespace", object.name_space) + ", " +
         member("name", object.name) + ", " + member("action", name_of(object.action)) +
         ", \"runs\": " + (object.runs ? "true" : "false") + ", " +
         member("because", object.because) + ", \"changes\": [" + changes + "], \"conflicts\": [" +
         conflicts + "]}";
}

}  // namespace

std::string_view name_of(Action action) {
  return words_of(action).name;
}

std::string plan_summary(const ClusterPlan& plan) {
  std::string text;
  for (const ActionWords& words : all_action_words()) {
    const auto count = std::ranges::count(plan.objects, words.action, &PlannedObject::action);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(words.summary);
  }
  return text.empty() ? "nothing to do" : text;
}

std::string plan_text(const ClusterPlan& plan) {
  std::unordered_map<const PlannedObject*, const Refusal*> refusals;
  const std::vector<Refusal> all = refusals_in(plan);
  for (const Refusal& each : all) refusals[each.front()] = &each;
  std::string text;
  for (const PlannedObject& object : plan.objects) {
    const auto refusal = refusals.find(&object);
    if (object.action == Action::Refused && refusal == refusals.end()) continue;
    text += lines_of(object);
    if (refusal != refusals.end()) text += others_line(*refusal->second);
  }
  return text + "\n" + plan_summary(plan) + ".";
}

std::vector<Refusal> refusals_in(const ClusterPlan& plan) {
  std::vector<Refusal> refusals;
  std::unordered_map<std::string, std::size_t> places;
  for (const PlannedObject& object : plan.objects) {
    if (object.action != Action::Refused) continue;
    const auto [place, is_new] = places.try_emplace(reason_of(object), refusals.size());
    if (is_new) refusals.emplace_back();
    refusals[place->second].push_back(&object);
  }
  return refusals;
}

std::string refusal_summary(const ClusterPlan& plan) {
  const std::vector<Refusal> refusals = refusals_in(plan);
  const PlannedObject& first = *refusals.front().front();
  const std::size_t more = refusals.front().size() - 1;
  std::string text = "the cluster refuses " + name_of_object(first);
  if (more > 0) text += " and " + std::to_string(more) + " more";
  text += ": " + first.because;
  const std::size_t others = refusals.size() - 1;
  if (others > 0) {
    text +=
        "; and others for " + std::to_string(others) + " other reason" + (others == 1 ? "" : "s");
  }
  return text;
}

std::string conflict_summary(const ClusterPlan& plan) {
  std::string text;
  std::size_t more = 0;
  for (const PlannedObject& object : plan.objects) {
    for (const FieldConflict& each : object.conflicts) {
      if (!text.empty()) {
        ++more;
        continue;
      }
      text = "`" + foreign_text(each.path) + "` of " + name_of_object(object) + " is " +
             shown(each.manager) + "'s, with another value";
    }
  }
  if (text.empty()) return "other managers have fields that differ";
  if (more == 0) return text;
  return text + "; so " +
         (more == 1 ? "is 1 more field" : "are " + std::to_string(more) + " more fields");
}

std::string plan_json(const ClusterPlan& plan) {
  std::string list;
  for (const PlannedObject& object : plan.objects) {
    list += (list.empty() ? "" : ",\n    ") + object_json(object);
  }
  return "[" + list + "]";
}

}  // namespace trainyard
