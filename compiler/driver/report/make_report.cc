#include "driver/report/make_report.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "diag/foreign_text.h"
#include "diag/render.h"
#include "diag/words.h"
#include "driver/doctor/doctor.h"
#include "driver/explain/jobs_of_inputs.h"
#include "driver/fleet/fleet_plan.h"
#include "driver/fleet/render_fleet.h"
#include "driver/picture/cluster_picture.h"
#include "driver/picture/job_picture.h"
#include "driver/plan/training_terms.h"
#include "driver/report/report_data.h"
#include "driver/report/report_page.h"
#include "driver/session/default_releases.h"
#include "driver/session/inputs.h"
#include "driver/validate/validate.h"
#include "driver/why/traced_output.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Inputs that are compiled alike: all, or the specs of one team for one cluster.
struct Group {
  std::vector<std::string> inputs;
  std::optional<std::vector<std::string>> overlays = {};  // nothing for those of the run
};

struct ClusterGroups {
  std::string path;  // "" for none
  std::vector<Group> groups;
};

bool is_ours(const Document& document, std::string_view kind) {
  return document.kind == kind && document.api_version.starts_with("trainyard/");
}

/// Collects what one group of a cluster comes to.
class GroupReader {
 public:
  GroupReader(Session& session, const ReportRequest& request, const ClusterGroups& cluster,
              std::size_t number, ReportData& data)
      : session_(session),
        request_(request),
        cluster_(cluster),
        number_(number),
        data_(data),
        inputs_(session) {}

  void read(const Group& group) {
    if (group.overlays) session_.layers.overlays = *group.overlays;
    inputs_.read({.inputs = group.inputs,
                  .cluster = cluster_.path,
                  .target = request_.target,
                  .kubernetes = {},
                  .keeps_sound = true});
    for (const FileId each : inputs_.spec_files()) file(each).spec = each;
    add_outputs();
    std::size_t done = 0;
    for (const InputJob& each : inputs_.jobs()) {
      add_job(each);
      session_.env.tell({++done, inputs_.jobs().size(), "pictures"});
    }
    place();
    CauseTexts texts(session_, group.inputs.front());
    data_.need(texts);
    for (const ReportedFile& each : files) data_.add(each, texts);
    data_.finish_steps(texts);
  }

  std::vector<ReportedFile> files;
  std::vector<JobDemand> demands;
  std::vector<JobFit> fits;
  std::vector<Diagnostic> misfits;  // jobs that do not fit

 private:
  /// Files follow one another as they were read.
  ReportedFile& file(FileId id) {
    const std::string_view name = session_.sources.name(id);
    const bool is_same = !files.empty() && files.back().path == name;
    const auto known =
        is_same ? files.end() - 1 : std::ranges::find(files, name, &ReportedFile::path);
    if (known != files.end()) return *known;
    ReportedFile& added = files.emplace_back();
    added.path = name;
    added.cluster = number_;
    return added;
  }

  void add_outputs() {
    const auto& specs = inputs_.specs();
    for (auto spec = specs.begin(); spec != specs.end();) {
      const FileId id = spec->document.file;
      TracedOutput output;
      DefaultReleases releases;
      for (; spec != specs.end() && spec->document.file == id; ++spec) {
        const ObjectSet& objects = spec->compiled.objects;
        output.add(objects, spec->compiled.origins, session_.sources);
        releases.note(objects, session_.schemas,
                      inputs_.cluster() == nullptr ? nullptr : &inputs_.cluster()->cluster);
      }
      output.put_below_header(releases.lines());
      ReportedFile& made = file(id);
      made.made = session_.sources.add("<output>", std::move(output.text));
      made.leaves = data_.leaves(output.causes, made.path);
    }
  }

  void add_job(const InputJob& job) {
    ReportedFile& of = file(job.file);
    if (of.spec == kNoFile) of.made = job.file;
    ReportedJob& added = of.jobs.emplace_back();
    added.name_space = string_at(get(job.object, "metadata"), "namespace");
    session_.sink.clear();
    const auto demand = demand_of(inputs_, job);
    if (demand) added.picture = job_picture(session_, inputs_, job);
    if (!added.picture && session_.sink.has_errors()) {
      added.why_none = session_.sink.all().back().message;
    }
    added.demand = demand.value_or(
        JobDemand{.job = foreign_text(job_label(job.object)), .queue = terms_of(job.object).queue});
    demands.push_back(added.demand);
  }

