#include "driver/object_names.h"

#include "check/place.h"

namespace trainyard {
namespace {

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : api_version.substr(0, slash);
}

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

bool ObjectNames::add(const ObjectSet& objects, const Origins& origins, Sink& sink) {
  bool all_new = true;
  for (const Object& object : objects.objects) {
    const View name = View(objects.tree, object.root)["metadata"]["name"];
    const Span place = text_place(origins, name->origin);
    const auto [other, is_new] = places_.emplace(identity(objects, object), place);
    if (is_new) continue;
    all_new = false;
    sink.report(DiagnosticKind::NameCollision, place,
                "a second " + std::string(object.kind) + " comes out as `" +
                    std::string(object.name) + "`")
        .also(other->second, "the first one");
  }
  return all_new;
}

}  // namespace trainyard
