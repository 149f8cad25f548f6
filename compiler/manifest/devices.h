#pragma once

#include <cstdint>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// The accelerators that a container, or a pod, is given.
struct Devices {
  std::int64_t whole = 0;   // GPUs
  std::int64_t slices = 0;  // of MIG
  View at;                  // the first amount that counts

  std::int64_t all() const { return whole + slices; }
};

/// A resource that stands for whole GPUs, one each: `nvidia.com/gpu`.
bool is_gpu_resource(std::string_view name);
/// A slice of a GPU: `nvidia.com/mig-1g.10gb`.
bool is_mig_resource(std::string_view name);

/// What `resources`, a map of limits and requests, asks for. Shares of a GPU count for nothing.
Devices devices_of(View resources);
Devices operator+(const Devices& a, const Devices& b);

}  // namespace trainyard
