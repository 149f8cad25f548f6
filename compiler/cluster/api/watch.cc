#include "cluster/api/watch.h"

#include <set>
#include <utility>

#include "cluster/api/reconnection.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kServerTimeout = "290";  // seconds, after which the server ends a watch
constexpr Milliseconds kBeginning{30'000};          // for the head of the answer
constexpr Milliseconds kShortest{1'000};  // a watch that ends sooner is begun after a pause

using Key = std::pair<std::string, std::string>;  // namespace and name

Key key_of(View object) {
  const View metadata = get(object, "metadata");
  return {std::string(string_at(metadata, "namespace")), std::string(string_at(metadata, "name"))};
}

}  // namespace

class Watch::Follower {
 public:
  Follower(Transport& transport, Selection selection, WatchEvents events, Milliseconds reconnect)
      : transport_(transport),
        selection_(std::move(selection)),
        events_(std::move(events)),
        reconnection_(reconnect, events_.troubled) {
    list();
  }
  Follower(const Follower&) = delete;
  ~Follower() { transport_.cancel(ticket_); }

 private:
  void list() {
    listing_ = std::make_unique<ListCall>(transport_, selection_,
                                          [this](Listed& listed) { take_list(listed); });
  }

  void take_list(Listed& listed) {
    if (listed.error) return failed(*listed.error, true);
    reconnection_.works();
    std::set<Key> before = std::exchange(known_, {});
    version_ = listed.resource_version;
    for (const JsonAnswer& page : listed.pages) {
      for (const View object : items_at(page->root(), "items")) {
        Key key = key_of(object);
        before.erase(key);
        known_.insert(std::move(key));
        if (events_.changed) events_.changed(object, page);
      }
    }
    for (const auto& [name_space, name] : before) {
      if (events_.deleted) events_.deleted(name_space, name, View());
    }
    if (events_.synced) events_.synced();
    watch();
  }

  void watch() {
    const Query query = {{"watch", "true"},
                         {"allowWatchBookmarks", "true"},
                         {"timeoutSeconds", std::string(kServerTimeout)},
                         {"resourceVersion", version_},
                         {"labelSelector", selection_.label_selector},
                         {"fieldSelector", selection_.field_selector}};
    began_ = Clock::now();
    is_gone_ = false;
    ticket_ = transport_.start(
        {.path = collection_path(selection_.resource, selection_.name_space, query),
         .streams = true,
         .timeout = kBeginning},
        [this](Answer& answer) { take_end(answer); },
        [this](std::string_view line) { take_event(line); });
  }

  void take_event(std::string_view line) {
    const JsonAnswer event = JsonDocument::read(std::string(line));
    if (event == nullptr) return;  // the half of a line that was cut
    reconnection_.works();
    const std::string_view type = string_at(event->root(), "type");
    const View object = get(event->root(), "object");
    if (type == "ERROR") {
      is_gone_ = error_of(object).is_gone();
      return;
    }
    version_ = string_at(get(object, "metadata"), "resourceVersion");
    if (type == "BOOKMARK") return;
    const Key key = key_of(object);
    if (type == "DELETED") {
      known_.erase(key);
      if (events_.deleted) events_.deleted(key.first, key.second, object);
    } else {
      known_.insert(key);
      if (events_.changed) events_.changed(object, event);
    }
  }

  void take_end(Answer& answer) {
    const auto error = error_of(answer);
    // The server has forgotten what happened since then: 410, as the answer or as an event.
    const bool is_forgotten = is_gone_ || (error && error->is_gone());
    if (error && !is_forgotten) return failed(*error, false);
    if (!is_forgotten) reconnection_.works();
    go_on(is_forgotten);
  }

  /// Watches on, or lists anew. The first list comes at once; a server that ends each watch soon,
  /// or forgets again and again, is given time.
  void go_on(bool anew) {
    const bool has_lasted = Clock::now() - began_ >= kShortest;
    if (has_lasted) has_listed_anew_ = false;
    const bool at_once = has_lasted || (anew && !has_listed_anew_);
    has_listed_anew_ = has_listed_anew_ || anew;
    const auto next = [this, anew] { anew ? list() : watch(); };
    if (at_once) return next();
    ticket_ = transport_.after(kShortest, next);
  }

  void failed(const ApiError& error, bool in_list) {
    const bool may_pass = error.trouble == Trouble::Lost || error.trouble == Trouble::TimedOut ||
                          error.trouble == Trouble::NotReached || error.status >= 500 ||
                          error.status == 429;
    // What the first list cannot have is no loss: the call itself is wrong, or the server away.
    const bool has_worked = !version_.empty();
    const auto pause = may_pass && has_worked ? reconnection_.lost(sentence(error)) : std::nullopt;
    if (!pause) {
      if (events_.ended) events_.ended(error);
      return;
    }
    ticket_ = transport_.after(*pause, [this, in_list] { in_list ? list() : watch(); });
  }

  Transport& transport_;
  Selection selection_;
  WatchEvents events_;
  Reconnection reconnection_;
  std::unique_ptr<ListCall> listing_;
  std::set<Key> known_;
  std::string version_;
  ClockTime began_;
  bool is_gone_ = false;
  bool has_listed_anew_ = false;  // since a watch lasted
  Transport::Ticket ticket_ = 0;
};

Watch::Watch(Transport& transport, Selection selection, WatchEvents events, Milliseconds reconnect)
    : follower_(std::make_unique<Follower>(transport, std::move(selection), std::move(events),
                                           reconnect)) {}
Watch::~Watch() = default;

}  // namespace trainyard
