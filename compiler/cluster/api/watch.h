#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/api/object_list.h"

namespace trainyard {

/// What a watch tells. Views are good during the call; `JsonAnswer` keeps what they are in.
struct WatchEvents {
  /// An object is new or changed, or comes again after the watch had to list anew.
  std::function<void(View object, const JsonAnswer& keeper)> changed = {};
  /// It is gone. `object` is its last state; an empty view where it went while nothing was watched.
  std::function<void(const std::string& name_space, const std::string& name, View object)> deleted =
      {};
  /// The first list, or a later one, has been told.
  std::function<void()> synced = {};
  /// The connection is lost and is tried again, or (with "") works again.
  std::function<void(const std::string& problem)> troubled = {};
  /// The watch has ended for good: refused, or lost for longer than `reconnect`.
  std::function<void(const ApiError& error)> ended = {};
};

/// Follows the objects of a selection: lists them, watches from there with bookmarks, lists anew
/// after 410, and connects again where the stream ends. It runs in `Transport::turn`, and must not
/// be destroyed by its own events.
class Watch {
 public:
  /// `transport` must outlive this.
  Watch(Transport& transport, Selection selection, WatchEvents events,
        Milliseconds reconnect = std::chrono::minutes(10));
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  class Follower;
  std::unique_ptr<Follower> follower_;
};

}  // namespace trainyard
