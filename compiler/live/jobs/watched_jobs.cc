#include "live/jobs/watched_jobs.h"

#include "tree/typed_fields.h"

namespace trainyard {

WatchedJobs::WatchedJobs(Transport& transport, const Discovery& discovery,
                         const JobKinds& job_kinds, std::string name_space, JobName name,
                         const LookedKinds& kinds,
                         std::function<void(const std::string& problem)> troubled)
    : discovery_(discovery),
      job_kinds_(job_kinds),
      name_space_(std::move(name_space)),
      name_(std::move(name)),
      troubled_(std::move(troubled)),
      waits_for_(kinds.size()),
      watched_(kinds.size()) {
  for (const ApiResource* resource : kinds) follow(transport, *resource);
}

void WatchedJobs::follow(Transport& transport, const ApiResource& resource) {
  Followed& followed = kinds_.emplace_back(Followed{&resource});
  WatchEvents events{
      .changed =
          [this, &followed](View object, const JsonAnswer& keeper) {
            const View metadata = get(object, "metadata");
            followed.objects[{std::string(string_at(metadata, "namespace")),
                              std::string(string_at(metadata, "name"))}] = {object, keeper};
            ++changes_;
          },
      .deleted =
          [this, &followed](const std::string& name_space, const std::string& name, View) {
            followed.objects.erase({name_space, name});
            ++changes_;
          },
      .synced = [this, &followed] { come(followed); },
      .troubled =
          [this](const std::string& problem) {
            // One connection carries all watches: its loss is reported once.
            if (problem == trouble_) return;
            trouble_ = problem;
            troubled_(problem);
          },
      .ended = [this, &followed](const ApiError& error) { end(followed, error); }};
  Selection selection{resource, resource.namespaced ? name_space_ : "", "", ""};
  followed.watch = std::make_unique<Watch>(transport, std::move(selection), std::move(events));
}

void WatchedJobs::come(Followed& followed) {
  ++changes_;
  if (std::exchange(followed.has_come, true)) return;
  --waits_for_;
}

/// What may not be read is left out; where nothing is left, nothing more comes.
void WatchedJobs::end(Followed& followed, const ApiError& error) {
  const bool may_be_left_out = error.status == 403 || error.is_not_found();
  if (error.status == 403) {
    notes_.push_back(followed.resource->plural + " may not be watched: " + sentence(error));
  }
  if (may_be_left_out) come(followed);
  if (--watched_ == 0 || !may_be_left_out) error_ = error_.value_or(error);
}

LiveJobs WatchedJobs::now() const {
  LiveJobs jobs;
  jobs.dump = ClusterDump(job_kinds_);
  for (const Followed& followed : kinds_) {
    for (const auto& [key, kept] : followed.objects) {
      jobs.dump.add(kept.object);
      jobs.answers.push_back(kept.keeper);
    }
  }
  jobs.notes = notes_;
  jobs.jobs = jobs_named(jobs.dump, discovery_, name_);
  return jobs;
}

}  // namespace trainyard
