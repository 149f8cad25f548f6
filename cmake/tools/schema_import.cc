// trainyard-schema-import SCHEMAS KINDS < MANIFEST: fills the folder of schemas.
//
// A line of the manifest is a source: `crd` or `openapi` or `defaults`, project, version, path in
// the project, sha256, file; separated by tabs. A CRD may have a seventh, the release of the
// operator before which it holds (`trainer 2.2`). KINDS says what to take from OpenAPI documents:
// lines of apiVersion, kind and the end of the document's path.

#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "schema/import.h"
#include "tools/files.h"
#include "tools/read_tree.h"

using namespace trainyard;

namespace {

struct Source {
  std::string type, project, version, path, sha256, file, before;
};

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Source> read_manifest(std::istream& in) {
  std::vector<Source> sources;
  for (std::string line; std::getline(in, line);) {
    const auto p = split(line, '\t');
    if (p.size() < 6 || p.size() > 7) continue;
    sources.push_back({p[0], p[1], p[2], p[3], p[4], p[5], p.size() == 7 ? p[6] : ""});
  }
  return sources;
}

/// By the end of the path of the OpenAPI document.
std::map<std::string, std::vector<WantedKind>> read_kinds(const std::string& file) {
  std::map<std::string, std::vector<WantedKind>> result;
  std::istringstream in(read_bytes(file));
  for (std::string line; std::getline(in, line);) {
    const auto p = split(line, ' ');
    if (p.size() != 3 || line.starts_with('#')) continue;
    const std::size_t slash = p[0].find('/');
    const bool core = slash == std::string::npos;
    result[p[2]].push_back(
        {core ? "" : p[0].substr(0, slash), core ? p[0] : p[0].substr(slash + 1), p[1]});
  }
  return result;
}

class Import {
 public:
  explicit Import(std::string folder) : folder_(std::move(folder)) {}

  void defaults(const Source& source) {
    defaults_.push_back(read_tree(sources_, source.file, sink_));
  }

  void crd(const Source& source) {
    auto schemas = import_crd(read_tree(sources_, source.file, sink_), name(source), sink_);
    for (ImportedSchema& each : schemas) each.facts.before = source.before;
    put(source, schemas);
  }

  void openapi(const Source& source, const std::vector<WantedKind>& kinds) {
    std::vector<const Tree*> defaults;
    for (const Tree& tree : defaults_) defaults.push_back(&tree);
    const Tree document = read_tree(sources_, source.file, sink_);
    put(source, import_openapi(document, kinds, defaults, name(source), sink_));
  }

  int finish() {
    print(sink_, sources_, "trainyard-schema-import");
    if (sink_.has_errors()) return 1;
    std::string table = "project\tversion\tpath\tsha256\tgroup\tapi version\tkind\tfile\n";
    for (const auto& [file, row] : rows_) table += row;
    if (!write_bytes(folder_ + "/SOURCES.tsv", table)) return 4;
    for (const std::string& file : files_below(folder_)) {
      if (file.ends_with(".json") && !rows_.contains(file)) {
        std::filesystem::remove(folder_ + "/" + file);
      }
    }
    return 0;
  }

 private:
  static std::string name(const Source& source) {
    return source.project + " " + source.version + " " + source.path;
  }

  /// The first document to bring a file counts: two OpenAPI documents share definitions.
  void put(const Source& source, const std::vector<ImportedSchema>& schemas) {
    for (const ImportedSchema& schema : schemas) {
      const SchemaFacts& f = schema.facts;
      const std::string file = schema.path();
      const std::string kind = f.kind.empty() ? "-" : f.kind;
      const std::string row = source.project + '\t' + source.version + '\t' + source.path + '\t' +
                              source.sha256 + '\t' + f.group + '\t' + f.version + '\t' + kind +
                              '\t' + file + '\n';
      const bool first = rows_.try_emplace(file, row).second;
      if (first) write_bytes(folder_ + "/" + file, schema.text());
      if (!first && !f.kind.empty()) {
        sink_.report(DiagnosticKind::BadSchema, {}, "two sources describe `" + file + "`");
      }
    }
  }

  std::string folder_;
  SourceMap sources_;
  std::vector<Tree> defaults_;
  std::map<std::string, std::string> rows_;  // by file
  Sink sink_;
};

int run(const std::string& folder, const std::string& kinds_file) {
  const std::vector<Source> sources = read_manifest(std::cin);
  const auto kinds = read_kinds(kinds_file);
  Import import(folder);
  for (const Source& s : sources) {
    if (s.type == "defaults") import.defaults(s);
  }
  for (const Source& s : sources) {
    if (s.type == "crd") import.crd(s);
    if (s.type != "openapi") continue;
    for (const auto& [document, wanted] : kinds) {
      if (s.file.ends_with("/" + document)) import.openapi(s, wanted);
    }
  }
  return import.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: trainyard-schema-import SCHEMAS KINDS < MANIFEST\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard-schema-import: %s\n", error.what());
    return 4;
  }
}