  /// Where the jobs of specs would go.
  void place() {
    std::vector<std::string> sound;
    for (const CompiledSpec& each : inputs_.specs()) {
      if (sound.empty() || sound.back() != each.document.path) sound.push_back(each.document.path);
    }
    if (cluster_.path.empty() || sound.empty()) return;
    session_.sink.clear();
    fits = doctor(session_, {.inputs = sound,
                             .cluster = cluster_.path,
                             .target = request_.target,
                             .assume_used = {},
                             .seen = nullptr})
               .jobs;
    for (const Diagnostic& each : session_.sink.all()) {
      if (each.kind == DiagnosticKind::ExceedsPool) misfits.push_back(each);
    }
  }

  Session& session_;
  const ReportRequest& request_;
  const ClusterGroups& cluster_;
  std::size_t number_;
  ReportData& data_;
  JobsOfInputs inputs_;
};

class Reporter {
 public:
  Reporter(Session& session, const ReportRequest& request) : session_(session), request_(request) {}

  ReportResult report() {
    keep_standard_input();
    look();
    find();
    for (const ClusterGroups& each : clusters_) add(each);
    add_other_files();
    if (shown_.empty() && session_.sink.has_errors()) return {};
    data_.add_findings(render_json(session_.sink.sorted(), session_.sources));
    result_.page = data_.json(title());
    if (!request_.data_alone) result_.page = report_page(result_.page);
    return std::move(result_);
  }

 private:
  /// It can be read once, and several stages ask for it.
  void keep_standard_input() {
    session_.env.read_stdin = [read = session_.env.read_stdin,
                               kept = std::optional<FileRead>()](std::size_t limit) mutable {
      if (!kept) kept = read(limit);
      return *kept;
    };
  }

  std::string title() const {
    std::string title;
    for (const std::string& each : request_.inputs) {
      title += (title.empty() ? "" : ", ") + foreign_text(each);
    }
    return title;
  }

  /// Which clusters the inputs are for. What is wrong with the inputs, `find` tells.
  void look() {
    const auto reader = session_.fork();
    std::set<std::string> fleets;
    std::set<std::string> clusters;
    for_each_document(request_.inputs, reader->env, reader->sources, reader->sink, reader->limits,
                      Ambiguity::Kubernetes, [&](Document& document) {
                        if (is_ours(document, "Fleet")) fleets.insert(document.path);
                        if (is_ours(document, "Cluster")) clusters.insert(document.path);
                      });
    if (fleets.size() == 1 && request_.inputs.size() == 1) return look_at_fleet(*fleets.begin());
    std::string path = request_.cluster;
    if (path.empty() && clusters.size() == 1) path = *clusters.begin();
    if (path.empty() && clusters.size() > 1) {
      const std::vector<std::string> names(clusters.begin(), clusters.end());
      Diagnostic several(
          DiagnosticKind::ConflictingValues, {},
          "the inputs have several Clusters, " + listed(names, "and") + ": the page is for none");
      several.severity = Severity::Warning;
      several.note("name one of them with `--cluster`");
      session_.sink.report(std::move(several));
    }
    clusters_.push_back({path, {{request_.inputs}}});
  }

  void look_at_fleet(const std::string& path) {
    fleet_ = path;
    const auto reader = session_.fork();
    const auto plan = read_fleet(*reader, fleet_);
    if (plan == nullptr) return clusters_.resize(1);  // findings alone
    for (const PlannedCluster& planned : plan->clusters) {
      ClusterGroups& cluster = clusters_.emplace_back();
      cluster.path = planned.file;
      for (std::size_t team = 0; team < plan->teams.size(); ++team) {
        Group group{{}, planned.overlays};
        const std::vector<std::string>& more = plan->teams[team].overlays;
        group.overlays->insert(group.overlays->end(), more.begin(), more.end());
        for (const InputPart& spec : planned.specs) {
          const std::vector<TeamClaim>& claims = plan->claims.at(spec.path);
          const bool is_own = claims.size() == 1 && claims.front().team == team;
          if (is_own) group.inputs.push_back(spec.path);
        }
        if (!group.inputs.empty()) cluster.groups.push_back(std::move(group));
      }
    }
  }

