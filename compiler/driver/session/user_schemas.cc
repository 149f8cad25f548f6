#include "driver/session/user_schemas.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "manifest/kinds.h"
#include "schema/import.h"
#include "schema/pack_builder.h"
#include "schema/schema_file.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Adds the documents of one file; a file of CRDs usually holds several.
void add_file(Session& session, const std::string& directory, const std::string& path,
              PackBuilder& builder) {
  const FileId file = read_source(path, session.env, session.sources, session.sink, session.limits,
                                  NamedBy::Document);
  if (file == kNoFile) return;
  // Where a schema does not say what it describes, its path below the directory does.
  std::string_view below = std::string_view(path).substr(directory.size());
  while (below.starts_with('/')) below.remove_prefix(1);
  for (Tree& tree :
       read_yaml(session.sources, file, session.sink, session.limits, Ambiguity::Kubernetes)) {
    add_schema_file(builder, below, std::move(tree), session.sink);
  }
}

/// A pack of the session. Null when it cannot be made, with errors in the sink.
std::unique_ptr<UserSchemas> packed(const PackBuilder& builder, Sink& sink) {
  auto schemas = std::make_unique<UserSchemas>();
  schemas->image = builder.build(sink);
  const auto pack = SchemaPack::open(schemas->image);
  if (!pack) return nullptr;
  schemas->pack = *pack;
  schemas->checker = std::make_unique<Checker>(schemas->pack);
  return schemas;
}

/// OpenShift has a server of its own for these; a CRD is there for tests, and says less.
/// openshift/openshift-apiserver pkg/cmd/openshift-apiserver/openshiftapiserver/config.go
bool is_of_own_server(std::string_view group) {
  constexpr auto kGroups = std::to_array<std::string_view>(
      {"apps.openshift.io", "authorization.openshift.io", "build.openshift.io",
       "image.openshift.io", "project.openshift.io", "template.openshift.io"});
  return std::ranges::find(kGroups, group) != kGroups.end();
}

/// Whether a definition is there for tests: those of others are often cut down.
bool is_for_tests(std::string_view path) {
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/')) {
    const std::string_view folder = path.substr(0, end);
    if (folder.starts_with("test") || folder.starts_with("external")) return true;
    path.remove_prefix(end + 1);
  }
  return false;
}

/// The definitions of a document, which may be a List of them.
class InputDefinitions {
 public:
  explicit InputDefinitions(Session& session) : session_(session), path_() {}

  void add(const Document& document) {
    path_ = document.path == "-" ? "<stdin>" : document.path;
    add(document.root());
  }

  /// The API server refuses a definition with a rule that does not compile.
  void finish() {
    if (kinds_.empty()) return;
    PackBuilder builder(&session_.schemas);
    for (auto& [name, own] : kinds_) {
      const SchemaFacts& facts = own.schema.facts;
      // Of two that differ it is not known which the cluster has.
      if (!own.is_one) {
        const std::string version =
            facts.group.empty() ? facts.version : facts.group + "/" + facts.version;
        if (find_kind(session_.schema_sources(), version, facts.kind).kind != nullptr) continue;
        own.schema.schema = open_schema(facts);
      }
      builder.add_kind(own.schema.facts, std::move(own.schema.schema));
    }
    Sink found;
    session_.input_schemas = packed(builder, found);
    for (Diagnostic each : found.all()) {
      if (each.kind == DiagnosticKind::UncheckedCel) each.severity = Severity::Error;
      session_.sink.report(std::move(each));
    }
  }

 private:
  void add(View object) {
    const bool list = object["apiVersion"].text() == "v1" && object["kind"].text() == "List";
    if (list && object["items"]) {
      for (NodeId item : object.tree().children(object["items"].id())) {
        if (object.tree()[item].is_map()) add(View(object.tree(), item));
      }
    }
    if (object["kind"].text() != "CustomResourceDefinition" ||
        object["apiVersion"].text() != "apiextensions.k8s.io/v1") {
      return;
    }
    const View spec = object["spec"];
    // The check of the object reports what is missing.
    if (!spec["group"] || !spec["names"]["kind"] || !spec["versions"]) return;
    if (is_of_own_server(spec["group"].text())) return;
    if (is_for_tests(path_) && knows(spec)) return;
    Tree crd;
    crd.set_root(crd.copy(object.tree(), object.id()));
    for (ImportedSchema& each : import_crd(crd, path_, session_.sink)) add(std::move(each));
  }

  /// Whether our own schemas have the kind.
  bool knows(View spec) const {
    const std::string group(spec["group"].text());
    const std::string_view kind = spec["names"]["kind"].text();
    return std::ranges::any_of(Items(spec["versions"]), [&](View version) {
      const std::string api = group + "/" + std::string(version["name"].text());
      return find_kind(session_.schema_sources(), api, kind).kind != nullptr;
    });
  }

  /// One that cannot be packed does not take the others with it.
  void add(ImportedSchema schema) {
    const std::string source = std::exchange(schema.facts.source, {});
    std::string text = schema.text();
    schema.facts.source = source;
    const auto known = kinds_.find(schema.facts.name());
    if (known != kinds_.end()) {
      known->second.is_one = known->second.is_one && known->second.text == text;
      return;
    }
    Tree copy;
    copy.set_root(copy.copy(schema.schema, schema.schema.root()));
    PackBuilder alone(&session_.schemas);
    alone.add_kind(schema.facts, std::move(copy));
    Sink found;
    if (packed(alone, found) == nullptr) {
      for (const Diagnostic& each : found.all()) session_.sink.report(each);
      return;
    }
    const std::string name = schema.facts.name();
    kinds_.emplace(name, Definition{std::move(schema), std::move(text)});
  }

  struct Definition {
    ImportedSchema schema;
    std::string text;    // without the place
    bool is_one = true;  // no other one differs
  };

  Session& session_;
  std::string path_;
  std::map<std::string, Definition> kinds_;
};

}  // namespace

void load_input_schemas(Session& session, const std::vector<InputPart>& inputs) {
  InputDefinitions definitions(session);
  for (const InputPart& input : inputs) {
    const bool may_have =
        session.sources.text(input.file).find("CustomResourceDefinition") != std::string_view::npos;
    if (!may_have) continue;
    Sink unused;  // the check of the file reports what is wrong with the text
    for_each_document_of(input, session.env, session.sources, unused, session.limits,
                         Ambiguity::Kubernetes,
                         [&](Document& document) { definitions.add(document); });
  }
  definitions.finish();
}

void load_user_schemas(Session& session, const std::vector<std::string>& directories) {
  if (directories.empty()) return;
  const std::size_t errors = session.sink.error_count();
  PackBuilder builder(&session.schemas);
  for (const std::string& directory : directories) {
    if (!session.env.files.is_directory(directory)) {
      session.sink.report(DiagnosticKind::FileNotFound, {},
                          "`" + directory + "` of `--schemas` is not a directory");
      continue;
    }
    for (const std::string& path : expand_paths({directory}, session.env, session.sink)) {
      add_file(session, directory, path, builder);
    }
  }
  if (session.sink.error_count() != errors) return;

  session.user_schemas = packed(builder, session.sink);
}

}  // namespace trainyard
