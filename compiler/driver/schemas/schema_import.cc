#include "driver/schemas/schema_import.h"

#include <algorithm>
#include <map>
#include <utility>

#include "diag/words.h"
#include "driver/session/inputs.h"
#include "schema/import.h"
#include "source/characters.h"

namespace trainyard {
namespace {

bool is_name_character(char c) {
  return is_lower(c) || is_digit(c) || c == '-';
}

/// `v1`, `batch`: a label of a DNS name.
bool is_label(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  return !text.empty() && text.size() <= kLongest && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, is_name_character);
}

/// `batch.volcano.sh`
bool is_group(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  if (text.size() > kLongest) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// `Job`: a label but for its capitals. Shared definitions are of no kind.
bool is_kind_name(std::string_view text) {
  const std::string lower = lower_case(text);
  return text.empty() || is_label(lower);
}

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
    const View spec = document.root()["spec"];
    Places places{document.root()->span};
    places.is_crd = true;
    if (spec["group"]) places.group = spec["group"]->span;
    if (spec["versions"]) places.version = spec["versions"]->span;
    if (spec["names"]["kind"]) places.kind = spec["names"]["kind"]->span;
    add(import_crd(document.tree, source_of(document), session_.sink), places);
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
        Places{document.root()->span});
  }

  /// Where an input names what its schemas are of.
  struct Places {
    explicit Places(Span whole) : document(whole), group(whole), version(whole), kind(whole) {}
    Span document;
    Span group;
    Span version;
    Span kind;
    bool is_crd = false;
  };

  /// Names become parts of a path.
  bool has_good_names(const SchemaFacts& facts, const Places& places) {
    const auto wrong = [this](Span where, std::string_view what, const std::string& name,
                              std::string_view right) {
      bad(where, std::string(what) + " " + shown(name) + " is no name in Kubernetes; expected " +
                     std::string(right));
      return false;
    };
    const bool is_core = facts.group.empty() && !places.is_crd;
    if (!is_core && !is_group(facts.group)) {
      return wrong(places.group, "group", facts.group, "a DNS name, such as `batch.volcano.sh`");
    }
    if (!is_label(facts.version)) {
      return wrong(places.version, "version", facts.version,
                   "lower-case letters, digits and `-`, such as `v1beta1`");
    }
    if (!is_kind_name(facts.kind)) {
      return wrong(places.kind, "kind", facts.kind, "letters, digits and `-`, such as `TrainJob`");
    }
    return true;
  }

  /// Two documents may carry the same shared definitions, but not the same kind.
  void add(std::vector<ImportedSchema> schemas, const Places& places) {
    for (ImportedSchema& schema : schemas) {
      if (!has_good_names(schema.facts, places)) continue;
      const bool is_kind = !schema.facts.kind.empty();
      const std::string path = schema.path();
      if (schemas_.try_emplace(path, schema.text()).second || !is_kind) continue;
      bad(places.document, "two inputs describe `" + path + "`");
    }
  }

  void put_out() {
    if (!request_.output_directory.empty()) return write();
    for (const auto& [path, text] : schemas_) result_.stream += text;
  }

  std::string full(const std::string& name) const {
    return name.empty() ? request_.output_directory : request_.output_directory + "/" + name;
  }

  void failed(const std::string& name, const FileError& error) {
    session_.sink.report(DiagnosticKind::OutputFailed, {},
                         "`" + full(name) + "`: " + error.message);
  }

  void write() {
    const OpenedFolder opened =
        session_.env.files.open_folder(request_.output_directory, FolderUse::Write);
    if (opened.error) return failed("", *opened.error);
    std::vector<FileChange> changes;
    for (const auto& [name, text] : schemas_) {
      const FileRead known = opened.folder->read(name, session_.limits.bytes);
      if (!known.error && known.text == text) continue;
      if (may_write(name, known)) changes.push_back({name, text});
    }
    if (session_.sink.has_errors()) return;
    if (const auto failure = opened.folder->change(changes)) {
      return failed(failure->name, failure->error);
    }
    for (const FileChange& each : changes) result_.written.push_back(full(each.name));
  }

  /// Whether there is no file, or a compact schema and `force`.
  bool may_write(const std::string& name, const FileRead& known) {
    if (!known.error && is_schema_file(known.text)) {
      if (request_.force) return true;
      session_.sink
          .report(DiagnosticKind::OutputConflict, {},
                  "`" + full(name) + "` holds another schema: an older one, or one that was edited")
          .note("choose another directory, or write over it with `--force`");
      return false;
    }
    if (known.error && known.error->reason == FileError::Reason::NotFound) return true;
    if (known.error && known.error->reason == FileError::Reason::Other) {
      failed(name, *known.error);
      return false;
    }
    session_.sink
        .report(DiagnosticKind::OutputConflict, {},
                "`" + full(name) + "` exists and was not made by trainyard")
        .note("move it away, or choose another directory");
    return false;
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
