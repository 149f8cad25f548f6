#include "driver/object_names.h"

#include "check/place.h"
#include "check/pod_templates.h"

namespace trainyard {
namespace {

/// What the API server tells objects apart by.
std::string identity(const ObjectSet& objects, const Object& object) {
  const View ns = View(objects.tree, object.root)["metadata"]["namespace"];
  std::string text(group_of(object.api_version));
  for (std::string_view part : {object.kind, ns.text(), object.name}) {
    text += '/';
    text += part;
  }
  return text;
}

}  // namespace

void name_objects(const ObjectSet& objects, const Origins& origins, std::vector<NamedObject>& out) {
  for (const Object& object : objects.objects) {
    const View name = View(objects.tree, object.root)["metadata"]["name"];
    out.push_back({identity(objects, object), std::string(object.kind), std::string(object.name),
                   text_place(origins, name->origin)});
  }
}

bool ObjectNames::add(const NamedObject& object, Sink& sink) {
  const auto [other, is_new] = places_.emplace(object.identity, object.place);
  if (is_new) return true;
  sink.report(DiagnosticKind::NameCollision, object.place,
              "a second " + object.kind + " comes out as `" + object.name + "`")
      .also(other->second, "the first one");
  return false;
}

}  // namespace trainyard
