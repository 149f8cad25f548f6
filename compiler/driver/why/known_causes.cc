#include "driver/why/known_causes.h"

#include <utility>

#include "diag/redaction.h"
#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/variants.h"
#include "driver/session/default_releases.h"
#include "driver/session/inputs.h"
#include "driver/session/read_root.h"
#include "driver/why/traced_output.h"

namespace trainyard {
namespace {

class Loading {
 public:
  Loading(Session& session, const CausesRequest& request) : session_(session), request_(request) {}

  std::optional<KnownCauses> run() {
    if (!load()) return std::nullopt;
    return std::move(known_);
  }

 private:
  bool load() {
    const FileId file =
        read_source(request_.input, session_.env, session_.sources, session_.sink, session_.limits);
    if (file == kNoFile) return false;
    known_.name = session_.sources.name(file);
    const std::string_view text = session_.sources.text(file);
    // The map beside it tells an output from a spec; so does the first line, when there is no map.
    const std::string map_path = request_.input + std::string(kProvenanceSuffix);
    const bool has_map = request_.input != "-" && session_.env.files.exists(map_path);
    if (has_map) return load_map(map_path, file);
    if (text.starts_with(kHeader)) {
      session_.sink
          .report(DiagnosticKind::NoProvenance, {},
                  code(known_.name) + " has no map of causes beside it: " + code(map_path) +
                      " does not exist")
          .note("build it with `trainyard build --provenance`, or ask about the spec itself");
      return false;
    }
    return compile_spec(file);
  }

  bool no_map(const std::string& path, const std::string& why) {
    session_.sink
        .report(DiagnosticKind::NoProvenance, {}, code(path) + " is no map of causes" + why)
        .note("make it again with `trainyard build --provenance`");
    return false;
  }

  bool load_map(const std::string& path, FileId output) {
    if (!may_read(session_, request_.input, path, {})) return false;
    const FileRead read = session_.env.files.read(path, session_.limits.bytes);
    if (read.error) {
      session_.sink.report(DiagnosticKind::FileUnreadable, {},
                           code(path) + ": " + read.error->message);
      return false;
    }
    auto causes = read_provenance(read.text);
    if (!causes) return no_map(path, "");
    if (!causes->is_of(session_.sources.text(output))) {
      session_.sink
          .report(DiagnosticKind::StaleProvenance, {},
                  code(known_.name) + " is not the file that its map of causes " + code(path) +
                      " was made for: one of them was changed since")
          .note("make both again with `trainyard build --provenance`");
      return false;
    }
    const std::uint32_t lines = session_.sources.line_count(output);
    for (const ProvenanceEntry& entry : causes->entries) {
      if (entry.last_line <= lines) continue;
      return no_map(path, ": it names line " + std::to_string(entry.last_line) + ", but " +
                              code(known_.name) + " has " + std::to_string(lines));
    }
    known_.causes = std::move(causes->entries);
    known_.in_output = output;
    return true;
  }

  bool compile_spec(FileId file) {
    std::unique_ptr<ClusterDocument> cluster;
    if (!request_.cluster.empty()) {
      cluster = read_cluster(session_, request_.cluster);
      if (cluster == nullptr) return false;
    }
    known_.spec = true;
    DefaultReleases releases;
    std::size_t jobs = 0;
    Compilation compilation;
    std::vector<Tree> trees =
        read_yaml(session_.sources, file, session_.sink, session_.limits, Ambiguity::Refuse);
    for (Tree& tree : trees) {
      Document document;
      document.path = request_.input;
      document.file = file;
      document.tree = std::move(tree);
      document.api_version = document.root()["apiVersion"].text();
      document.kind = document.root()["kind"].text();
      if (document.kind == "Cluster") {
        ++jobs;
        const auto made = compile_platform(session_, document);
        if (made == nullptr) continue;
        output_.add(made->objects, made->origins, session_.sources);
        releases.note(made->objects, session_.schemas, &made->cluster->cluster);
      }
      if (document.kind != "TrainingJob") continue;
      ++jobs;
      for_each_variant(session_, document, [&](Document& variant) {
        if (!compile(session_, variant, cluster.get(), request_.target, compilation)) return;
        output_.add(compilation.objects, compilation.origins, session_.sources);
        releases.note(compilation.objects, session_.schemas,
                      cluster == nullptr ? nullptr : &cluster->cluster);
      });
    }
    output_.put_below_header(releases.lines());
    known_.output = std::move(output_.text);
    known_.causes = std::move(output_.causes);
    if (jobs == 0 && !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::NoProvenance, {},
                           code(known_.name) +
                               " is no TrainingJob, no Cluster and no file that `trainyard build "
                               "--provenance` made");
    }
    return !session_.sink.has_errors();
  }

  Session& session_;
  const CausesRequest& request_;
  KnownCauses known_;
  TracedOutput output_;  // of a spec
};

}  // namespace

std::optional<KnownCauses> load_causes(Session& session, const CausesRequest& request) {
  return Loading(session, request).run();
}

}  // namespace trainyard
