#include "convert/rendezvous.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trainyard {
namespace {

constexpr auto kOptions = std::to_array<std::string_view>(
    {"nnodes", "nproc-per-node", "node-rank", "master-addr", "master-port", "rdzv-backend",
     "rdzv-endpoint", "rdzv-id", "standalone", "num-machines", "num-processes", "machine-rank",
     "main-process-ip", "main-process-port", "num-gpus", "num-nodes", "world-info"});

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

class Settling {
 public:
  Settling(Conversion& job, ConvertedRole& role, std::string_view value)
      : job_(job), role_(role), value_(value) {}

  std::optional<std::string> nodes() {
    const std::int64_t pods = job_.meeting(role_);
    const std::size_t colon = value_.find(':');
    const auto least = number(value_.substr(0, colon));
    if (colon != value_.npos) {
      const auto most = number(value_.substr(colon + 1));
      if (!least || !most) return "it is no range of nodes";
      if (*least != *most) elastic(*least, *most);
      return std::nullopt;
    }
    if (least && *least == pods) return std::nullopt;
    return "the job has " + std::to_string(pods) + (pods == 1 ? " pod" : " pods");
  }

  std::optional<std::string> processes() {
    if (value_ == "auto" || value_ == "gpu") {
      role_.processes = std::max<std::int64_t>(role_.gpus, 1);
      return std::nullopt;
    }
    const auto count = number(value_);
    if (!count || *count < 1) return "it is no number of processes";
    role_.processes = *count;
    return std::nullopt;
  }

  std::optional<std::string> all_processes() {
    const auto count = number(value_);
    const std::int64_t pods = job_.meeting(role_);
    if (!count || *count % pods != 0) return "the pods would not have equally many processes";
    role_.processes = *count / pods;
    return std::nullopt;
  }

  std::optional<std::string> rank() {
    if (number(value_) == 0 && !several()) return std::nullopt;
    return "the rank of a pod is its index";
  }

  std::optional<std::string> address(std::string_view host) {
    const bool local = host == "localhost" || host == "127.0.0.1";
    if (is_variable(host) || is_first_host(job_, host) || (local && !several())) {
      return std::nullopt;
    }
    return "the address is that of the first pod";
  }

  std::optional<std::string> port(std::string_view text) {
    if (is_variable(text)) return std::nullopt;
    const auto wanted = number(text);
    if (!wanted) return "it is no port";
    if (!several() || *wanted == job_.port) return std::nullopt;
    if (*wanted < 1024) return "a port below 1024 is privileged";
    job_.maker.put(rendezvous(), "port", job_.number(*wanted));
    return std::nullopt;
  }

  std::optional<std::string> endpoint() {
    const std::size_t colon = value_.rfind(':');
    if (colon == value_.npos) return address(value_);
    if (const auto wrong = address(value_.substr(0, colon))) return wrong;
    return port(value_.substr(colon + 1));
  }

  std::optional<std::string> backend() {
    if (value_ == "static") return std::nullopt;
    if (value_ != "c10d") return "only `static` and `c10d` are written";
    if (several()) job_.maker.put(rendezvous(), "backend", job_.text("c10d"));
    return std::nullopt;
  }

  std::optional<std::string> alone() {
    if (!several()) return std::nullopt;
    return "each of the pods would train alone";
  }

 private:
  bool several() const { return job_.meeting(role_) > 1; }
  NodeId rendezvous() { return job_.map_at(job_.map_at(role_.fields, "run"), "rendezvous"); }

  void elastic(std::int64_t least, std::int64_t most) {
    job_.share({"elastic", "minNodes"}, job_.number(least), {});
    job_.share({"elastic", "maxNodes"}, job_.number(most), {});
  }

  Conversion& job_;
  ConvertedRole& role_;
  std::string_view value_;
};

}  // namespace

bool is_variable(std::string_view value) {
  return value.find('$') != value.npos;
}

bool is_rendezvous_option(std::string_view name) {
  return std::ranges::find(kOptions, name) != kOptions.end();
}

std::optional<std::string> settle_rendezvous_option(Conversion& job, ConvertedRole& role,
                                                    std::string_view name, std::string_view value) {
  Settling settling(job, role, value);
  if (name == "standalone") return settling.alone();
  if (name == "rdzv-id" || name == "world-info" || name == "multi-gpu" || name == "cpu" ||
      name == "deepspeed-multinode-launcher") {
    return std::nullopt;
  }
  if (name == "rdzv-endpoint") return settling.endpoint();
  if (is_variable(value)) return std::nullopt;
  if (name == "nnodes" || name == "num-machines" || name == "num-nodes") return settling.nodes();
  if (name == "nproc-per-node" || name == "num-gpus") return settling.processes();
  if (name == "num-processes") return settling.all_processes();
  if (name == "node-rank" || name == "machine-rank") return settling.rank();
  if (name == "master-addr" || name == "main-process-ip") return settling.address(value);
  if (name == "master-port" || name == "main-process-port") return settling.port(value);
  return settling.backend();
}

void settle_worker_counts(Conversion& job) {
  std::int64_t all = 0;
  for (const ConvertedRole& each : job.roles) {
    const std::int64_t usual = std::max<std::int64_t>(each.gpus, 1);
    const std::int64_t of_pod = each.processes != 0 ? each.processes : usual;
    if (each.has_rank) all += each.pods * of_pod;
  }
  for (View each : job.worker_counts) {
    if (each->text == std::to_string(all) || each->text == std::to_string(job.pods)) {
      job.ledger.derived(each);
      continue;
    }
    job.ledger.lost(
        each, "a build counts the processes of all pods, and there are " + std::to_string(all),
        "`nodes` and `gpusPerNode` decide how many there are");
  }
}

}  // namespace trainyard
