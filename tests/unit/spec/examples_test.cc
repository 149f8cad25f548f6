#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "file_text.h"
#include "spec/cluster.h"
#include "spec/field_table.h"
#include "spec/training_job.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// Names of fields that the language does not have, by the table of the struct.
void unknown_fields(const Tree& tree, NodeId node, const FieldTable& table,
                    std::vector<std::string>& found) {
  for (NodeId child : tree.children(node)) {
    const auto row =
        std::find_if(table.fields.begin(), table.fields.end(),
                     [&](const FieldRow& field) { return field.name == tree[child].key; });
    if (row == table.fields.end()) {
      found.emplace_back(tree[child].key);
      continue;
    }
    if (row->type == FieldType::Struct) unknown_fields(tree, child, row->group(), found);
    if (row->type != FieldType::StructList && row->type != FieldType::StructMap) continue;
    for (NodeId item : tree.children(child)) unknown_fields(tree, item, row->group(), found);
  }
}

void require_known(const Document& document, const FieldTable& table) {
  std::vector<std::string> unknown;
  unknown_fields(document.tree(), document.root(), table, unknown);
  for (const std::string& name : unknown) UNSCOPED_INFO("unknown field " << name);
  CHECK(unknown.empty());
}

}  // namespace

TEST_CASE("examples decode without a diagnostic and use only fields of the language") {
  std::size_t jobs = 0;
  std::size_t clusters = 0;
  for (const auto& path : files_below("examples", ".yaml")) {
    INFO(path);
    const Document document(read_file(path));
    const std::string_view kind = View(document.tree(), document.root())["kind"].text();
    Sink sink;
    if (kind == "TrainingJob") {
      const TrainingJob job = decode_training_job(document.tree(), document.root(), sink);
      CHECK(job.spec->image.given());
      require_known(document, training_job_fields());
      ++jobs;
    } else if (kind == "Cluster") {
      const Cluster cluster = decode_cluster(document.tree(), document.root(), sink);
      CHECK(cluster.spec->kubernetes.given());
      require_known(document, cluster_fields());
      ++clusters;
    }
    CHECK(sink.all().empty());
  }
  CHECK(jobs >= 6);
  CHECK(clusters >= 2);
}

TEST_CASE("example specs say first what they are, then have no comments and at most 30 lines") {
  for (const auto& path : files_below("examples", ".yaml")) {
    if (path.filename() != "spec.yaml") continue;
    INFO(path);
    const std::string text = read_file(path);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 30);
    std::string_view rest = text;
    CHECK(rest.starts_with("# "));
    while (rest.starts_with('#')) rest.remove_prefix(rest.find('\n') + 1);
    CHECK(rest.find('#') == std::string_view::npos);
  }
}
