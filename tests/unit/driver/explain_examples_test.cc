// What `trainyard explain` shows as an example is right, and no group of fields lacks one.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/explain/field_page.h"
#include "driver/session/session.h"
#include "source/file_system.h"

using namespace trainyard;

namespace {

/// `storage:` below `spec.storage` as a whole document.
std::string document_of(std::string_view kind, std::string_view path, std::string_view example) {
  std::string text = "apiVersion: trainyard/v1alpha1\nkind: " + std::string(kind) + "\n";
  std::string indent;
  std::size_t at = 0;
  for (std::size_t dot; (dot = path.find('.', at)) != path.npos; at = dot + 1) {
    const std::string_view step = path.substr(at, dot - at);
    text += indent + (step == "*" ? "name" : std::string(step)) + ":\n";
    indent += "  ";
  }
  for (std::string_view rest = example; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    text += indent + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(rest.size(), end == rest.npos ? end : end + 1));
  }
  return text;
}

/// What an excerpt cannot have: the rest of its document.
bool is_lack(const Violation& violation) {
  return violation.kind == DiagnosticKind::MissingField;
}

}  // namespace

TEST_CASE("each example of explain fits the schema, and each group of spec has one") {
  RealFileSystem files;
  Env env{files, {}};
  Session session(env);
  for (const std::string kind : {"TrainingJob", "Cluster"}) {
    const SchemaPack& pack = session.schemas;
    const SchemaKind* known = pack.find("trainyard/v1alpha1", kind);
    REQUIRE(known != nullptr);
    const auto file = session.templates.find("examples.yaml");
    REQUIRE(file.has_value());
    SourceMap sources;
    const auto all =
        read_yaml(sources, sources.add_view("examples.yaml", file->text), session.sink);
    REQUIRE(all.size() == 1);
    const View examples = View(all.front(), all.front().root())[kind];
    for (NodeId id : all.front().children(examples.id())) {
      const Node& example = all.front()[id];
      const std::string text = document_of(kind, example.key, example.text);
      INFO(text);
      SourceMap own;
      const auto trees = read_yaml(own, own.add("example", text), session.sink);
      REQUIRE(trees.size() == 1);
      for (const Violation& each :
           session.checker.check(known->schema, trees.front(), trees.front().root())) {
        INFO(each.path << ": " << each.message);
        CHECK(is_lack(each));
      }
    }
    const auto spec = pack.property(pack[known->schema], "spec");
    REQUIRE(spec.has_value());
    for (const SchemaProperty& each : pack.properties(pack[*spec])) {
      const std::string path = "spec." + std::string(pack.text(each.name));
      const FieldHelp help = describe_field(pack, *known, path);
      const bool is_group =
          !help.fields.empty() && help.facts.type.find("map") != help.facts.type.npos;
      const bool is_ours = path != "spec.pod" && path != "spec.envFrom" &&
                           path != "spec.imagePullSecrets";  // of Kubernetes' shape
      INFO(path);
      if (is_group && is_ours) CHECK(!example_of(session, kind, path).empty());
    }
  }
}
