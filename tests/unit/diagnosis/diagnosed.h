#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "diagnosis/diagnose.h"
#include "source/source_map.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard::test {

/// A dump of one text, and what is to be said of its first job.
struct Diagnosed {
  Diagnosed(const std::string& text, const std::string& log)
      : trees(read_yaml(sources, sources.add("dump.yaml", text), sink, {}, Ambiguity::Kubernetes)),
        log_text(log) {
    logs.add(log_text);
    for (const Diagnostic& each : sink.all()) FAIL_CHECK(each.message);
    for (const Tree& tree : trees) dump.add(View(tree, tree.root()));
    REQUIRE(dump.jobs().size() == 1);
    const View job = dump.jobs().front();
    const JobKind* kind = JobKinds::builtin().find(job);
    REQUIRE(kind != nullptr);
    diagnosis = diagnose(dump, job, *kind, logs, FindingRules::builtin());
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const Finding& each : diagnosis.findings) ids.emplace_back(each.rule->id);
    return ids;
  }

  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
  std::string log_text;
  Logs logs;
  ClusterDump dump;
  Diagnosis diagnosis;
};

/// Without the braces.
inline std::string fields(const SourceMap& sources, View map) {
  if (!map) return {};
  std::string text(sources.text(map->span));
  return ", " + text.substr(1, text.size() - 2);
}

}  // namespace trainyard::test
