#include "driver/build/build.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "diag/words.h"
#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/object_identity.h"
#include "driver/build/output_directory.h"
#include "driver/build/run_sources.h"
#include "driver/build/variants.h"
#include "driver/session/default_releases.h"
#include "driver/session/inputs.h"
#include "driver/threads/portions.h"
#include "emit/artifact.h"
#include "emit/ownership.h"
#include "emit/provenance.h"
#include "emit/spec_lines.h"
#include "source/spool.h"

namespace trainyard {
namespace {

/// A job, or a platform.
struct MadeJob {
  std::string key;  // what tells the jobs of one run apart
  std::string name;
  Span place;             // of the name in the spec
  std::string text = {};  // its objects in the stream
};

/// What is kept of a job until all are made.
struct KeptJob {
  Span place;
  Spool::Piece text;
};

/// What some documents were compiled to.
struct Made {
  std::vector<MadeJob> jobs;              // and platforms
  std::vector<JobOutput> outputs;         // for a directory
  std::vector<IdentifiedObject> objects;  // of all jobs
  NewestReleases releases;                // that the objects in the stream are for, unless stated
  std::size_t documents = 0;              // that are jobs or Clusters, be they good or not
};

/// Compiles documents, each for itself.
class JobMaker {
 public:
  JobMaker(Session& session, const BuildRequest& request, const ClusterDocument* cluster)
      : session_(session), request_(request), cluster_(cluster) {
    if (!request.output_directory.empty()) {
      names_.emplace(session.env.files, request.output_directory);
    }
  }

  void one(Document& document, Made& made) {
    if (is_cluster(document)) return platform(document, made);
    if (!is_training_job(document)) return;
    ++made.documents;
    for_each_variant(session_, document, [&](Document& variant) { job(variant, made); });
  }

 private:
  void job(const Document& document, Made& made) {
    if (!compile(session_, document, cluster_, request_.target, compilation_)) return;
    const Plan& plan = compilation_.plan;
    MadeJob job{std::string(*plan.ns) + "/" + std::string(*plan.name), std::string(*plan.name),
                document.root()["metadata"]["name"]->span};
    keep(std::move(job), std::string(*plan.name), std::string(*plan.ns), document.path,
         compilation_.objects, compilation_.origins,
         cluster_ == nullptr ? nullptr : &cluster_->cluster, made);
  }

  /// What a Cluster asks for. It comes before all jobs, which are told apart by
  /// `<namespace>/<name>`.
  void platform(Document& document, Made& made) {
    ++made.documents;
    const auto compiled = compile_platform(session_, document);
    if (compiled == nullptr) return;
    const Text& name = compiled->cluster->cluster.metadata->name;
    if (!may_name_a_file(name)) return;
    MadeJob job{" " + std::string(*name), std::string(*name), name.span};
    keep(std::move(job), std::string(*name) + ".cluster", "", document.path, compiled->objects,
         compiled->origins, &compiled->cluster->cluster, made);
    made.releases.forget_cluster();
  }

  /// The names of jobs are made valid by a rule; that of a Cluster names nothing but a file.
  bool may_name_a_file(const Text& name) {
    const bool is_free = request_.output_directory.empty();
    const bool is_plain = std::ranges::none_of(
        *name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; });
    if (is_free || (is_plain && !name->starts_with('.'))) return true;
    session_.sink.report(DiagnosticKind::BadName, name.span,
                         shown(*name) +
                             " cannot name the file of this Cluster; expected a name without `/` "
                             "that does not begin with a dot, such as `lab`");
    return false;
  }

  void keep(MadeJob job, std::string file, std::string ns, const std::string& source,
            const ObjectSet& objects, const Origins& origins, const Cluster* cluster, Made& made) {
    name_objects(objects, origins, made.objects);
    if (request_.output_directory.empty()) {
      made.releases.note(objects, session_.schemas, cluster);
      write_objects(objects, job.text);
    } else if (!objects.objects.empty()) {  // a Cluster may ask for none
      made.outputs.push_back(
          output(std::move(file), std::move(ns), names_->name(source), objects, origins, cluster));
      made.outputs.back().causes.job = job.place;
    }
    made.jobs.push_back(std::move(job));
  }

  /// One that was found beside specs is there for them.
  static bool is_cluster(const Document& document) {
    return document.kind == "Cluster" && document.api_version.starts_with("trainyard/") &&
           !document.from_directory;
  }

