#include "driver/fleet/retire.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "cel/times.h"
#include "diag/words.h"
#include "diagnosis/cluster_dump.h"
#include "driver/build/run_sources.h"
#include "driver/fleet/fleet_plan.h"
#include "driver/fleet/fleet_units.h"
#include "driver/fleet/render_fleet.h"
#include "driver/fleet/team_patterns.h"
#include "driver/plan/live_match.h"
#include "driver/plan/tree_objects.h"
#include "effective/status.h"
#include "emit/ownership.h"
#include "source/glob.h"

namespace trainyard {
namespace {

/// What the tree has of one spec.
struct SpecJobs {
  std::vector<std::string> ended;   // `Job/llama has succeeded`
  std::vector<std::string> others;  // why the spec stays: `Job/bert is running`
  bool has_recent = false;          // among the others: one that ended too late
};

class Retirer {
 public:
  Retirer(Session& session, const RetireRequest& request, const FleetPlan& plan)
      : session_(session),
        request_(request),
        plan_(plan),
        names_(session.env.files, plan.rendered) {}

  RetireResult run() {
    if (!is_up_to_date() || !choose_cluster()) return {};
    look_at_tree();
    if (session_.sink.has_errors()) return {};
    for (const auto& [spec, jobs] : specs_) decide(spec, jobs);
    tell_empty_teams();
    if (request_.write && !session_.sink.has_errors()) move();
    if (session_.sink.has_errors()) result_.specs.clear();
    return std::move(result_);
  }

 private:
  bool is_up_to_date() {
    RenderRequest render;
    render.fleet = request_.fleet;
    render.check = true;
    render.target = request_.target;
    render.workers = request_.workers;
    const BuildResult built = render_fleet(session_, render);
    if (session_.sink.has_errors()) return false;
    if (built.out_of_date) {
      session_.sink
          .report(DiagnosticKind::OutOfDate, {},
                  "the tree " + shown(plan_.rendered) + " is not that of the fleet")
          .note(
              "a spec that was edited may not have run yet; `trainyard render` brings the tree "
              "up to date");
    }
    return !built.out_of_date;
  }

  /// The clusters that have jobs in the tree, and among them that of the dumps.
  bool choose_cluster() {
    const Listing listing = session_.env.files.list(plan_.rendered);
    for (const std::string& name : listing.names) {
      const std::string cluster = name.substr(0, name.size() - 1);
      const auto is_there = [&](const std::string& folder) {
        return session_.env.files.is_directory(folder);
      };
      const bool has_jobs = name.ends_with('/') && !name.starts_with('.') &&
                            std::ranges::any_of(folders_of(cluster), is_there);
      if (has_jobs) clusters_.push_back(cluster);
    }
    cluster_ = request_.cluster;
    if (cluster_.empty() && clusters_.size() == 1) cluster_ = clusters_.front();
    if (std::ranges::find(clusters_, cluster_) != clusters_.end()) return true;
    session_.sink.report(
        DiagnosticKind::UnknownReference, {},
        (cluster_.empty()
             ? "the fleet has several clusters, and the dump is of one: say `--cluster`"
             : "`--cluster`: the tree has no jobs of a cluster " + shown(cluster_)) +
            "; expected " + listed(clusters_, "or"));
    return false;
  }

  std::vector<std::string> folders_of(const std::string& cluster) const {
    return {in_tree(FleetUnits::jobs_folder(cluster)), in_tree(FleetUnits::chains_folder(cluster))};
  }

  /// The path of a folder of the tree, which ends with a slash.
  std::string in_tree(const std::string& folder) const {
    return plan_.rendered + "/" + folder.substr(0, folder.size() - 1);
  }

  void look_at_tree() {
    for (const std::string& spec_path : spec_paths())
      by_absolute_[names_.absolute(spec_path)] = spec_path;
    for (const std::string& cluster : clusters_) {
      if (cluster != cluster_) look_at_other(cluster);
    }
    const std::vector<std::string> files = files_of(cluster_);
    std::map<std::string, std::string> spec_of;  // by path of a file of the tree
    std::vector<InputPart> inputs;
    for (const std::string& path : files) {
      const std::string spec = spec_of_file(path);
      if (spec.empty()) continue;
      spec_of[path] = spec;
      inputs.push_back({path, true, kNoFile, std::nullopt});
    }
    ObjectTree tree;
    tree.read(session_, inputs, ObjectSource::Tree);
    ObjectTree live;
    live.read(session_, input_files(request_.live, session_.env, session_.sink),
              ObjectSource::Dump);
    const auto is_live = [&](const TreeObject& each) { return live.find(each.key) != nullptr; };
    if (!tree.objects().empty() && std::ranges::none_of(tree.objects(), is_live)) {
      tell_foreign_dump(live, session_.sink);
    }
    if (request_.older_than && !find_now(live)) return;
    for (const TreeObject& object : tree.objects()) {
      const JobKind* kind = session_.job_kinds().find(object.object);
      if (kind == nullptr || !kind->is_job()) continue;
      note(specs_[spec_of[std::string(object.path)]], object, *kind, live.find(object.key));
    }
  }

