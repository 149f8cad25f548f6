#include "driver/build/object_identity.h"

#include <string_view>
#include <utility>

#include "manifest/pod_templates.h"
#include "tree/origin_span.h"
#include "tree/typed_fields.h"

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

/// Jobs whose controllers put names together of those of the job and its roles.
struct NamingController {
  std::string_view group, kind;
  std::string_view roles;  // the list of them
  std::string_view made;   // group and kind of what it makes first
};
// kubernetes-sigs/jobset pkg/util/placement/placement.go; volcano-sh/volcano
// pkg/controllers/job/helpers/helpers.go
constexpr NamingController kNaming[] = {
    {"jobset.x-k8s.io", "JobSet", "replicatedJobs", "batch/Job"},
    {"batch.volcano.sh", "Job", "tasks", "/Pod"},
};

void name_made(const ObjectSet& objects, const Object& object, Span place,
               std::vector<IdentifiedObject>& out) {
  const View root(objects.tree, object.root);
  for (const NamingController& each : kNaming) {
    if (each.kind != object.kind || each.group != group_of(object.api_version)) continue;
    const std::string start = std::string(each.made) + "/" +
                              std::string(root["metadata"]["namespace"].text()) + "/" +
                              std::string(object.name) + "-";
    for (View role : Items(root["spec"][each.roles])) {
      out.push_back({start + std::string(role["name"].text()) + "-0", place});
    }
  }
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
    const Span place = span_of_origin(origins, name->origin);
    out.push_back({identity(objects, object), place});
    name_made(objects, object, place, out);
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
