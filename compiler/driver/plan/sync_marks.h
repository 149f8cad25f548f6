#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

/// Who syncs a tree to a cluster.
enum class SyncTool : std::uint8_t { None, ArgoCd, Flux };
/// `argocd`, `flux`; nothing for another word.
std::optional<SyncTool> sync_tool(std::string_view word);
/// As people call it: "Argo CD".
std::string_view name_of(SyncTool tool);

/// Tools that the annotations and labels of an object speak to.
struct SpokenTo {
  bool argocd = false;
  bool flux = false;
};
SpokenTo tools_of(View object);

/// What an object asks of the tool that syncs it.
struct SyncMarks {
  bool forces = false;         // what cannot be changed is deleted and made again
  bool always = false;         // so is what could be changed
  bool replaces = false;       // all of it is replaced, not only what changes
  bool server_side = false;    // Argo CD applies it on the server's side, as Flux always does
  bool is_hook = false;        // it is made anew by every sync
  std::string_view untouched;  // why a change of it is not applied; "" where it is
  bool is_never_made = false;  // nor is it made where it is not there
  std::string kept;            // why it is not pruned; "" where it is
  bool asks = false;           // a person has to agree to its end
  int wave = 0;
};
/// Without a tool, marks of either keep an object, and no others count.
SyncMarks marks_of(SyncTool tool, View object);

/// A copy of an object without the annotations that have a tool delete it before it is applied:
/// what an API server would say of it as a change.
Tree without_force(View object);
/// Whether it has any of them.
bool has_force(View object);

/// Why Argo CD fails to apply an object with these marks, whatever it changes; "" where it does
/// not. `is_there` says that the cluster has it.
std::string_view unapplied(const SyncMarks& marks, View object, bool is_there);

/// Why server-side apply fails once the object is there, even if nothing changes; "" where it does
/// not.
std::string reapply_fault(const JobKinds& kinds, SyncTool tool, const SyncMarks& marks,
                          View object);

/// Why a tool cannot force an object of this kind, although an option asks for it; "" if it can.
std::string_view unforceable(SyncTool tool, View object);

}  // namespace trainyard
