#include "driver/build/compile_platform.h"

#include <string>
#include <vector>

#include "check/objects.h"
#include "driver/build/written_form.h"
#include "driver/session/all_checks.h"
#include "driver/session/lock_files.h"
#include "driver/session/surroundings.h"
#include "platform/platform.h"

namespace trainyard {
namespace {

void check(Session& session, PlatformCompilation& out) {
  const ClusterDocument& cluster = *out.cluster;
  Inventory inventory(&cluster.inventory);
  for (const Object& object : out.objects.objects) {
    inventory.add(View(out.objects.tree, object.root));
  }
  // Not the selection of the session, which is for the Cluster of its jobs.
  CheckSelection selection(versions_for(session, &cluster), session.policies.checks(),
                           &session.severities);
  CheckInputs surroundings{selection.versions(), &inventory, &selection};
  surroundings.severities = &session.severities;
  surroundings.cluster = &cluster.cluster;
  surroundings.cluster_tree = &cluster.tree;
  surroundings.from_spec = true;
  const std::vector<const Tree*> documents{&cluster.tree};
  check_objects(out.objects, session.schema_sources(), surroundings, out.origins, documents,
                session.sink);
}

}  // namespace

PlatformCompilation::PlatformCompilation() = default;
PlatformCompilation::~PlatformCompilation() = default;

std::unique_ptr<PlatformCompilation> compile_platform(Session& session, Document& document,
                                                      bool tells_of_nothing) {
  Sink& sink = session.sink;
  const std::size_t errors = sink.error_count();
  auto out = std::make_unique<PlatformCompilation>();
  const std::string path = document.path;
  out->cluster = take_cluster(session, document);
  const PlatformPack* pack = session.targets.platform(sink);
  if (out->cluster == nullptr || pack == nullptr) return nullptr;
  // The document has the shape of the language.

  PlatformInput input;
  input.cluster = &out->cluster->cluster;
  input.cluster_tree = &out->cluster->tree;
  input.machines = &session.machines;
  input.apis = pack->apis;
  plan_platform(input, out->plan, out->origins, sink);
  if (sink.error_count() != errors) return nullptr;
  // The plan is finished; nothing below decides anything.

  fill_platform(out->plan, *pack, out->origins, out->objects, sink);
  pin_images(session, path, out->objects, out->origins);
  if (sink.error_count() != errors) return nullptr;
  into_written_form(session, out->cluster.get(), out->objects, out->origins);
  check(session, *out);
  const bool is_empty = out->objects.objects.empty() && sink.error_count() == errors;
  if (is_empty && tells_of_nothing) {
    sink.report(DiagnosticKind::NothingToMake, out->cluster->cluster.metadata->name.span,
                "the Cluster asks for no object: all that it lists already exists");
  }
  return sink.error_count() == errors ? std::move(out) : nullptr;
}

}  // namespace trainyard