  void note(SpecJobs& jobs, const TreeObject& object, const JobKind& kind, const TreeObject* live) {
    const std::string name = std::string(object.kind()) + "/" + std::string(object.name());
    if (live == nullptr) {
      jobs.others.push_back(name + " is not in the dump");
      return;
    }
    const JobState state = judge_status(kind, live->object);
    const bool has_ended =
        state.phase == JobPhase::Succeeded || (state.phase == JobPhase::Failed && request_.failed);
    std::string found =
        name + (is_final(state.phase) ? " has " : " is ") + std::string(name_of(state.phase));
    const std::string recent = has_ended ? why_recent(state) : std::string();
    jobs.has_recent = jobs.has_recent || !recent.empty();
    (has_ended && recent.empty() ? jobs.ended : jobs.others).push_back(found + recent);
    if (object.path.starts_with(in_tree(FleetUnits::chains_folder(cluster_)) + "/")) {
      jobs.others.push_back("is a step of a chain of `" + plan_.path + "`");
    }
  }

  /// "" where a job ended early enough.
  std::string why_recent(const JobState& state) const {
    if (!request_.older_than) return {};
    const auto end = cel::parse_timestamp(state.since);
    if (!end) return ", and its status does not say when";
    const bool is_old = now_ - end->seconds > request_.older_than->count;
    return is_old ? std::string() : " at " + state.since + ", which is too recent";
  }

  /// A dump is of the time of its newest object; no clock counts.
  bool find_now(const ObjectTree& live) {
    std::string_view newest = request_.now;
    if (newest.empty()) {
      for (const TreeObject& each : live.objects()) take_newest_time(each.object, newest);
    }
    const auto now = cel::parse_timestamp(newest);
    if (!now) {
      session_.sink
          .report(DiagnosticKind::UnknownReference, {},
                  "`--older-than`: no object of the dump has a time to count from")
          .note("say `--now`, such as `2026-11-26T21:00:00Z`");
      return false;
    }
    now_ = now->seconds;
    result_.counted_from = newest;
    return true;
  }

  /// A dump of one cluster says nothing of the others.
  void look_at_other(const std::string& cluster) {
    for (const std::string& path : files_of(cluster)) {
      const std::string spec = spec_of_file(path);
      if (!spec.empty())
        specs_[spec].others.push_back("cluster " + shown(cluster) + " has it, too");
    }
  }

  std::vector<std::string> files_of(const std::string& cluster) {
    std::vector<std::string> files;
    for (const std::string& folder : folders_of(cluster)) {
      if (!session_.env.files.is_directory(folder)) continue;
      std::ranges::move(
          files_below(folder, session_.env, session_.sink,
                      [](const std::string& path) { return path.ends_with(".yaml"); }),
          std::back_inserter(files));
    }
    return files;
  }

  std::set<std::string> spec_paths() const {
    std::set<std::string> paths;
    for (const PlannedCluster& cluster : plan_.clusters) {
      for (const InputPart& spec : cluster.specs) paths.insert(spec.path);
    }
    return paths;
  }

  /// The spec that a file of the tree was made from; "" for a file of others.
  std::string spec_of_file(const std::string& path) {
    const FileRead read = session_.env.files.read(path, session_.limits.bytes);
    if (read.error) {
      report_unreadable(path, *read.error, {}, session_.sink);
      return {};
    }
    const Owner owner = owner_of(read.text);
    if (owner.mark != Owner::Mark::Recorded || owner.fleet != *plan_.fleet.metadata->name)
      return {};
    const auto found = by_absolute_.find(names_.resolve(owner.source));
    return found == by_absolute_.end() ? std::string() : found->second;
  }

