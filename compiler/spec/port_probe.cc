#include "spec/port_probe.h"

#include <string_view>

namespace trainyard {

std::string first_pod_listens(std::int64_t port) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string number;
  for (int shift = 12; shift >= 0; shift -= 4) number += kDigits[(port >> shift) & 15];
  return "[ \"${JOB_COMPLETION_INDEX:-$VC_TASK_INDEX}\" != 0 ] || grep -qs ':" + number +
         " [0-9A-F]*:0000 0A' /proc/net/tcp /proc/net/tcp6";
}

}  // namespace trainyard
