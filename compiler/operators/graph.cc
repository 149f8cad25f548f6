#include "operators/graph.h"

#include <algorithm>

namespace trainyard {

std::vector<std::size_t> find_cycle(const WaitsFor& graph) {
  // Depth first without recursion: documents may be long.
  enum class State : unsigned char { Fresh, Open, Done };
  std::vector<State> states(graph.size(), State::Fresh);
  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (states[start] != State::Fresh) continue;
    std::vector<std::size_t> path{start};
    std::vector<std::size_t> next{0};
    states[start] = State::Open;
    while (!path.empty()) {
      const std::size_t node = path.back();
      if (next.back() == graph[node].size()) {
        states[node] = State::Done;
        path.pop_back();
        next.pop_back();
        continue;
      }
      const std::size_t other = graph[node][next.back()++];
      if (states[other] == State::Open) {
        return {std::ranges::find(path, other), path.end()};
      }
      if (states[other] == State::Done) continue;
      states[other] = State::Open;
      path.push_back(other);
      next.push_back(0);
    }
  }
  return {};
}

}  // namespace trainyard