  /// A directory may hold other documents beside the specs; a file that was named may not.
  bool is_training_job(const Document& document) {
    if (document.kind == "TrainingJob") return true;
    const bool ours = document.api_version.starts_with("trainyard/");
    const bool for_jobs = document.kind == "Cluster" || document.kind == "TrainingJobLayer";
    if (document.from_directory && (!ours || for_jobs)) return false;
    if (ours && document.kind == "TrainingJobLayer") {
      session_.sink
          .report(DiagnosticKind::NotATrainingJob, document.root()["kind"]->span,
                  "a `TrainingJobLayer` is not compiled by itself")
          .note("name the file under `extends` of a TrainingJob, or give it by `--overlay`");
      return false;
    }
    const View kind = document.root()["kind"];
    session_.sink.report(DiagnosticKind::NotATrainingJob, kind ? kind->span : document.root()->span,
                         kind ? "kind `" + std::string(document.kind) +
                                    "` is not compiled; expected `TrainingJob` or `Cluster`"
                              : "this is no TrainingJob: " + std::string(document.root()->is_map()
                                                                             ? "`kind` is missing"
                                                                             : "a map is wanted"));
    return false;
  }

  JobOutput output(std::string file, std::string ns, std::string source, const ObjectSet& objects,
                   const Origins& origins, const Cluster* cluster) {
    JobOutput job{std::move(file), std::move(ns), std::move(source), {}, {}, {}};
    job.text = owned_beginning(job.source);
    NewestReleases releases;
    releases.note(objects, session_.schemas, cluster);
    job.text += releases.lines();
    std::vector<WrittenObject> written;
    const bool wants_places = request_.provenance || request_.findings;
    write_objects(objects, job.text, wants_places ? &written : nullptr);
    seal(job.text);
    if (request_.findings) job.causes.lines = spec_lines(objects, written, job.text, origins);
    if (request_.provenance) {
      Provenance causes;
      trace(objects, written, job.text, origins, session_.sources, causes);
      job.map = provenance_json(causes, job.text);
    }
    return job;
  }

  Session& session_;
  const BuildRequest& request_;
  const ClusterDocument* cluster_;
  std::optional<SourceNames> names_;  // when there is an output directory
  Compilation compilation_;
};

/// Gathers what comes out of all inputs.
class Builder {
 public:
  Builder(Session& session, const BuildRequest& request) : session_(session), request_(request) {}

  BuildResult build() {
    if (!request_.cluster.empty()) {
      cluster_ = read_cluster(session_, request_.cluster);
      if (cluster_ == nullptr) return {};
    }
    compile_all();
    if (documents_ == 0 && !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::NoInput, {},
                           "the input holds no TrainingJob and no Cluster");
    }
    if (session_.sink.has_errors()) return {};
    if (request_.output_directory.empty()) {
      result_.stream = ordered_stream();
      return std::move(result_);
    }
    into_directory();
    return std::move(result_);
  }

 private:
  void compile_all() {
    const unsigned workers = request_.workers == 0 ? default_workers() : request_.workers;
    JobMaker maker(session_, request_, cluster_.get());
    std::vector<std::unique_ptr<JobMaker>> makers(workers);
    PortionWork<Made> work;
    work.make = [&](Session& session, unsigned worker, Document& document, Made& made) {
      if (!makers[worker]) {
        makers[worker] = std::make_unique<JobMaker>(session, request_, cluster_.get());
      }
      makers[worker]->one(document, made);
    };
    work.merge = [this](Made&& made, const FileNumbers& numbers) {
      return merge(std::move(made), numbers);
    };
    work.again = [&](Document& document) {
      Made made;
      maker.one(document, made);
      take(std::move(made));
    };
    std::vector<InputPart> files = input_files(request_.inputs, session_.env, session_.sink);
    run_portions(session_, cut_inputs(std::move(files), workers, session_), workers, work);
  }

