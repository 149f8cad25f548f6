#include "live/jobs/follow_job.h"

#include <utility>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

Selection just(const LiveJob& job, const std::string& name_space) {
  return {*job.resource, name_space, "", "metadata.name=" + std::string(job.name())};
}

}  // namespace

JobFollower::JobFollower(Transport& transport, const LiveJob& job, const std::string& name_space,
                         std::function<void(const JobNews&)> on_news,
                         std::function<void(const std::string&)> troubled)
    : kind_(*job.kind),
      uid_(job.uid()),
      on_news_(std::move(on_news)),
      watch_(transport, just(job, name_space),
             {.changed = [this](View object, const JsonAnswer&) { see(object); },
              .deleted =
                  [this](const std::string&, const std::string&, View) {
                    news_.gone = true;
                    on_news_(news_);
                  },
              .synced =
                  [this] {
                    if (seen_) return;
                    news_.gone = true;
                    on_news_(news_);
                  },
              .troubled = std::move(troubled),
              .ended =
                  [this](const ApiError& error) {
                    news_.refused = error;
                    on_news_(news_);
                  }}) {
  news_.state = judge_status(kind_, job.object);
}

/// Another job of the same name is not the one that is followed.
void JobFollower::see(View object) {
  seen_ = true;
  if (string_at(get(object, "metadata"), "uid") != uid_) {
    news_.gone = true;
  } else {
    news_.state = judge_status(kind_, object);
  }
  on_news_(news_);
}

}  // namespace trainyard
