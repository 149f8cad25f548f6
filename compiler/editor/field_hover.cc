#include "editor/field_hover.h"

#include <utility>

#include "diag/words.h"
#include "driver/explain/explain_names.h"
#include "driver/explain/page.h"
#include "editor/causes_of_line.h"
#include "editor/field_place.h"
#include "editor/filled_in.h"
#include "editor/known_names.h"
#include "schema/describe.h"

namespace trainyard {
namespace {

std::string of_field(const FieldPlace& place) {
  if (place.pack == nullptr) return {};
  const FieldHelp help = describe_field(*place.pack, *place.kind, place.path);
  if (!help.ok()) return {};
  const FieldFacts& facts = help.facts;
  std::string text = "**`" + help.path + "`** " + facts.type + (facts.required ? ", required" : "");
  text += " (" + std::string(place.pack->text(place.kind->kind)) + ")";
  if (!facts.description.empty()) text += "\n\n" + facts.description;
  std::vector<std::string> allowed;
  for (const std::string& each : facts.allowed) allowed.push_back(plain_json(each));
  if (!allowed.empty()) text += "\n\nOne of: " + listed(allowed, "or");
  if (!facts.default_value.empty()) {
    text += "\n\nDefault: `" + plain_json(facts.default_value) + "`";
  }
  for (const auto& [label, limit] : help.limits) text += "\n\n" + label + ": `" + limit + "`";
  std::string defaults;
  for (const FieldFacts& each : help.fields) {
    if (each.default_value.empty()) continue;
    defaults += "\n- `" + each.name + ": " + plain_json(each.default_value) + "`";
  }
  if (!defaults.empty()) text += "\n\nDefaults of its fields:\n" + defaults;
  return text;
}

bool holds_fields(const FieldPlace& place) {
  return place.is_known() && place.node().properties.count != 0 &&
         place.pack->text(place.kind->kind) == "TrainingJob";
}

std::string of_name(Workspace& workspace, EditorRun& run, const Outline& outline,
                    const SortedName& name) {
  Page page;
  if (name.sort == NameSort::Machine) page = explain_machine(run.session, name.name);
  if (name.sort == NameSort::Fabric) page = explain_fabric(run.session, name.name);
  if (name.sort == NameSort::Target) page = explain_target(run.session, name.name);
  if (!page.empty()) return "```text\n" + page_text(page) + "```";
  for (const KnownName& each : known_names(workspace, run, outline, name.sort)) {
    const bool is_told = !each.about.empty() && name.sort != NameSort::Image;
    if (each.name == name.name && is_told) return "`" + each.name + "`: " + each.about;
  }
  return {};
}

}  // namespace

Json hover(Workspace& workspace, const OpenDocument& document, std::size_t offset) {
  const Outline outline(document.text);
  std::string text = causes_text(workspace, document, document.lines.line_of(offset));
  const auto node = outline.at(offset);
  if (!node && text.empty()) return nullptr;
  Json result = Json::object();
  if (node) {
    EditorRun run(workspace, document.path);
    const OutlineNode& at = outline[*node];
    const bool on_key = outline.is_on_key(*node, offset);
    std::string help;
    const auto name = on_key ? std::nullopt : name_at(outline, *node, false);
    if (name) help = of_name(workspace, run, outline, *name);
    const FieldPlace place = field_place(run.session, document.path, outline, *node);
    const std::string field = of_field(place);
    if (!field.empty()) help += (help.empty() ? "" : "\n\n") + field;
    if (on_key && holds_fields(place) && place.path.starts_with("spec")) {
      const std::string filled = filled_in(workspace, document, place.path);
      if (!filled.empty()) help += "\n\nBy default, this job gets:\n" + filled;
    }
    if (!help.empty()) text += (text.empty() ? "" : "\n\n---\n\n") + help;
    result["range"] = range_json(document.lines, document.text, on_key ? at.begin : at.value,
                                 on_key ? at.end : at.value_end, workspace.unit);
  }
  if (text.empty()) return nullptr;
  result["contents"] = {{"kind", "markdown"}, {"value", std::move(text)}};
  return result;
}

}  // namespace trainyard
