#include "driver/checks/file_scripts_check.h"

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "check/check.h"
#include "diag/words.h"
#include "driver/checks/path_at.h"
#include "driver/checks/reported_spans.h"
#include "driver/session/all_checks.h"
#include "manifest/file_scripts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What the user asks for, without the checks that do not look at scripts: they have spoken.
Severities of_lints_only(const Severities* asked) {
  Severities severities = asked == nullptr ? Severities() : *asked;
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) {
      if (!check.is_lint()) severities.set(std::string(check.name), kCheckOff);
    }
  }
  return severities;
}

bool is_in(Span span, View text) {
  return span.file == text->span.file && text->span.begin <= span.begin &&
         span.end <= text->span.end;
}

/// What is found in the text of a ConfigMap is no field of the object that runs it, whose other
/// arguments have other places than in the object itself.
void lead_to_source(Diagnostic& found, View object, const ScriptedObject& scripted) {
  for (const ScriptedObject::Script& script : scripted.scripts) {
    if (!is_in(found.span, script.text)) continue;
    FindingPaths paths;
    paths.start(script.config_map);
    found.path.clear();
    paths.find(script.text.id(), found.path);
    found.note("container " + shown(script.container) + " of " +
               std::string(string_at(object, "kind")) + " " +
               shown(string_at(get(object, "metadata"), "name")) +
               (script.is_value ? " takes this value" : " runs this script"));
    return;
  }
  if (found.path.find(".command[") == std::string::npos) return;
  const std::size_t colon = found.path.find(':');  // behind the name of an object that others make
  const std::string name = colon == std::string::npos ? "" : found.path.substr(0, colon + 1);
  const std::string path = path_at(object, found.span);
  found.path = path.empty() ? path : name + path;
}

template <class MakeContext>
void ask(View object, const std::string& name, const CheckInputs& surroundings, Sink& sink,
         MakeContext make_context) {
  if (surroundings.inventory == nullptr) return;
  const ScriptedObject scripted = with_scripts(object, *surroundings.inventory);
  if (scripted.scripts.empty()) return;
  const Severities severities = of_lints_only(surroundings.severities);
  CheckInputs inside = surroundings;
  CheckSelection selection(inside.versions, inside.selection->tables(), &severities);
  inside.severities = &severities;
  inside.selection = &selection;
  Sink found;
  CheckContext context = make_context(inside, found);
  run_checks(View(scripted.tree, scripted.tree.root()), name, {}, context);
  for (Diagnostic each : found.all()) {
    if (each.span.known()) lead_to_source(each, object, scripted);
    sink.report(std::move(each));
  }
}

}  // namespace

void ask_with_scripts(View object, const std::string& name, const CheckInputs& surroundings,
                      Sink& sink) {
  ask(object, name, surroundings, sink,
      [](const CheckInputs& inside, Sink& found) { return CheckContext(inside, found); });
}

void ask_with_scripts(View object, const std::string& name, const CheckInputs& surroundings,
                      const Origins& origins, Documents documents, Sink& sink) {
  ask(object, name, surroundings, sink, [&](const CheckInputs& inside, Sink& found) {
    return CheckContext(inside, origins, documents, found);
  });
}

void check_file_scripts(Session& session, const std::vector<View>& objects,
                        const CheckInputs& surroundings) {
  std::optional<ReportedSpans> spoken;
  std::set<std::tuple<FileId, std::uint32_t, std::string>> reported;
  for (View object : objects) {
    Sink found;
    ask_with_scripts(object, {}, surroundings, found);
    if (found.all().empty()) continue;
    if (!spoken) spoken.emplace(session.sink);
    for (Diagnostic each : found.all()) {
      if (!each.span.known() || spoken->covers(each.span)) continue;
      if (!reported.emplace(each.span.file, each.span.begin, each.message).second) continue;
      session.sink.report(std::move(each));
    }
  }
}

}  // namespace trainyard
