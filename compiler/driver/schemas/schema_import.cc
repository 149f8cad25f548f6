#include "driver/schemas/schema_import.h"

#include <algorithm>
#include <map>
#include <utility>

#include "driver/session/inputs.h"
#include "schema/import.h"

namespace trainyard {
namespace {

class Importer {
 public:
  Importer(Session& session, const SchemaImportRequest& request)
      : session_(session), request_(request) {}

  SchemaImportResult run() {
    const std::vector<WantedKind> wanted = wanted_kinds();
    const std::vector<Document> documents =
        read_inputs(request_.inputs, session_.env, session_.sources, session_.sink, session_.limits,
                    Ambiguity::Kubernetes);
    std::vector<const Document*> openapi;
    for (const Document& document : documents) {
      if (is_openapi(document)) {
        openapi.push_back(&document);
      } else {
        crd(document);
      }
    }
    for (const Document* document : openapi) definitions(*document, wanted, openapi);
    if (openapi.empty() && !wanted.empty()) {
      bad({}, "`--definition` needs an OpenAPI document; the inputs hold none");
    }
    if (schemas_.empty()) bad({}, "the inputs hold nothing to import");
    if (!session_.sink.has_errors()) put_out();
    return std::move(result_);
  }

 private:
  static bool is_openapi(const Document& document) {
    return document.root()["definitions"] || document.root()["components"]["schemas"];
  }

  void bad(Span where, std::string message) {
    if (where.known() || !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::BadSchema, where, std::move(message));
    }
  }

  std::vector<WantedKind> wanted_kinds() {
    std::vector<WantedKind> kinds;
    for (const std::string& text : request_.definitions) {
      const std::size_t kind = text.rfind('/');
      const std::size_t version = kind == std::string::npos ? kind : text.rfind('/', kind - 1);
      if (kind == std::string::npos || kind == 0) {
        session_.sink.report(
            DiagnosticKind::BadSchema, {},
            "`" + text + "` names no definition: write `batch/v1/Job` or `v1/Pod`");
        continue;
      }
      const bool core = version == std::string::npos;
      std::string group = core ? "" : text.substr(0, version);
      if (group == "core") group.clear();
      const std::size_t begin = core ? 0 : version + 1;
      kinds.push_back({group, text.substr(begin, kind - begin), text.substr(kind + 1)});
    }
    return kinds;
  }

  std::string source_of(const Document& document) const {
    if (!request_.source.empty()) return request_.source;
    return document.path == "-" ? "<stdin>" : document.path;
  }

  void crd(const Document& document) {
    // Projects publish their CRDs in one file with the rest of an installation.
    const bool other = document.kind != "CustomResourceDefinition" && !document.kind.empty();
    if (other) return;
    add(import_crd(document.tree, source_of(document), session_.sink), document.root()->span);
  }

  void definitions(const Document& document, const std::vector<WantedKind>& wanted,
                   const std::vector<const Document*>& all) {
    if (wanted.empty()) {
      bad(document.root()->span,
          "an OpenAPI document has many definitions: name those to import with `--definition`");
      return;
    }
    std::vector<const Tree*> defaults;  // OpenAPI v3 has defaults that v2 lacks
    for (const Document* each : all) {
      if (each->root()["components"]) defaults.push_back(&each->tree);
    }
    add(import_openapi(document.tree, wanted, defaults, source_of(document), session_.sink),
        document.root()->span);
  }

  /// Two documents may carry the same shared definitions, but not the same kind.
  void add(std::vector<ImportedSchema> schemas, Span where) {
    for (ImportedSchema& schema : schemas) {
      const bool is_kind = !schema.facts.kind.empty();
      const std::string path = schema.path();
      if (schemas_.try_emplace(path, schema.text()).second || !is_kind) continue;
      bad(where, "two inputs describe `" + path + "`");
    }
  }

  void put_out() {
    for (const auto& [path, text] : schemas_) {
      if (request_.output_directory.empty()) {
        result_.stream += text;
      } else if (!write(request_.output_directory + "/" + path, text)) {
        return;
      }
    }
  }

  bool write(const std::string& path, const std::string& text) {
    const FileRead known = session_.env.files.read(path, session_.limits.bytes);
    if (!known.error && known.text == text) return true;
    if (const auto error = session_.env.files.write(path, text)) {
      session_.sink.report(DiagnosticKind::OutputFailed, {}, "`" + path + "`: " + error->message);
      result_.world_failed = true;
      return false;
    }
    result_.written.push_back(path);
    return true;
  }

  Session& session_;
  const SchemaImportRequest& request_;
  std::map<std::string, std::string> schemas_;  // text by path
  SchemaImportResult result_;
};

}  // namespace

SchemaImportResult import_schemas(Session& session, const SchemaImportRequest& request) {
  return Importer(session, request).run();
}

}  // namespace trainyard
