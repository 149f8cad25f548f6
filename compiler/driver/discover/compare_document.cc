#include "driver/discover/compare_document.h"

#include <algorithm>

#include "diag/words.h"
#include "driver/discover/discovered_document.h"
#include "driver/doctor/compare_cluster.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr DeviationKind kNotListed{
    "object-not-listed", "A list of the Cluster has all that is there.", Severity::Warning};

/// Lists whose entries have names. Pools and operators are compared by what they mean.
constexpr std::string_view kSections[] = {"queues",         "priorityClasses", "runtimes",
                                          "storageClasses", "csiDrivers",      "claims",
                                          "namespaces"};

std::string label_of(View entry) {
  const std::string_view name_space = string_at(entry, "namespace");
  const std::string name(string_at(entry, "name"));
  return name_space.empty() ? name : std::string(name_space) + "/" + name;
}

bool has_entry(View list, View wanted) {
  const Items entries(list);
  return std::any_of(entries.begin(), entries.end(),
                     [wanted](View each) { return label_of(each) == label_of(wanted); });
}

}  // namespace

DocumentDrift compare_document(Session& session, const ClusterDocument& document,
                               const Survey& survey) {
  DocumentDrift drift;
  Sink sink;
  Deviations deviations(sink);
  ComparedCluster compared;
  compare_cluster(session, document, survey, compared, deviations);
  // What the cluster has, as `discover` would write it. The tree refers to the text in `sources`.
  SourceMap sources;
  Sink unread;
  const FileId text =
      sources.add("discovered", discovered_document(survey, known_machines(session), {}));
  const std::vector<Tree> discovered = read_yaml(sources, text, unread);
  const View stated = View(document.tree, document.tree.root())["spec"];
  const View real = View(discovered.at(0), discovered.at(0).root())["spec"];
  for (const std::string_view section : kSections) {
    const View list = get(stated, section);
    if (!list && has_items(get(real, section))) drift.left_out.emplace_back(section);
    if (!list) continue;
    for (const View entry : items_at(real, section)) {
      if (has_entry(list, entry)) continue;
      deviations
          .add(kNotListed, list->key_span,
               "the cluster has " + shown(label_of(entry)) + ", which `" + std::string(section) +
                   "` does not list")
          .note("jobs that name it are refused: `trainyard discover` prints the entry");
    }
  }
  drift.differs = !sink.all().empty();
  for (const Diagnostic& each : sink.all()) session.sink.report(each);
  return drift;
}

}  // namespace trainyard
