#include "driver/checks/overlays_check.h"

#include <set>
#include <tuple>
#include <utility>

#include "check/object_checks.h"
#include "diag/foreign_text.h"
#include "driver/checks/file_scripts_check.h"
#include "manifest/inventory.h"

namespace trainyard {
namespace {

/// What makes two findings one.
using Said = std::tuple<FileId, std::uint32_t, std::string>;

Said said_by(const Diagnostic& each) {
  return {each.span.file, each.span.begin, each.message};
}

/// All that is to be said of an object among others.
Sink findings_of(View object, const Inventory& others, Session& session,
                 const CheckInputs& surroundings) {
  CheckInputs inside = surroundings;
  inside.inventory = &others;
  Sink found;
  auto flagged = check_shape(object.tree(), object.id(), session.sources, session.schema_sources(),
                             inside, found);
  if (flagged) {
    run_checks_of(object.tree(), object.id(), std::move(*flagged), inside, found);
  }
  ask_with_scripts(object, {}, inside, found);
  session.policies.check(object, false, found);
  return found;
}

void state_generated(const Overlay& overlay, Inventory& to) {
  for (const std::string& name : overlay.config_maps) to.state("", "ConfigMap", name);
  for (const std::string& name : overlay.secrets) to.state("", "Secret", name);
}

}  // namespace

std::vector<Diagnostic> check_overlays(Session& session, const Overlays& overlays,
                                       const CheckInputs& surroundings) {
  std::vector<Diagnostic> result;
  if (overlays.all.empty()) return result;
  std::set<Said> reported;
  for (const Overlay& overlay : overlays.all) {
    Inventory before(surroundings.inventory);
    Inventory now(surroundings.inventory);
    state_generated(overlay, before);
    state_generated(overlay, now);
    for (const OverlaidObject& each : overlay.objects) {
      before.add(each.before);
      now.add(each.now);
    }
    for (const OverlaidObject& each : overlay.objects) {
      std::set<std::string> known;  // also where the place is another: the patch repeats it
      const Sink of_before = findings_of(each.before, before, session, surroundings);
      for (const Diagnostic& old : of_before.all()) known.insert(old.message);
      const Sink of_now = findings_of(each.now, now, session, surroundings);
      for (Diagnostic found : of_now.all()) {
        if (!found.span.known() || known.contains(found.message)) continue;
        if (!reported.insert(said_by(found)).second) continue;
        found.note("the kustomization of `" +
                   foreign_text(overlay.folder.empty() ? "./" : overlay.folder) +
                   "` makes this object");
        const bool is_in_patch = overlay.patches.contains(found.span.file);
        if (each.replaces_lists && is_in_patch && found.kind == DiagnosticKind::MissingField) {
          found.note(
              "kustomize replaces a list of this kind as a whole; a JSON patch changes one item");
        }
        result.push_back(std::move(found));
      }
    }
  }
  return result;
}

}  // namespace trainyard
