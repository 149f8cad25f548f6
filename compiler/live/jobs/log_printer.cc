#include "live/jobs/log_printer.h"

#include <utility>

#include "diag/foreign_text.h"
#include "live/terminal.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kNoColour = "\x1b[0m";

bool has_log(View status) {
  const View state = get(status, "state");
  return get(state, "running") || get(state, "terminated") ||
         get(get(status, "lastState"), "terminated");
}

}  // namespace

void LogPrinter::see(View pod) {
  const PodRank place = rank_of(pod, *job_.kind, *job_.kinds);
  if (!is_wanted(place)) return;
  wanted_.insert(std::string(string_at(get(pod, "metadata"), "uid")));
  // In the order in which they run.
  for (const char* list :
       {"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"}) {
    for (const View each : items_at(get(pod, "status"), list)) {
      if (is_wanted(pod, string_at(each, "name")) && has_log(each)) follow(pod, each, place);
    }
  }
}

bool LogPrinter::is_wanted(const PodRank& place) const {
  if (!choice_.role.empty() && place.role != choice_.role) return false;
  return choice_.ranks.has(place.index.value_or(0));
}

/// The first is that of the training: what a template adds comes behind it.
bool LogPrinter::is_wanted(View pod, std::string_view container) const {
  if (choice_.all_containers) return true;
  if (!choice_.container.empty()) return container == choice_.container;
  const View list = get(get(pod, "spec"), "containers");
  return container == string_at(list ? list.first() : View(), "name");
}

void LogPrinter::follow(View pod, View status, const PodRank& place) {
  const View metadata = get(pod, "metadata");
  const std::string container(string_at(status, "name"));
  if (!begun_.emplace(string_at(metadata, "uid"), container).second) return;
  LogRequest request = choice_.request;
  request.name_space = string_at(metadata, "namespace");
  request.pod = string_at(metadata, "name");
  request.container = container;
  request.restarts = integer_at(status, "restartCount");
  const std::string name =
      request.pod + (choice_.all_containers ? ", container `" + container + "`" : "");
  LogEvents events = events_of(name, prefix_of(request, place));
  ++open_;
  logs_.push_back(std::make_unique<PodLog>(transport_, std::move(request), std::move(events)));
}

LogEvents LogPrinter::events_of(const std::string& name, const std::string& prefix) {
  return {.line = [this, prefix](std::string_view time,
                                 std::string_view text) { print(prefix, time, text); },
          .restarted =
              [prefix](long restarts) {
                say_now(prefix + "starts again, after restart " + std::to_string(restarts));
              },
          .troubled =
              [prefix](const std::string& problem) {
                say_now(prefix + (problem.empty() ? "connected again" : foreign_text(problem)));
              },
          .ended =
              [this, name](const std::optional<ApiError>& error, std::optional<long>) {
                --open_;
                if (error) problems_.push_back(name + ": " + sentence(*error));
              }};
}

/// `[worker 3/main] `: what tells this log from the others, in front of its lines.
std::string LogPrinter::prefix_of(const LogRequest& request, const PodRank& place) {
  std::string text;
  if (!choice_.ranks.is_one()) {
    const std::string role = place.role.empty() ? "" : foreign_text(place.role) + " ";
    text = place.index ? role + std::to_string(*place.index) : foreign_text(request.pod);
  }
  if (choice_.all_containers) {
    text += (text.empty() ? "" : "/") + foreign_text(request.container);
  }
  if (text.empty()) return {};
  text = "[" + text + "] ";
  if (!choice_.colour) return text;
  const auto number = 31 + colours_++ % 6;
  return "\x1b[" + std::to_string(number) + "m" + text + std::string(kNoColour);
}

/// The user's own words, as they are: `--mask` is for what is passed on.
void LogPrinter::print(const std::string& prefix, std::string_view time,
                       std::string_view text) const {
  if (choice_.grep != nullptr && !RE2::PartialMatch(text, *choice_.grep)) return;
  std::string line = prefix;
  if (choice_.timestamps) line += std::string(time) + " ";
  line += choice_.mask ? foreign_lines(text) : std::string(text);
  line += "\n";
  print_now(line);
  if (choice_.request.follow) flush_output();
}

}  // namespace trainyard
