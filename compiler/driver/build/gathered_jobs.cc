#include "driver/build/gathered_jobs.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace trainyard {
namespace {

constexpr std::size_t kDigestsAtATime = 32;

bool has_two_alike(const Made& made) {
  std::unordered_set<std::string_view> keys;
  for (const MadeJob& job : made.jobs) {
    if (!keys.insert(job.key).second) return true;
  }
  std::unordered_set<std::string_view> identities;
  return !std::ranges::all_of(made.objects, [&](const IdentifiedObject& object) {
    return identities.insert(object.identity).second;
  });
}

}  // namespace

void GatheredJobs::begin(const ClusterDocument* cluster, const JobUnits* units) {
  jobs.clear();
  names = {};
  synced.clear();
  cluster_ = cluster;
  units_ = units;
}

void GatheredJobs::compile_files(std::vector<InputPart> files) {
  const unsigned workers = request_.workers == 0 ? default_workers() : request_.workers;
  JobMaker maker(session_, request_, cluster_, units_);
  std::vector<std::unique_ptr<JobMaker>> makers(workers);
  PortionWork<Made> work;
  work.keeps_notes = true;
  work.make = [&](Session& session, unsigned worker, Document& document, Made& made) {
    if (!makers[worker]) {
      makers[worker] = std::make_unique<JobMaker>(session, request_, cluster_, units_);
    }
    makers[worker]->one(document, made);
  };
  work.finish = [](unsigned, Made& made) { put_digests(made.jobs); };
  work.merge = [this](Made&& made, const FileNumbers& numbers) {
    return merge(std::move(made), numbers);
  };
  work.again = [&](Document& document) {
    Made made;
    maker.one(document, made);
    take(std::move(made));
  };
  run_portions(session_, cut_inputs(std::move(files), workers, session_), workers, work);
  keep_waiting();
}

void GatheredJobs::compile_cluster(Document& document, const std::string& file) {
  Made made;
  JobMaker(session_, request_, cluster_).platform(document, file, made);
  take(std::move(made));
  keep_waiting();
}

/// Takes over what a worker has made. False, with nothing changed, when names meet: then the
/// jobs are made again here, where that can be told.
bool GatheredJobs::merge(Made&& made, const FileNumbers& numbers) {
  // A place in a file that a spec extends is known to the worker alone.
  const auto moved = [&numbers](Span& place) {
    const Span before = std::exchange(place, numbers.in_session(place));
    return place.known() || !before.known();
  };
  for (MadeJob& job : made.jobs) {
    if (!moved(job.place) || jobs.contains(job.key)) return false;
  }
  for (IdentifiedObject& object : made.objects) {
    if (!moved(object.place) || names.has(object)) return false;
  }
  for (JobOutput& output : made.outputs) {
    if (!moved(output.causes.job)) return false;
    for (SpecLine& line : output.causes.lines) {
      if (!moved(line.place)) return false;
    }
    for (ClaimCause& claim : output.causes.claims) {
      if (!moved(claim.place)) return false;
    }
  }
  if (has_two_alike(made)) return false;
  take(std::move(made));
  return true;
}

/// Keeps what was made. Two jobs of one name in one namespace would overwrite each other, and so
/// would two objects.
void GatheredJobs::take(Made&& made) {
  bool have_met = false;
  for (MadeJob& job : made.jobs) {
    const auto [other, is_new] = jobs.try_emplace(job.key, KeptJob{job.place, {}});
    if (is_new) {
      keep(std::move(job));
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
    if (!have_met) names.add(std::move(object), session_.sink);
  }
  for (JobOutput& output : made.outputs) {
    sources.insert(std::move(output.source));
    outputs.push_back({std::move(output.name), std::move(output.ns), spool.add(output.text),
                       spool.add(output.map), std::move(output.causes)});
  }
  std::ranges::move(made.synced, std::back_inserter(synced));
  releases.merge(made.releases);
  documents += made.documents;
}

/// Keeps the text of a job that is among `jobs`. Digests cost less for several at a time.
void GatheredJobs::keep(MadeJob&& job) {
  if (job.text.digests.empty()) {
    jobs.find(job.key)->second.text = spool.add(job.text.text);
    return;
  }
  waiting_.push_back(std::move(job));
  if (waiting_.size() == kDigestsAtATime) keep_waiting();
}

void GatheredJobs::keep_waiting() {
  put_digests(waiting_);
  for (MadeJob& job : waiting_) keep(std::move(job));
  waiting_.clear();
}

}  // namespace trainyard
