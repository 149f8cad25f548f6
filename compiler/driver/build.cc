#include "driver/build.h"

#include <algorithm>
#include <map>
#include <utility>

#include "driver/compile.h"
#include "driver/inputs.h"
#include "driver/object_names.h"
#include "driver/output_directory.h"
#include "emit/provenance.h"

namespace trainyard {
namespace {

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
    into_directory();
    return std::move(result_);
  }

 private:
  void into_directory() {
    OutputDirectory directory(session_, request_.output_directory, lay_out(std::move(jobs_)),
                              request_.provenance);
    if (request_.check) {
      result_.difference = directory.difference();
      result_.out_of_date = !result_.difference.empty();
      return;
    }
    OutputDirectory::Changes changes = directory.write();
    result_.written = std::move(changes.written);
    result_.removed = std::move(changes.removed);
    result_.world_failed = changes.failed;
  }

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
        kind
            ? "kind `" + std::string(document.kind) + "` is not compiled; expected `TrainingJob`"
            : "this is no TrainingJob: " +
                  std::string(document.root()->is_map() ? "`kind` is missing" : "a map is wanted"));
    if (document.kind == "Cluster") report.note("pass a Cluster with `--cluster FILE`");
    return false;
  }

  void one(const Document& document) {
    if (!compile(session_, document, cluster_.get(), request_.target, compilation_)) return;
    if (!unique(document)) return;
    if (!names_.add(compilation_.objects, compilation_.origins, session_.sink)) return;
    if (request_.output_directory.empty()) {
      make_room();
      const std::size_t begin = stream_.size();
      write_objects(compilation_.objects, stream_);
      pieces_.push_back({key(), begin, stream_.size()});
      return;
    }
    const Plan& plan = compilation_.plan;
    JobOutput job{std::string(*plan.name), std::string(*plan.ns), std::string(kHeader), {}};
    std::vector<WrittenObject> written;
    write_objects(compilation_.objects, job.text, request_.provenance ? &written : nullptr);
    if (request_.provenance) {
      Provenance causes;
      trace(compilation_.objects, written, job.text, compilation_.origins, session_.sources,
            causes);
      job.causes = provenance_json(causes, job.text);
    }
    jobs_.push_back(std::move(job));
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
    return std::string(*plan.ns) + "/" + std::string(*plan.name);
  }

  /// Two jobs of one name in one namespace would overwrite each other.
  bool unique(const Document& document) {
    const Span name = document.root()["metadata"]["name"]->span;
    const auto [other, is_new] = jobs_by_key_.emplace(key(), name);
    if (is_new) return true;
    session_.sink
        .report(DiagnosticKind::NameCollision, name,
                "a second job comes out as `" + std::string(*compilation_.plan.name) + "`")
        .also(other->second, "the first one");
    return false;
  }

  Session& session_;
  const BuildRequest& request_;
  std::unique_ptr<ClusterDocument> cluster_;
  Compilation compilation_;
  std::string stream_{kHeader};
  std::vector<Piece> pieces_;  // of the stream, one for each job
  std::vector<JobOutput> jobs_;
  std::map<std::string, Span> jobs_by_key_;
  ObjectNames names_;  // of all jobs
  BuildResult result_;
};

}  // namespace

BuildResult build(Session& session, const BuildRequest& request) {
  return Builder(session, request).build();
}

}  // namespace trainyard
