#pragma once

#include <string>
#include <vector>

#include "driver/plan/field_owner.h"
#include "driver/plan/object_diff.h"
#include "driver/plan/sync_plan.h"

namespace trainyard {

/// A field of a live object that is not as the tree has it.
struct DriftedField {
  ValueChange change;  // from the tree to the cluster
  std::vector<FieldOwner> owners;
};

enum class DriftKind : std::uint8_t {
  Changed,  // fields differ
  Missing,  // the cluster does not have it
  Left,     // the tool keeps it together with objects of the tree, and the tree does not have it
};

/// An object that differs.
struct DriftedObject {
  const TreeObject* object = nullptr;  // of the tree, or of the dump for one that is left
  DriftKind kind = DriftKind::Changed;
  std::vector<DriftedField> fields;
};

struct Drift {
  std::vector<DriftedObject> objects;
  std::size_t alike = 0;
  bool knows_owners = false;  // an object of the dump has `managedFields`
};

/// How the objects of the dump differ from the tree. What the tree leaves out counts only where the
/// tool has applied it, or a person has written it: all else is a default, or a controller's.
Drift find_drift(Session& session, const SyncStates& states);

/// For people, fit for a terminal.
std::string drift_text(const Drift& drift);
/// The members `objects` and `alike` of a JSON document.
std::string drift_json(const Drift& drift);

}  // namespace trainyard
