#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace trainyard {

/// Starts a thread. Throws std::system_error where the system has none left.
using StartThread = std::function<std::thread(std::function<void()>)>;
std::thread start_thread(std::function<void()> run);

/// Calls `work(item, worker)` for every item below `count` on `workers` threads. Each has
/// a number of its own below `workers`, the calling thread among them; and `take(item)` on the
/// calling thread, in the order of the items, when the work on one is done. `take` returns false to
/// leave out what is left. No worker runs far ahead of what has been taken, so that results do not
/// pile up.
///
/// Where no more threads can be started, those that could do all the work, or the calling thread by
/// itself.
///
/// What `work` throws is thrown again here, when the items before that one have been taken.
void work_in_order(std::size_t count, unsigned workers,
                   const std::function<void(std::size_t item, unsigned worker)>& work,
                   const std::function<bool(std::size_t item)>& take,
                   const StartThread& start = start_thread);

/// How many threads to use by default: as many as the process may use cores, up to 16.
unsigned default_workers();

}  // namespace trainyard
