#pragma once

#include <cstddef>
#include <vector>

namespace trainyard {

/// For each node the nodes that it waits for.
using WaitsFor = std::vector<std::vector<std::size_t>>;

/// The nodes of a circle of waiting, each before the one it waits for; empty when there is none.
std::vector<std::size_t> find_cycle(const WaitsFor& graph);

}  // namespace trainyard
