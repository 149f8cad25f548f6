#include "driver/threads/ordered_work.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

enum class State : std::uint8_t { Waiting, Done, Failed };

/// What the threads share; everything in it is guarded by `mutex`.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<State> states;
  std::size_t next = 0;   // that no worker has taken yet
  std::size_t taken = 0;  // as many, from the first
  std::exception_ptr error;
  bool stopped = false;
};

/// The items that may be worked on, or be done, before the first of them is taken.
std::size_t window(unsigned workers) {
  return std::size_t{8} * workers;
}

using Work = std::function<void(std::size_t, unsigned)>;

bool has_work(const Board& board, unsigned workers) {
  return board.next < board.states.size() && board.next < board.taken + window(workers);
}

/// Takes the next item and works on it.
void work_on_next(Board& board, std::unique_lock<std::mutex>& lock, unsigned worker,
                  const Work& work) {
  const std::size_t item = board.next++;
  lock.unlock();
  std::exception_ptr error;
  try {
    work(item, worker);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  board.states[item] = error ? State::Failed : State::Done;
  if (error && !board.error) board.error = error;
  board.changed.notify_all();
}

void run_worker(Board& board, unsigned workers, unsigned worker, const Work& work) {
  std::unique_lock lock(board.mutex);
  for (;;) {
    board.changed.wait(lock, [&] {
      return board.stopped || board.next == board.states.size() || has_work(board, workers);
    });
    if (board.stopped || board.next == board.states.size()) return;
    work_on_next(board, lock, worker, work);
  }
}

/// The calling thread's part: it takes what is done, and works itself while nothing is. False when
/// the work on an item has failed.
bool take_all(Board& board, unsigned workers, const Work& work,
              const std::function<bool(std::size_t)>& take) {
  std::unique_lock lock(board.mutex);
  while (board.taken < board.states.size()) {
    const std::size_t item = board.taken;
    if (board.states[item] == State::Failed) return false;
    if (board.states[item] == State::Waiting) {
      if (has_work(board, workers)) {
        work_on_next(board, lock, workers - 1, work);
      } else {
        board.changed.wait(lock);
      }
      continue;
    }
    lock.unlock();
    const bool more = take(item);
    lock.lock();
    ++board.taken;
    board.changed.notify_all();
    if (!more) return true;
  }
  return true;
}

/// False when the system has no thread left: a limit of the user, or of a container.
bool add_thread(std::vector<std::thread>& threads, const StartThread& start,
                const std::function<void()>& run) {
  try {
    threads.push_back(start(run));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

std::thread start_thread(std::function<void()> run) {
  return std::thread(std::move(run));
}

void work_in_order(std::size_t count, unsigned workers,
                   const std::function<void(std::size_t item, unsigned worker)>& work,
                   const std::function<bool(std::size_t item)>& take, const StartThread& start) {
  workers = std::max(workers, 1U);
  Board board;
  board.states.resize(count, State::Waiting);
  std::vector<std::thread> threads;
  const auto stop = [&] {
    {
      const std::lock_guard lock(board.mutex);
      board.stopped = true;
    }
    board.changed.notify_all();
    for (std::thread& thread : threads) thread.join();
  };
  bool good = false;
  try {
    for (unsigned worker = 0; worker + 1 < workers; ++worker) {
      const auto run = [&, worker] { run_worker(board, workers, worker, work); };
      if (!add_thread(threads, start, run)) break;
    }
    good = take_all(board, workers, work, take);
  } catch (...) {
    stop();
    throw;
  }
  stop();
  if (!good) std::rethrow_exception(board.error);
}

unsigned default_workers() {
  // The cores that this process may use: std::thread counts those of the machine.
  cpu_set_t usable;
  CPU_ZERO(&usable);
  const bool known = sched_getaffinity(0, sizeof usable, &usable) == 0;
  const unsigned cores =
      known ? static_cast<unsigned>(CPU_COUNT(&usable)) : std::thread::hardware_concurrency();
  return std::clamp(cores, 1U, 16U);
}

}  // namespace trainyard
