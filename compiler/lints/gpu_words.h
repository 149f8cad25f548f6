#pragma once

#include <cstdint>
#include <string>

namespace trainyard {

/// "1 GPU", "8 GPUs".
inline std::string gpus(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
}

}  // namespace trainyard
