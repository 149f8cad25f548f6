#include "driver/plan/drift.h"

#include <algorithm>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "driver/plan/live_match.h"
#include "driver/plan/sync_diff.h"
#include "driver/plan/training_terms.h"

namespace trainyard {
namespace {

class DriftFinder {
 public:
  DriftFinder(Session& session, const SyncStates& states)
      : session_(session), states_(states), live_(states) {}

  Drift find() {
    for (const TreeObject& each : states_.after.objects()) {
      const TreeObject* live = live_.find(each);
      if (live == nullptr) {
        drift_.objects.push_back({&each, DriftKind::Missing, {}});
      } else {
        compare(each, *live);
      }
    }
    for (const TreeObject* each : live_.left()) {
      drift_.objects.push_back({each, DriftKind::Left, {}});
    }
    live_.tell_foreign(session_);
    return std::move(drift_);
  }

 private:
  void compare(const TreeObject& wanted, const TreeObject& live) {
    const View object = live.object;
    drift_.knows_owners = drift_.knows_owners || object["metadata"]["managedFields"];
    const WasWritten written = [&](std::string_view path) {
      return was_applied(object, View(), manager_of(states_.tool), path) ||
             std::ranges::any_of(owners_of(object, path), is_person);
    };
    DriftedObject drifted{&wanted, DriftKind::Changed, {}};
    if (!live_differences(object, wanted.object, written).empty()) {
      const Tree stored = stored_form(wanted.object, session_.schema_sources());
      const bool is_secret = wanted.kind() == "Secret";
      const bool is_untouched = !marks_of(states_.tool, wanted.object).untouched.empty();
      for (const Difference& each :
           live_differences(object, View(stored, stored.root()), written)) {
        if (is_derived(each.path) || is_last_applied(each.path)) continue;
        if (is_untouched && is_mark(each)) continue;
        drifted.fields.push_back({shown_change({each.path, each.after, each.before}, is_secret),
                                  owners_of(object, each.path)});
      }
    }
    if (drifted.fields.empty()) {
      ++drift_.alike;
    } else {
      drift_.objects.push_back(std::move(drifted));
    }
  }

  /// The note that `kubectl apply` leaves for itself.
  static bool is_last_applied(std::string_view path) {
    return path.ends_with("[kubectl.kubernetes.io/last-applied-configuration]");
  }

  /// A label or an annotation that an object lacks to which the tool applies nothing any more.
  static bool is_mark(const Difference& each) {
    return each.path.starts_with("metadata.") && !each.before;
  }

  Session& session_;
  const SyncStates& states_;
  LiveMatch live_;
  Drift drift_;
};

std::string owner_text(const DriftedField& field) {
  std::string text;
  for (const FieldOwner& each : field.owners) {
    text += (text.empty() ? "by " : " and ") + foreign_text(each.manager);
    if (!each.time.empty()) text += " at " + foreign_text(each.time);
  }
  return text;
}

std::string heading(const DriftedObject& drifted) {
  const std::string_view ns = drifted.object->name_space();
  const std::string name =
      foreign_text(label_of(*drifted.object) + (ns.empty() ? "" : " (" + std::string(ns) + ")"));
  switch (drifted.kind) {
    case DriftKind::Missing:
      return "  - " + name + " is not on the cluster\n";
    case DriftKind::Left:
      return "  + " + name + " is on the cluster, and the tree does not have it\n";
    case DriftKind::Changed:
      break;
  }
  return "  ~ " + name + "\n";
}

std::string_view name_of(DriftKind kind) {
  if (kind == DriftKind::Missing) return "missing";
  return kind == DriftKind::Left ? "left" : "changed";
}

std::string member(std::string_view name, std::string_view text) {
  return quoted(name) + ": " + quoted(text);
}

std::string field_json(const DriftedField& field) {
  std::string owners;
  for (const FieldOwner& each : field.owners) {
    owners += (owners.empty() ? "{" : ", {") + member("manager", each.manager) + ", " +
              member("time", each.time) + "}";
  }
  return "{" + member("path", field.change.path) + ", " + member("tree", field.change.before) +
         ", " + member("live", field.change.after) + ", \"owners\": [" + owners + "]}";
}

}  // namespace

Drift find_drift(Session& session, const SyncStates& states) {
  return DriftFinder(session, states).find();
}

std::string drift_text(const Drift& drift) {
  std::string text;
  for (const DriftedObject& object : drift.objects) {
    text += heading(object);
    for (const DriftedField& field : object.fields) {
      text += "      " + foreign_text(field.change.path) + "\n";
      text +=
          "        tree: " + (field.change.before.empty() ? "none" : field.change.before) + "\n";
      text += "        live: " + (field.change.after.empty() ? "none" : field.change.after);
      const std::string owner = owner_text(field);
      text += (owner.empty() ? "" : "  (" + owner + ")") + "\n";
    }
  }
  if (!text.empty()) text += "\n";
  const auto counted_objects = [](std::size_t count) {
    return counted(static_cast<std::uint32_t>(count), "object");
  };
  text += drift.objects.empty() ? "no drift: " + counted_objects(drift.alike) + " as in the tree\n"
                                : counted_objects(drift.objects.size()) + " with drift, " +
                                      std::to_string(drift.alike) + " as in the tree\n";
  if (!drift.objects.empty() && !drift.knows_owners) {
    text += "`kubectl get --show-managed-fields` shows who has written a field\n";
  }
  return text;
}

std::string drift_json(const Drift& drift) {
  std::string objects;
  for (const DriftedObject& each : drift.objects) {
    std::string fields;
    for (const DriftedField& field : each.fields) {
      fields += (fields.empty() ? "" : ", ") + field_json(field);
    }
    objects += (objects.empty() ? "" : ",\n    ") + std::string("{") +
               member("apiVersion", each.object->object["apiVersion"].text()) + ", " +
               member("kind", each.object->kind()) + ", " +
               member("namespace", each.object->name_space()) + ", " +
               member("name", each.object->name()) + ", " + member("drift", name_of(each.kind)) +
               ", \"fields\": [" + fields + "]}";
  }
  return "\"objects\": [" + objects + "],\n  \"alike\": " + std::to_string(drift.alike);
}

}  // namespace trainyard
