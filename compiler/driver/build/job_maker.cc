#include "driver/build/job_maker.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/build/compile_platform.h"
#include "driver/build/variants.h"
#include "emit/ownership.h"
#include "emit/provenance.h"
#include "emit/spec_lines.h"
#include "tree/origin_span.h"

namespace trainyard {
namespace {

/// One that was found beside specs is there for them.
bool is_cluster(const Document& document) {
  return document.kind == "Cluster" && document.api_version.starts_with("trainyard/") &&
         !document.from_directory;
}

/// Rule `storage` marks the claims that go with their job.
bool outlives_its_job(const ObjectSet& objects, const Object& object) {
  if (object.kind != "PersistentVolumeClaim") return false;
  const View metadata = View(objects.tree, object.root)["metadata"];
  return metadata["annotations"]["trainyard/keep"].text() != "false";
}

}  // namespace

void put_digests(std::span<MadeJob> jobs) {
  std::vector<ObjectsText*> texts;
  for (MadeJob& job : jobs) texts.push_back(&job.text);
  put_digests(texts);
}

JobMaker::JobMaker(Session& session, const BuildRequest& request, const ClusterDocument* cluster,
                   const JobUnits* units)
    : session_(session), request_(request), cluster_(cluster), units_(units) {
  if (!request.output_directory.empty())
    names_.emplace(session.env.files, request.output_directory);
}

void JobMaker::one(Document& document, Made& made) {
  if (is_cluster(document)) return platform(document, "", made);
  if (!is_training_job(document)) return;
  ++made.documents;
  if (units_ != nullptr && !enter_unit(document)) return;
  for_each_variant(session_, document, [&](Document& variant) { job(variant, made); });
}

/// Readies the session for the unit of a spec.
bool JobMaker::enter_unit(const Document& document) {
  const JobUnit* unit = units_->unit_of(session_, document);
  if (unit == nullptr) return false;
  if (unit == unit_) return true;
  session_.layers.overlays = unit->overlays;
  if (unit->policies != nullptr) session_.use(unit->policies->copy());
  unit_ = unit;
  return true;
}

void JobMaker::job(const Document& document, Made& made) {
  if (!compile(session_, document, cluster_, request_.target, compilation_)) return;
  if (unit_ != nullptr && !is_in_its_namespace()) return;
  take_job(document, made);
}

bool JobMaker::is_in_its_namespace() {
  const Field<std::string_view>& ns = compilation_.plan.ns;
  if (std::ranges::find(unit_->namespaces, *ns) != unit_->namespaces.end()) return true;
  Span place = span_of_origin(compilation_.origins, ns.origin);
  if (!place.known()) place = compilation_.job.metadata->name.span;
  const std::string found =
      ns->empty() ? "the job has no namespace" : "the job comes into the namespace " + shown(*ns);
  session_.sink
      .report(DiagnosticKind::UnknownReference, place,
              found + ", and the team " + shown(unit_->team) + " has " +
                  listed(unit_->namespaces, "and"))
      .note(
          "say `metadata.namespace` in the spec or an overlay, or `spec.defaults.namespace` in "
          "the Cluster");
  return false;
}

void JobMaker::take_job(const Document& document, Made& made) {
  const Plan& plan = compilation_.plan;
  const std::string name(*plan.job);
  MadeJob job{std::string(*plan.ns) + "/" + name, name, document.root()["metadata"]["name"]->span};
  const Cluster* cluster = cluster_ == nullptr ? nullptr : &cluster_->cluster;
  ObjectSet& objects = compilation_.objects;
  if (unit_ == nullptr) {
    keep(job, name, std::string(*plan.ns), document.path, objects, compilation_.origins, cluster,
         made);
    made.jobs.push_back(std::move(job));
    return;
  }
  // Its file keeps its name when another namespace gets a job of that name.
  const bool is_home = *plan.ns == unit_->namespaces.front();
  note_synced_jobs(session_.job_kinds(), objects, *unit_, name, made.synced);
  const std::string own_folder = unit_->chained.contains(name) ? unit_->chains + name + "/" : "";
  const std::string file = (is_home ? "" : std::string(*plan.ns) + ".") + name;
  std::vector<Object> all = std::move(objects.objects);
  for (const std::string* folder : {&unit_->jobs, &unit_->claims, &unit_->runtimes}) {
    objects.objects.clear();
    std::ranges::copy_if(all, std::back_inserter(objects.objects), [&](const Object& each) {
      return &folder_of_object(objects, each) == folder;
    });
    const bool is_chained = folder == &unit_->jobs && !own_folder.empty();
    keep(job, (is_chained ? own_folder : *folder) + file, "", document.path, objects,
         compilation_.origins, cluster, made);
  }
  made.jobs.push_back(std::move(job));
}

const std::string& JobMaker::folder_of_object(const ObjectSet& objects,
                                              const Object& object) const {
  if (outlives_its_job(objects, object)) return unit_->claims;
  const bool is_runtime = object.kind == "TrainingRuntime";
  return is_runtime && !unit_->runtimes.empty() ? unit_->runtimes : unit_->jobs;
}

/// What a Cluster asks for. It comes before all jobs, which are known by `<namespace>/<name>`.
void JobMaker::platform(Document& document, const std::string& file, Made& made) {
  ++made.documents;
  const auto compiled = compile_platform(session_, document, file.empty());
  if (compiled == nullptr) return;
  const Text& name = compiled->cluster->cluster.metadata->name;
  if (!may_name_a_file(name)) return;
  MadeJob job{" " + std::string(*name), std::string(*name), name.span};
  keep(job, file.empty() ? std::string(*name) + ".cluster" : file, "", document.path,
       compiled->objects, compiled->origins, &compiled->cluster->cluster, made);
  made.jobs.push_back(std::move(job));
}

/// The names of jobs are made valid by a rule; that of a Cluster names nothing but a file.
bool JobMaker::may_name_a_file(const Text& name) {
  if (request_.output_directory.empty() || is_plain_file_name(*name)) return true;
  session_.sink.report(DiagnosticKind::BadName, name.span,
                       shown(*name) +
                           " cannot name the file of this Cluster; expected a name without `/` "
                           "that does not begin with a dot, such as `lab`");
  return false;
}

/// Puts objects into a file, or into the text of the job for the stream.
void JobMaker::keep(MadeJob& job, std::string file, std::string ns, const std::string& source,
                    ObjectSet& objects, const Origins& origins, const Cluster* cluster,
                    Made& made) {
  const std::size_t before = made.objects.size();
  name_objects(objects, origins, made.objects);
  // A name from a base, a Cluster or a catalogue: the spec is what has to change, and a file that
  // only one thread has opened would have the job made again.
  for (std::size_t i = before; i < made.objects.size(); ++i) {
    Span& place = made.objects[i].place;
    if (place.file != job.place.file) place = job.place;
  }
  if (request_.output_directory.empty()) {
    made.releases.note(objects, session_.schemas, cluster);
    write_undigested(objects, job.text);
  } else if (!objects.objects.empty()) {  // a Cluster may ask for none
    made.outputs.push_back(
        output(std::move(file), std::move(ns), names_->name(source), objects, origins, cluster));
    FileCauses& causes = made.outputs.back().causes;
    causes.job = job.place;
    for (std::size_t i = 0; i < objects.objects.size(); ++i) {
      const Object& object = objects.objects[i];
      if (object.kind != "PersistentVolumeClaim") continue;
      causes.claims.push_back({std::string(object.name), made.objects[before + i].place});
    }
  }
}

/// A directory may hold other documents beside the specs; a file that was named may not.
bool JobMaker::is_training_job(const Document& document) {
  if (document.kind == "TrainingJob") return true;
  const bool ours = document.api_version.starts_with("trainyard/");
  const bool for_jobs =
      document.kind == "Cluster" || document.kind == "TrainingJobLayer" || document.kind == "Fleet";
  if (document.from_directory && (!ours || for_jobs)) return false;
  if (ours && document.kind == "TrainingJobLayer") {
    session_.sink
        .report(DiagnosticKind::NotATrainingJob, document.root()["kind"]->span,
                "a `TrainingJobLayer` is not compiled by itself")
        .note("name the file under `extends` of a TrainingJob, or give it by `--overlay`");
    return false;
  }
  if (ours && document.kind == "Fleet") {
    session_.sink.report(
        DiagnosticKind::NotATrainingJob, document.root()["kind"]->span,
        "a `Fleet` is not compiled by `build`; `trainyard render` writes its tree");
    return false;
  }
  const View kind = document.root()["kind"];
  Diagnostic& report = session_.sink.report(
      DiagnosticKind::NotATrainingJob, kind ? kind->span : document.root()->span,
      kind ? "kind `" + std::string(document.kind) +
                 "` is not compiled; expected `TrainingJob` or `Cluster`"
           : "this is no TrainingJob: " +
                 std::string(document.root()->is_map() ? "`kind` is missing" : "a map is wanted"));
  if (!kind) return false;
  constexpr auto kKinds =
      std::to_array<std::string_view>({"TrainingJob", "TrainingJobLayer", "Cluster", "Fleet"});
  if (const auto near = suggest(document.kind, kKinds); ours && near) {
    report.fix(kind->span, std::string(*near), "did you mean " + code(*near) + "?");
  } else if (!ours) {
    report.note(
        "`trainyard validate` checks such an object, `trainyard convert` makes a spec of it");
  }
  return false;
}

JobOutput JobMaker::output(std::string file, std::string ns, std::string source,
                           const ObjectSet& objects, const Origins& origins,
                           const Cluster* cluster) {
  JobOutput job{std::move(file), std::move(ns), std::move(source), {}, {}, {}};
  job.text = owned_beginning(job.source, request_.fleet);
  DefaultReleases releases;
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

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && std::ranges::none_of(name, [](char c) {
    return c == '/' || static_cast<unsigned char>(c) < ' ';
  });
}

}  // namespace trainyard
