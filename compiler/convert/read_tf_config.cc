#include "convert/read_tf_config.h"

#include <algorithm>
#include <string_view>

namespace trainyard {
namespace {

/// Reads the one form of JSON that the variable has.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<TfConfig> read() {
    TfConfig config;
    if (!take("{") || !key("cluster") || !take("{")) return std::nullopt;
    do {
      TfConfig::Role role;
      if (!text(role.name) || !take(":") || !take("[")) return std::nullopt;
      do {
        if (!text(role.hosts.emplace_back())) return std::nullopt;
      } while (take(","));
      if (!take("]")) return std::nullopt;
      config.cluster.push_back(std::move(role));
    } while (take(","));
    if (!take("}") || !take(",") || !key("task") || !take("{")) return std::nullopt;
    if (!key("type") || !text(config.type) || !take(",") || !key("index")) return std::nullopt;
    const std::size_t end = rest_.find('}');
    if (end == rest_.npos) return std::nullopt;
    config.index = rest_.substr(0, end);
    std::erase_if(config.index, [](char c) { return c == ' ' || c == '"'; });
    rest_.remove_prefix(end);
    if (!take("}") || !take("}")) return std::nullopt;
    skip();
    return rest_.empty() ? std::optional(std::move(config)) : std::nullopt;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) {
      rest_.remove_prefix(1);
    }
  }
  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool text(std::string& value) {
    if (!take("\"")) return false;
    const std::size_t end = rest_.find('"');
    if (end == rest_.npos || rest_.substr(0, end).find('\\') != rest_.npos) return false;
    value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool key(std::string_view name) {
    std::string found;
    return text(found) && found == name && take(":");
  }

  std::string_view rest_;
};

/// Host `index` of a role, by whatever controller: its name begins with that of the job.
bool is_host(const Conversion& job, std::string_view host, std::size_t index,
             std::string_view port) {
  const std::size_t colon = host.rfind(':');
  if (colon == host.npos || host.substr(colon + 1) != port) return false;
  const std::string_view label = host.substr(0, std::min(host.find('.'), colon));
  const std::string number = "-" + std::to_string(index);
  return label.starts_with(job.name + "-") &&
         (label.ends_with(number) || label.find(number + "-") != label.npos);
}

std::optional<std::string> wrong_with(const Conversion& job, const TfConfig& config,
                                      std::string_view role) {
  const std::string_view own = role.empty() ? std::string_view("worker") : role;
  if (config.type != own) return "these pods are role `" + std::string(own) + "`";
  const std::string& first = config.cluster.front().hosts.front();
  const std::string_view port = std::string_view(first).substr(first.rfind(':') + 1);
  for (const ConvertedRole& each : job.roles) {
    if (each.name == "evaluator") continue;
    const std::string_view name = each.name.empty() ? std::string_view("worker") : each.name;
    const auto listed = std::ranges::find(config.cluster, name, &TfConfig::Role::name);
    const std::string pods = std::to_string(each.pods);
    if (listed == config.cluster.end()) return "it lacks role `" + std::string(name) + "`";
    if (static_cast<std::int64_t>(listed->hosts.size()) != each.pods) {
      return "role `" + std::string(name) + "` has " + pods + (each.pods == 1 ? " pod" : " pods");
    }
    for (std::size_t i = 0; i < listed->hosts.size(); ++i) {
      if (!is_host(job, listed->hosts[i], i, port)) {
        return "`" + listed->hosts[i] + "` is no pod of the job";
      }
    }
  }
  const bool several = std::ranges::any_of(
      job.roles, [&](const ConvertedRole& each) { return each.name == role && each.pods > 1; });
  const bool number = config.index.find('$') == std::string::npos;
  if (number && (several || config.index != "0")) return "the index of a pod is its own";
  return std::nullopt;
}

}  // namespace

std::optional<TfConfig> read_tf_config(View value) {
  return value ? Reader(value->text).read() : std::nullopt;
}

void settle_tf_configs(Conversion& job) {
  for (const Conversion::TfConfig& each : job.tf_configs) {
    const auto config = read_tf_config(each.value);
    const auto wrong = wrong_with(job, *config, each.role);
    if (!wrong) {
      job.ledger.derived(each.value);
      continue;
    }
    job.ledger.lost(each.value, "a build computes `TF_CONFIG`, and not as here: " + *wrong,
                    "`roles` and `nodes` decide how the pods meet");
  }
}

}  // namespace trainyard