  /// Takes over what a worker has made. False, with nothing changed, when names meet: then the
  /// jobs are made again here, where that can be told.
  bool merge(Made&& made, const FileNumbers& numbers) {
    // A place in a file that a spec extends is known to the worker alone.
    const auto moved = [&numbers](Span& place) {
      const Span before = std::exchange(place, numbers.in_session(place));
      return place.known() || !before.known();
    };
    for (MadeJob& job : made.jobs) {
      if (!moved(job.place) || jobs_.contains(job.key)) return false;
    }
    for (IdentifiedObject& object : made.objects) {
      if (!moved(object.place) || names_.has(object)) return false;
    }
    for (JobOutput& output : made.outputs) {
      if (!moved(output.causes.job)) return false;
      for (SpecLine& line : output.causes.lines) {
        if (!moved(line.place)) return false;
      }
    }
    if (has_two_alike(made)) return false;
    take(std::move(made));
    return true;
  }

  static bool has_two_alike(const Made& made) {
    std::unordered_set<std::string_view> keys;
    for (const MadeJob& job : made.jobs) {
      if (!keys.insert(job.key).second) return true;
    }
    std::unordered_set<std::string_view> identities;
    return !std::ranges::all_of(made.objects, [&](const IdentifiedObject& object) {
      return identities.insert(object.identity).second;
    });
  }

  /// Keeps what was made. Two jobs of one name in one namespace would overwrite each other, and so
  /// would two objects.
  void take(Made&& made) {
    bool have_met = false;
    for (MadeJob& job : made.jobs) {
      const auto [other, is_new] = jobs_.try_emplace(std::move(job.key), KeptJob{job.place, {}});
      if (is_new) {
        other->second.text = spool_.add(job.text);
        continue;
      }
      have_met = true;
      session_.sink
          .report(DiagnosticKind::NameCollision, job.place,
                  "a second job comes out as `" + job.name + "`")
          .also(other->second.place, "the first one");
    }
    // The objects of jobs that meet do so as well.
    for (IdentifiedObject& object : made.objects) {
      if (!have_met) names_.add(std::move(object), session_.sink);
    }
    for (JobOutput& output : made.outputs) {
      sources_.insert(std::move(output.source));
      outputs_.push_back({std::move(output.name), std::move(output.ns), spool_.add(output.text),
                          spool_.add(output.map), std::move(output.causes)});
    }
    releases_.merge(made.releases);
    documents_ += made.documents;
  }

  void into_directory() {
    jobs_.clear();  // there may be very many, and no more to be told of them
    RunSources sources(session_.env.files, request_.output_directory, request_.inputs);
    for (const std::string& source : sources_) sources.add(source);
    OutputRequest output;
    output.path = request_.output_directory;
    output.maps = request_.provenance;
    output.prune = request_.prune;
    output.yes = request_.yes;
    output.findings = request_.findings;
    output.kustomization = request_.kustomization;
    OutputDirectory directory(session_, std::move(output), std::move(sources),
                              lay_out(std::move(outputs_)), std::move(spool_));
    if (request_.check) {
      OutputDirectory::Check check = directory.check();
      result_.difference = std::move(check.difference);
      result_.told = std::move(check.told);
      result_.findings = std::move(check.findings);
      result_.out_of_date = !result_.difference.empty();
      return;
    }
    OutputDirectory::Changes changes = directory.write();
    result_.written = std::move(changes.written);
    result_.removed = std::move(changes.removed);
    result_.kept = std::move(changes.kept);
    result_.told = std::move(changes.told);
  }

  /// The stream in the order of the jobs' names, which the order of the inputs does not change.
  BuiltStream ordered_stream() {
    std::vector<Spool::Piece> texts;
    texts.reserve(jobs_.size());
    for (const auto& [key, job] : jobs_) {
      if (job.text.size != 0) texts.push_back(job.text);
    }
    if (texts.empty()) return {};  // a header alone is no document
    return {std::string(kHeader) + releases_.lines(), std::move(spool_), std::move(texts)};
  }

  Session& session_;
  const BuildRequest& request_;
  std::unique_ptr<ClusterDocument> cluster_;
  std::map<std::string, KeptJob> jobs_;  // by key, and so in the order of the stream
  std::vector<KeptOutput> outputs_;      // for a directory
  std::set<std::string> sources_;        // of these
  Spool spool_;                          // the texts of the stream, or of the files
  NewestReleases releases_;              // as Made's
  std::size_t documents_ = 0;
  ObjectNames names_;  // of all jobs
  BuildResult result_;
};

}  // namespace

BuildResult build(Session& session, const BuildRequest& request) {
  return Builder(session, request).build();
}

}  // namespace trainyard
