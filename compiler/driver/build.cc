#include "driver/build.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "driver/compile.h"
#include "driver/difference.h"
#include "driver/inputs.h"
#include "emit/provenance.h"

namespace trainyard {
namespace {

constexpr std::string_view kProvenanceSuffix = ".provenance.json";

/// Compiles documents one after the other and gathers what comes out.
class Builder {
 public:
  Builder(Session& session, const BuildRequest& request) : session_(session), request_(request) {}

  BuildResult build() {
    if (!request_.cluster.empty()) {
      cluster_ = read_cluster(session_, request_.cluster);
      if (cluster_ == nullptr) return {};
    }
    compile_all();
    if (session_.sink.has_errors()) return {};
    if (request_.output_directory.empty()) {
      result_.stream = ordered_stream();
      return std::move(result_);
    }
    finish_files();
    if (request_.check) {
      compare();
    } else if (nothing_foreign()) {
      write();
    }
    return std::move(result_);
  }

 private:
  /// The objects of one job in the stream.
  struct Piece {
    std::string key;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// The stream in the order of the jobs' names, which the order of the inputs does not change.
  std::string ordered_stream() {
    const auto before = [](const Piece& a, const Piece& b) { return a.key < b.key; };
    if (std::is_sorted(pieces_.begin(), pieces_.end(), before)) return std::move(stream_);
    std::sort(pieces_.begin(), pieces_.end(), before);
    if (request_.in_pieces) {
      const std::string_view all = stream_;
      result_.pieces.push_back(all.substr(0, kHeader.size()));
      for (const Piece& piece : pieces_) {
        result_.pieces.push_back(all.substr(piece.begin, piece.end - piece.begin));
      }
      return std::move(stream_);
    }
    std::string result(kHeader);
    result.reserve(stream_.size());
    for (const Piece& piece : pieces_) {
      result.append(stream_, piece.begin, piece.end - piece.begin);
    }
    return result;
  }

  void compile_all() {
    std::size_t jobs = 0;
    for_each_document(request_.inputs, session_.env, session_.sources, session_.sink,
                      session_.limits, Ambiguity::Refuse, [&](Document& document) {
                        if (!is_training_job(document)) return;
                        ++jobs;
                        one(document);
                      });
    if (jobs == 0 && !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::NoInput, {}, "the input holds no TrainingJob");
    }
  }

  /// A directory may hold other documents beside the specs; a file that was named may not.
  bool is_training_job(const Document& document) {
    if (document.kind == "TrainingJob") return true;
    const bool ours = document.api_version.starts_with("trainyard/");
    if (document.from_directory && (!ours || document.kind == "Cluster")) return false;
    const View kind = document.root()["kind"];
    Diagnostic& report = session_.sink.report(
        DiagnosticKind::NotATrainingJob, kind ? kind->span : document.root()->span,
        kind ? "kind `" + std::string(document.kind) + "` is not compiled; expected `TrainingJob`"
             : "this is no TrainingJob: `kind` is missing");
    if (document.kind == "Cluster") report.note("pass a Cluster with `--cluster FILE`");
    return false;
  }

  void one(const Document& document) {
    if (!compile(session_, document, cluster_.get(), request_.target, compilation_)) return;
    if (!unique(document)) return;
    if (request_.output_directory.empty()) {
      make_room();
      const std::size_t begin = stream_.size();
      write_objects(compilation_.objects, stream_);
      pieces_.push_back({key(), begin, stream_.size()});
      return;
    }
    Artifact file{std::string(*compilation_.plan.name) + ".yaml", std::string(kHeader)};
    std::vector<WrittenObject> written;
    write_objects(compilation_.objects, file.text, request_.provenance ? &written : nullptr);
    if (request_.provenance) {
      Provenance causes;
      trace(compilation_.objects, written, file.text, compilation_.origins, session_.sources,
            causes);
      result_.files.push_back(
          {file.path + std::string(kProvenanceSuffix), provenance_json(causes)});
    }
    result_.files.push_back(std::move(file));
  }

  /// A string grows by doubling, and every page of every size on the way is touched once: half of
  /// the time of a fleet went there. Room that is never used costs nothing.
  void make_room() {
    constexpr std::size_t kForOneJob = 64 * 1024;
    constexpr std::size_t kLeastStep = 16 * 1024 * 1024;
    constexpr std::size_t kLargestStep = 256 * 1024 * 1024;
    if (pieces_.empty() || stream_.capacity() - stream_.size() >= kForOneJob) return;
    stream_.reserve(stream_.size() + std::clamp(7 * stream_.size(), kLeastStep, kLargestStep));
  }

