#include "live/wait_gone.h"

#include "cluster/api/calls.h"
#include "cluster/json_document.h"

namespace trainyard {
namespace {

constexpr Milliseconds kBetweenLooks{500};

void pause(Transport& transport) {
  bool over = false;
  transport.after(kBetweenLooks, [&over] { over = true; });
  while (!over && transport.turn()) {
  }
}

}  // namespace

WaitedForGone wait_until_gone(Transport& transport, const ApiResource& resource,
                              std::string_view name_space, std::string_view name,
                              std::string_view uid, Milliseconds most) {
  const ClockTime until = Clock::now() + most;
  while (true) {
    Answer answer = transport.send(get_call(resource, name_space, name));
    if (const auto error = error_of(answer)) {
      if (error->is_not_found()) return {};
      return {error, false};
    }
    const JsonAnswer live = JsonDocument::read(std::move(answer.body));
    if (live == nullptr || live->root()["metadata"]["uid"].text() != uid) return {};
    if (Clock::now() >= until) return {std::nullopt, true};
    pause(transport);
  }
}

}  // namespace trainyard
