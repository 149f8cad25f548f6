#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

#include "effective/fold_train_job.h"
#include "effective/pods.h"
#include "tree/json.h"
#include "tree/origin_span.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard::testing {

/// Texts of manifests and what is made from them, together for as long as a test looks at them.
struct Folded {
  SourceMap sources;
  std::vector<Tree> documents;
  Tree tree;
  Origins origins;
  Sink sink;
  FoldedTrainJob made;

  explicit Folded(std::string_view yaml) {
    const FileId file = sources.add("case.yaml", std::string(yaml));
    documents = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
    REQUIRE_FALSE(sink.has_errors());
  }

  View document(std::size_t index) const {
    REQUIRE(index < documents.size());
    return View(documents[index], documents[index].root());
  }

  /// Folds the TrainJob in one document into the runtime in the next.
  View job_set(std::size_t index, std::string_view trainer) {
    Versions versions;
    versions.add("trainer", trainer);
    PodBuilder maker(tree, origins);
    made = fold_train_job(
        maker, {document(index), document(index + 1), versions, SchemaPack::builtin()}, sink);
    return made.job_set == kNoNode ? View() : View(tree, made.job_set);
  }

  EffectivePod pod(View job, std::string_view role, std::int64_t index) {
    const PodKind* kind = find_pod_kind(job);
    REQUIRE(kind != nullptr);
    PodBuilder maker(tree, origins);
    return kind->pod(maker, job, role, index, {});
  }
  View view(NodeId id) const { return View(tree, id); }
};

inline std::string json(View value) {
  std::string text;
  if (value) write_json(value.tree(), value.id(), text, 0);
  return text;
}

/// The value at a path of keys and indices: `spec.containers.0.image`.
inline View at(View value, std::string_view path) {
  while (value && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    if (value->is_seq()) {
      NodeId item = value->first;
      for (int i = std::stoi(std::string(step)); i > 0 && item != kNoNode; --i) {
        item = value.tree()[item].next;
      }
      value = item == kNoNode ? View() : View(value.tree(), item);
    } else {
      value = get(value, step);
    }
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

/// `A=1 B=2`: variables in their order; what comes from elsewhere has `@`.
inline std::string env_of(View container) {
  std::string text;
  for (View each : items_at(container, "env")) {
    text += (text.empty() ? "" : " ") + std::string(string_at(each, "name")) +
            (get(each, "valueFrom") ? "@" : "=" + std::string(string_at(each, "value")));
  }
  return text;
}

}  // namespace trainyard::testing
