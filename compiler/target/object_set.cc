#include "target/object_set.h"

namespace trainyard {

void ObjectSet::add(NodeId root) {
  const View object(tree, root);
  objects.push_back({root, object["apiVersion"].text(), object["kind"].text(),
                     object["metadata"]["name"].text()});
}

void fill_target(const Plan& plan, const TargetPack& pack, const std::optional<Release>& release,
                 Origins& origins, ObjectSet& out, Sink& sink) {
  Filler filler(plan, pack.pod, out.tree, origins, sink);
  for (const DocumentTemplate& document : pack.documents) {
    if (!document.span.holds(release)) continue;
    for (NodeId root : filler.fill(*document.form)) out.add(root);
  }
  out.pods = filler.pods();
}

void fill_platform(const PlatformPlan& plan, const PlatformPack& pack, Origins& origins,
                   ObjectSet& out, Sink& sink) {
  Filler filler(plan, out.tree, origins, sink);
  for (const Template* document : pack.documents) {
    for (NodeId root : filler.fill(*document)) out.add(root);
  }
}

}  // namespace trainyard