  void decide(const std::string& spec, const SpecJobs& jobs) {
    if (jobs.ended.empty() && !jobs.has_recent) return;
    if (!jobs.others.empty()) {
      const std::string ended = jobs.ended.empty() ? "" : jobs.ended.front() + ", and ";
      result_.told.push_back("kept " + spec + ": " + ended + jobs.others.front());
      return;
    }
    const std::string below = spec.substr(plan_.folder.size());
    const std::string to = request_.to + "/" + without_first_folder(below);
    if (!may_be_at(to)) return;
    if (session_.env.files.exists(plan_.folder + to) || !taken_.insert(to).second) {
      result_.told.push_back("kept " + spec + ": `" + plan_.folder + to + "` already exists");
      return;
    }
    std::string ended;
    for (const std::string& each : jobs.ended) ended += (ended.empty() ? "" : ", ") + each;
    result_.specs.push_back({spec, plan_.folder + to, ended});
  }

  /// So that relative paths in the spec still lead to the same files.
  static std::string without_first_folder(const std::string& path) {
    const std::size_t slash = path.find('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  }

  /// A moved spec must not be one of the fleet again.
  bool may_be_at(const std::string& to) {
    bool is_spec = !stays_below(to) || !TeamPatterns(plan_.teams).claims_of(to).empty();
    for (const PlannedCluster& cluster : plan_.clusters) {
      for (const Text& each : *(*cluster.entry)->specs) {
        std::string_view folder = *each;
        while (folder.ends_with('/')) folder.remove_suffix(1);
        is_spec = is_spec || fits_glob(folder, to) || to.starts_with(std::string(folder) + "/");
      }
    }
    if (!is_spec || std::exchange(told_place_, true)) return !is_spec;
    session_.sink.report(DiagnosticKind::UnknownReference, {},
                         "`--to`: `" + to +
                             "` is not below the folder of the fleet, or would be a spec of it "
                             "again; expected another folder, such as `specs-done`");
    return false;
  }

  /// A pattern of a fleet has to fit a file.
  void tell_empty_teams() {
    std::vector<std::size_t> left(plan_.teams.size());
    std::set<std::string_view> moved;
    for (const RetiredSpec& each : result_.specs) moved.insert(each.from);
    for (const auto& [path, claims] : plan_.claims) {
      for (const TeamClaim& claim : claims) left[claim.team] += moved.contains(path) ? 0U : 1U;
    }
    for (std::size_t team = 0; team < left.size(); ++team) {
      if (moved.empty() || left[team] != 0) continue;
      result_.told.push_back("the team " + shown(plan_.teams[team].name()) +
                             " has no spec left: take it out of `" + plan_.path +
                             "`, or add a spec, before you render");
    }
  }

  void move() {
    if (result_.specs.empty()) return;
    const std::string& folder = plan_.folder;
    const std::string root = folder.empty() ? "." : folder.substr(0, folder.size() - 1);
    OpenedFolder opened = session_.env.files.open_folder(root, FolderUse::Write);
    if (opened.error) return failed(root, *opened.error);
    std::vector<std::string> texts;
    for (const RetiredSpec& each : result_.specs) {
      FileRead read =
          opened.folder->read(each.from.substr(plan_.folder.size()), session_.limits.bytes);
      if (read.error) return failed(each.from, *read.error);
      texts.push_back(std::move(read.text));
    }
    std::vector<FileChange> changes;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const RetiredSpec& each = result_.specs[i];
      changes.push_back({each.to.substr(plan_.folder.size()), FileText(texts[i])});
      changes.push_back({each.from.substr(plan_.folder.size()), std::nullopt});
    }
    if (const auto failure = opened.folder->change(changes)) failed(failure->name, failure->error);
  }

  void failed(const std::string& path, const FileError& error) {
    session_.sink.report(DiagnosticKind::OutputFailed, {}, "`" + path + "`: " + error.message);
  }

  Session& session_;
  const RetireRequest& request_;
  const FleetPlan& plan_;
  SourceNames names_;
  std::vector<std::string> clusters_;
  std::string cluster_;
  std::map<std::string, std::string> by_absolute_;  // the path of a spec
  std::map<std::string, SpecJobs> specs_;           // by path
  std::set<std::string> taken_;                     // places that specs move to
  bool told_place_ = false;
  std::int64_t now_ = 0;  // in seconds since 1970
  RetireResult result_;
};

}  // namespace

RetireResult retire(Session& session, const RetireRequest& request) {
  const auto plan = read_fleet(session, request.fleet);
  if (plan == nullptr) return {};
  return Retirer(session, request, *plan).run();
}

}  // namespace trainyard
