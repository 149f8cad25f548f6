#include "live/jobs/failed_logs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cluster/api/pod_log.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr long kLines = 200;
constexpr std::size_t kContainers = 16;  // the first failures tell the cause, the rest repeat it

struct Wanted {
  std::string pod;
  std::string container;
  std::string ended;  // "" for one that runs
  bool previous = false;
};

/// How a container ended that has failed, now or before its last restart.
View failure_of(View status, bool& previous) {
  for (const char* state : {"state", "lastState"}) {
    const View ended = get(get(status, state), "terminated");
    if (ended && integer_at(ended, "exitCode").value_or(0) != 0) {
      previous = std::string_view(state) == "lastState";
      return ended;
    }
  }
  return {};
}

std::vector<Wanted> containers_of(const std::vector<View>& pods, bool failed) {
  std::vector<Wanted> wanted;
  for (const View pod : pods) {
    const std::string name(string_at(get(pod, "metadata"), "name"));
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
      for (const View status : items_at(get(pod, "status"), list)) {
        const std::string container(string_at(status, "name"));
        bool previous = false;
        const View ended = failure_of(status, previous);
        if (failed && ended) {
          wanted.push_back(
              {name, container, std::string(string_at(ended, "finishedAt")), previous});
        } else if (!failed && get(get(status, "state"), "running")) {
          wanted.push_back({name, container, "", false});
        }
      }
    }
  }
  std::ranges::stable_sort(wanted, {}, &Wanted::ended);
  if (wanted.size() > kContainers) wanted.resize(kContainers);
  return wanted;
}

}  // namespace

LastWords last_words(Transport& transport, const std::string& name_space,
                     const std::vector<View>& pods, LastWordsLimits limits) {
  std::vector<Wanted> wanted = containers_of(pods, true);
  if (wanted.empty()) wanted = containers_of(pods, false);
  LastWords words;
  words.said.resize(wanted.size());
  std::vector<std::unique_ptr<PodLog>> logs;
  std::set<std::string> open;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    LogRequest request;
    request.name_space = name_space;
    request.pod = wanted[i].pod;
    request.container = wanted[i].container;
    request.previous = wanted[i].previous;
    request.tail = kLines;
    request.bytes = static_cast<long>(limits.bytes);
    const std::string name = wanted[i].pod + "/" + wanted[i].container;
    std::string& text = words.said[i];
    open.insert(name);
    logs.push_back(std::make_unique<PodLog>(
        transport, std::move(request),
        LogEvents{
            .line =
                [&text, name, limits](std::string_view time, std::string_view line) {
                  if (text.size() > limits.bytes) return;
                  text +=
                      "[pod/" + name + "] " + std::string(time) + " " + std::string(line) + "\n";
                },
            .restarted = [](long) {},
            .troubled = [](const std::string&) {},
            .ended =
                [&open, &words, name](const std::optional<ApiError>& error, std::optional<long>) {
                  open.erase(name);
                  if (error) words.problems.push_back(name + ": " + sentence(*error));
                }}));
  }
  bool is_late = false;
  const Transport::Ticket timer = transport.after(limits.time, [&is_late] { is_late = true; });
  while (!open.empty() && !is_late && transport.turn()) {
  }
  transport.cancel(timer);
  for (const std::string& name : open)
    words.problems.push_back(name + ": it does not come to an end");
  return words;
}

}  // namespace trainyard
