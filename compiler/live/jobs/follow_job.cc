#include "live/jobs/follow_job.h"

#include "diagnosis/job_status.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// "" while a field that a label names has no text, such as the name of a RayCluster to come.
std::string selector_of(const PodMarks& marks, View job) {
  std::string selector;
  for (const PodMarks::Label& label : marks.labels) {
    const std::string value = filled_in(label.value, job);
    if (value.empty()) return {};
    selector += (selector.empty() ? "" : ",") + std::string(label.key) + "=" + value;
  }
  return selector;
}

std::string name_of_object(View object) {
  return std::string(string_at(get(object, "metadata"), "name"));
}

}  // namespace

JobFollower::JobFollower(Transport& transport, const LiveJob& job, FollowEvents events)
    : transport_(transport),
      followed_(job),
      events_(std::move(events)),
      uid_(job.uid()),
      job_{job.object, nullptr} {
  news_.state = judge_status(*job.kind, job.object);
  const std::string name_space(job.name_space());
  for (const ApiResource* child : job.tellers) {
    watch_around(child->plural + "." + std::string(child->group()),
                 {*child, child->namespaced ? name_space : "", "", ""});
  }
  if (events_.pod) watch_pods();
  watch("", {*job.resource, name_space, "", "metadata.name=" + std::string(job.name())},
        {.changed = [this](View object, const JsonAnswer& keeper) { see(object, keeper); },
         .deleted = [this](const std::string&, const std::string&, View) { tell_gone(); },
         .synced =
             [this] {
               if (job_.keeper == nullptr && !news_.gone) tell_gone();
             },
         .troubled = events_.troubled,
         .ended =
             [this](const ApiError& error) {
               news_.refused = error;
               events_.news(news_);
             }});
}

void JobFollower::watch(const std::string& key, Selection selection, WatchEvents events) {
  watches_[key] = std::make_unique<Watch>(transport_, std::move(selection), std::move(events));
}

void JobFollower::watch_around(const std::string& key, Selection selection) {
  ++waits_for_;
  const auto come = [this, has_come = std::make_shared<bool>(false)] {
    if (std::exchange(*has_come, true)) return;
    --waits_for_;
    judge();
  };
  const std::string what = selection.resource.plural;
  watch(key, std::move(selection),
        {.changed = [this, key](View object,
                                const JsonAnswer& keeper) { see_around(key, object, keeper); },
         .deleted =
             [this, key](const std::string&, const std::string& name, View) {
               around_.erase(key + "/" + name);
               judge();
             },
         .synced = come,
         .troubled = [](const std::string&) {},
         .ended =
             [this, come, what](const ApiError& error) {
               if (!error.is_connection()) {
                 events_.noted(what + " may not be watched, so that the phase is what the job " +
                               "itself says: " + sentence(error));
               }
               come();
             }});
}

void JobFollower::watch_pods() {
  for (const PodMarks& marks : followed_.kind->pods) {
    const std::string selector = selector_of(marks, job_.object);
    if (selector.empty() || watches_.contains(selector)) continue;
    watch_around(selector, {pods_resource(), std::string(followed_.name_space()), selector, ""});
  }
}

/// Another job of the same name is not the one that is followed.
void JobFollower::see(View object, const JsonAnswer& keeper) {
  if (string_at(get(object, "metadata"), "uid") != uid_) return tell_gone();
  job_ = {object, keeper};
  JobState own = judge_status(*followed_.kind, object);
  if (events_.pod || own.phase == JobPhase::Running) watch_pods();
  if (own.phase == JobPhase::Running || followed_.kind->signs.empty()) return judge();
  news_.state = std::move(own);
  events_.news(news_);
}

void JobFollower::see_around(const std::string& key, View object, const JsonAnswer& keeper) {
  around_[key + "/" + name_of_object(object)] = {object, keeper};
  if (events_.pod && string_at(object, "kind") == "Pod") events_.pod(object);
  judge();
}

/// Only the phase of a job that says that it runs, or nothing, depends on what is around it.
void JobFollower::judge() {
  if (news_.gone || job_.keeper == nullptr || waits_for_ > 0) return;
  const JobState own = judge_status(*followed_.kind, job_.object);
  if (own.phase != JobPhase::Running && !followed_.kind->signs.empty()) return;
  ClusterDump dump(*followed_.kinds);
  dump.add(job_.object);
  for (const auto& [key, kept] : around_) dump.add(kept.object);
  news_.state = job_status(dump, job_.object, *followed_.kind).state;
  const bool is_by_pods = own.phase == JobPhase::Running && news_.state.phase == JobPhase::Pending;
  if (is_by_pods) news_.state.message = news_.state.decided_by;
  events_.news(news_);
}

void JobFollower::tell_gone() {
  news_.gone = true;
  events_.news(news_);
}

}  // namespace trainyard