  /// What tells the jobs of one run apart.
  std::string key() const {
    const Plan& plan = compilation_.plan;
    if (!request_.output_directory.empty()) return std::string(*plan.name);
    return std::string(*plan.ns) + "/" + std::string(*plan.name);
  }

  /// Two jobs of one name in one namespace would overwrite each other, in the cluster as on disk.
  bool unique(const Document& document) {
    const Span name = document.root()["metadata"]["name"]->span;
    const auto [other, is_new] = names_.emplace(key(), name);
    if (is_new) return true;
    session_.sink
        .report(DiagnosticKind::NameCollision, name,
                "a second job comes out as `" + std::string(*compilation_.plan.name) + "`")
        .also(other->second, "the first one");
    return false;
  }

  void finish_files() {
    std::sort(result_.files.begin(), result_.files.end(),
              [](const Artifact& a, const Artifact& b) { return a.path < b.path; });
    result_.files.push_back(kustomization(result_.files));
  }

  std::string full(std::string_view name) const {
    return request_.output_directory + "/" + std::string(name);
  }

  /// Files of ours in the directory that this run does not make.
  std::vector<std::string> stale() {
    std::set<std::string, std::less<>> made;
    for (const Artifact& file : result_.files) made.insert(file.path);
    std::vector<std::string> result;
    for (const std::string& name : session_.env.files.list(request_.output_directory)) {
      if (made.contains(name)) continue;
      const bool map = name.ends_with(kProvenanceSuffix);
      if (map || (name.ends_with(".yaml") && is_ours(full(name)))) result.push_back(name);
    }
    return result;
  }

  bool is_ours(const std::string& path) {
    const FileRead read = session_.env.files.read(path, session_.limits.bytes);
    return !read.error && read.text.starts_with(kHeader);
  }

  /// A file that someone wrote by hand is never overwritten.
  bool nothing_foreign() {
    for (const Artifact& file : result_.files) {
      const std::string path = full(file.path);
      if (!file.path.ends_with(".yaml") || !session_.env.files.exists(path) || is_ours(path)) {
        continue;
      }
      session_.sink
          .report(DiagnosticKind::OutputConflict, {},
                  "`" + path + "` exists and was not made by trainyard")
          .note("move it away, or choose another directory");
    }
    return !session_.sink.has_errors();
  }

  void write() {
    for (const Artifact& file : result_.files) {
      const std::string path = full(file.path);
      const FileRead known = session_.env.files.read(path, session_.limits.bytes);
      if (!known.error && known.text == file.text) continue;
      if (const auto error = session_.env.files.write(path, file.text)) return failed(path, *error);
      result_.written.push_back(path);
    }
    for (const std::string& name : stale()) {
      if (const auto error = session_.env.files.remove(full(name))) {
        return failed(full(name), *error);
      }
      result_.written.push_back(full(name));
    }
  }

  void failed(const std::string& path, const FileError& error) {
    result_.world_failed = true;
    session_.sink.report(DiagnosticKind::OutputFailed, {}, "`" + path + "`: " + error.message);
  }

  void compare() {
    for (const Artifact& file : result_.files) {
      const std::string path = full(file.path);
      const FileRead known = session_.env.files.read(path, session_.limits.bytes);
      if (!known.error && known.text == file.text) continue;
      result_.out_of_date = true;
      result_.difference +=
          difference(known.error ? "/dev/null" : path, path, known.text, file.text);
    }
    for (const std::string& name : stale()) {
      result_.out_of_date = true;
      const FileRead known = session_.env.files.read(full(name), session_.limits.bytes);
      result_.difference += difference(full(name), "/dev/null", known.text, "");
    }
  }

  Session& session_;
  const BuildRequest& request_;
  std::unique_ptr<ClusterDocument> cluster_;
  Compilation compilation_;
  std::string stream_{kHeader};
  std::vector<Piece> pieces_;  // of the stream, one for each job
  std::map<std::string, Span> names_;
  BuildResult result_;
};

}  // namespace

BuildResult build(Session& session, const BuildRequest& request) {
  return Builder(session, request).build();
}

}  // namespace trainyard
