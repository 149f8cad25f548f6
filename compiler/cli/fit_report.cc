#include "cli/fit_report.h"

#include "cli/command.h"

namespace trainyard {
namespace {

std::string counted(std::int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace

std::string fits_text(const std::vector<JobFit>& jobs) {
  std::string out;
  for (const JobFit& job : jobs) {
    out += job.job + " (" + job.target + ") fits\n";
    for (const PoolShare& share : job.shares) {
      out += "  " + counted(share.pods, "pod") + " of role " + std::string(share.role) + " on " +
             counted(share.nodes, "node") + " of pool " + std::string(share.pool) + "\n";
    }
    for (const std::string& note : job.notes) out += "  note: " + note + "\n";
  }
  return out;
}

std::string fits_json(const std::vector<JobFit>& jobs) {
  std::string out = "\"jobs\": [";
  bool is_first = true;
  for (const JobFit& job : jobs) {
    out += (is_first ? "{" : ", {") + json_member("job", job.job) + ", " +
           json_member("target", job.target) + ", \"placed\": [";
    is_first = false;
    bool first = true;
    for (const PoolShare& share : job.shares) {
      out += first ? "{" : ", {";
      first = false;
      out += json_member("pool", share.pool) + ", " + json_member("role", share.role) + ", " +
             json_member("pods", static_cast<std::size_t>(share.pods)) + ", " +
             json_member("nodes", static_cast<std::size_t>(share.nodes)) + "}";
    }
    out += "], " + json_member("notes", job.notes) + "}";
  }
  return out + "]";
}

}  // namespace trainyard
