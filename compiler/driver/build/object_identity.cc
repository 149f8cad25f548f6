#include "driver/build/object_identity.h"

#include <string_view>
#include <utility>

#include "manifest/pod_templates.h"
#include "tree/origin_span.h"

namespace trainyard {
namespace {

/// What the API server tells objects apart by.
std::string identity(const ObjectSet& objects, const Object& object) {
  const View ns = View(objects.tree, object.root)["metadata"]["namespace"];
  const std::string_view group = group_of(object.api_version);
  std::string text;
  text.reserve(group.size() + object.kind.size() + ns.text().size() + object.name.size() + 3);
  text += group;
  for (std::string_view part : {object.kind, ns.text(), object.name}) {
    text += '/';
    text += part;
  }
  return text;
}

/// Takes the last part of an identity off.
std::string last_part(std::string_view& identity) {
  const std::size_t slash = identity.rfind('/');
  const std::string part(identity.substr(slash + 1));
  identity = identity.substr(0, slash);
  return part;
}

}  // namespace

void name_objects(const ObjectSet& objects, const Origins& origins,
                  std::vector<IdentifiedObject>& out) {
  for (const Object& object : objects.objects) {
    const View name = View(objects.tree, object.root)["metadata"]["name"];
    out.push_back({identity(objects, object), span_of_origin(origins, name->origin)});
  }
}

bool ObjectIdentities::add(IdentifiedObject object, Sink& sink) {
  const auto [other, is_new] = places_.try_emplace(std::move(object.identity), object.place);
  if (is_new) return true;
  std::string_view rest = other->first;
  const std::string name = last_part(rest);
  last_part(rest);  // the namespace
  sink.report(DiagnosticKind::NameCollision, object.place,
              "a second " + last_part(rest) + " comes out as `" + name + "`")
      .also(other->second, "the first one");
  return false;
}

}  // namespace trainyard
