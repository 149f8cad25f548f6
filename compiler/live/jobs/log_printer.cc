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
  const PodRank place = rank_of(pod, kind_);
  if (!is_wanted(place)) return;
  wanted_.insert(std::string(string_at(get(pod, "metadata"), "uid")));
  const View status = get(pod, "status");
  const std::string container = container_of(pod);
  for (const View each : items_at(status, "containerStatuses")) {
    if (string_at(each, "name") == container && has_log(each)) follow(pod, container, each, place);
  }
}

bool LogPrinter::is_wanted(const PodRank& place) const {
  if (!choice_.role.empty() && place.role != choice_.role) return false;
  return choice_.ranks.has(place.index.value_or(0));
}

/// The first is that of the training: what a template adds comes behind it.
std::string LogPrinter::container_of(View pod) const {
  if (!choice_.container.empty()) return choice_.container;
  const View list = get(get(pod, "spec"), "containers");
  return std::string(string_at(list ? list.first() : View(), "name"));
}

void LogPrinter::follow(View pod, const std::string& container, View status, const PodRank& place) {
  const View metadata = get(pod, "metadata");
  if (!begun_.insert(std::string(string_at(metadata, "uid"))).second) return;
  LogRequest request = choice_.request;
  request.name_space = string_at(metadata, "namespace");
  request.pod = string_at(metadata, "name");
  request.container = container;
  request.restarts = integer_at(status, "restartCount");
  LogEvents events = events_of(request.pod, prefix_of(request.pod, place));
  ++open_;
  logs_.push_back(std::make_unique<PodLog>(transport_, std::move(request), std::move(events)));
}

LogEvents LogPrinter::events_of(const std::string& pod, const std::string& prefix) {
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
              [this, pod](const std::optional<ApiError>& error, std::optional<long>) {
                --open_;
                if (error) problems_.push_back(pod + ": " + sentence(*error));
              }};
}

std::string LogPrinter::prefix_of(const std::string& pod, const PodRank& place) {
  if (choice_.ranks.is_one()) return {};
  std::string text = "[" + foreign_text(pod);
  if (place.index)
    text = "[" + (place.role.empty() ? "" : foreign_text(place.role) + " ") +
           std::to_string(*place.index);
  text += "] ";
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