  /// What is wrong, by those whose work it is to tell that.
  void find() {
    if (!fleet_.empty()) {
      RenderRequest render;
      render.fleet = fleet_;
      render.target = request_.target;
      render.check = true;
      render.workers = request_.workers;
      render_fleet(session_, render);
      return;
    }
    ValidateRequest request;
    request.inputs = request_.inputs;
    request.cluster = clusters_.front().path;
    request.target = request_.target;
    request.workers = request_.workers;
    validate(session_, request);
  }

  void add(const ClusterGroups& cluster) {
    const auto own = session_.fork();
    std::vector<JobDemand> demands;
    std::vector<JobFit> fits;
    for (const Group& each : cluster.groups) {
      GroupReader group(*own, request_, cluster, number_, data_);
      group.read(each);
      for (const ReportedFile& file : group.files) {
        shown_.insert(file.path);
        result_.jobs += file.jobs.size();
      }
      std::ranges::move(group.demands, std::back_inserter(demands));
      std::ranges::move(group.fits, std::back_inserter(fits));
      for (Diagnostic& misfit : group.misfits) take_over(std::move(misfit), own->sources);
    }
    ++number_;
    ReportedCluster shown;
    const auto document = cluster.path.empty() ? nullptr : read_cluster(*own, cluster.path);
    shown.use = cluster_use(*own, document.get(), demands, fits);
    if (document != nullptr) {
      shown.name = *document->cluster.metadata->name;
      shown.picture = cluster_picture(*own, *document, demands, shown.use);
    } else if (demands.size() > 1) {
      shown.picture = fleet_picture(demands);
    }
    CauseTexts texts(*own, cluster.path);
    data_.add(shown, texts);
  }

  /// A finding whose places are in another session. A place that only that one knows is left out.
  void take_over(Diagnostic finding, const SourceMap& sources) {
    const auto move = [&](Span& place) {
      if (!place.known()) return;
      const std::string_view name = sources.name(place.file);
      FileId file = 0;
      while (file < session_.sources.size() && session_.sources.name(file) != name) ++file;
      place = file == session_.sources.size() ? Span() : Span{file, place.begin, place.end};
    };
    move(finding.span);
    for (Label& each : finding.labels) move(each.span);
    std::erase_if(finding.labels, [](const Label& each) { return !each.span.known(); });
    session_.sink.report(std::move(finding));
  }

  /// Those of findings that have no job.
  void add_other_files() {
    CauseTexts texts(session_, {});
    for (const Diagnostic& each : session_.sink.sorted()) {
      if (!each.span.known() || session_.sources.is_builtin(each.span.file)) continue;
      ReportedFile file;
      file.path = session_.sources.name(each.span.file);
      file.made = each.span.file;
      if (shown_.insert(file.path).second) data_.add(file, texts);
    }
  }

  Session& session_;
  const ReportRequest& request_;
  ReportResult result_;
  ReportData data_;
  std::string fleet_;  // path; "" for none
  std::vector<ClusterGroups> clusters_;
  std::size_t number_ = 0;       // of the cluster that comes next
  std::set<std::string> shown_;  // paths of the files on the page
};

/// False, with an error in the session's sink, where a file of others stands there.
bool may_replace(Session& session, const ReportRequest& request) {
  constexpr std::size_t kHead = 1024;
  constexpr std::size_t kLargestPage = 256 * 1024 * 1024;
  const FileRead old = session.env.files.read(request.output_file, kLargestPage);
  const bool is_there = !old.error || old.error->reason != FileError::Reason::NotFound;
  const bool is_page = !old.error && std::string_view(old.text).substr(0, kHead).find(
                                         kReportMark) != std::string_view::npos;
  if (!is_there || is_page || request.force) return true;
  session.sink
      .report(DiagnosticKind::OutputConflict, {},
              "`" + request.output_file + "` exists and is not a page of `report`")
      .note("choose another file, or write over it with `--force`");
  return false;
}

}  // namespace

ReportResult make_report(Session& session, const ReportRequest& request) {
  ReportResult result = Reporter(session, request).report();
  if (result.page.empty() || request.output_file.empty()) return result;
  if (!may_replace(session, request)) return result;
  if (const auto error = session.env.files.write(request.output_file, result.page)) {
    session.sink.report(DiagnosticKind::OutputFailed, {},
                        "`" + request.output_file + "`: " + error->message);
    return result;
  }
  result.written = request.output_file;
  return result;
}

}  // namespace trainyard
