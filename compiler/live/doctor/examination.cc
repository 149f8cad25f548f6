#include "live/doctor/examination.h"

#include <algorithm>
#include <array>

#include "cli/command.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void compare_rights(const Cluster& cluster, const std::vector<Right>& missing,
                    Deviations& deviations) {
  if (missing.empty()) return;
  const Text& usual = cluster.spec->defaults->ns;
  Diagnostic& made =
      deviations.add(kRightsMissing, usual ? usual.span : cluster.metadata->name.span,
                     "you lack " + counted(static_cast<std::uint32_t>(missing.size()), "right") +
                         " in namespace " + shown(missing.front().name_space));
  std::vector<std::string> words;
  for (const Right& each : missing) words.push_back(each.verb + " " + each.resource);
  made.note(listed(words, "and"));
  made.note("`trainyard ping -n " + missing.front().name_space +
            "` prints the Role that grants them");
}

std::string cell(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + "  ";
}

using Row = std::array<std::string, 7>;

std::vector<Row> rows_of(const std::vector<PoolCapacity>& pools) {
  std::vector<Row> rows = {{"POOL", "NODES", "USABLE", "IDLE", "RESOURCE", "HAS", "FREE"}};
  for (const PoolCapacity& pool : pools) {
    const Row begin = {std::string(pool.pool),
                       std::to_string(pool.nodes),
                       std::to_string(pool.usable),
                       std::to_string(pool.idle),
                       "",
                       "",
                       ""};
    if (pool.amounts.empty()) rows.push_back(begin);
    for (const PoolCapacity::Amount& amount : pool.amounts) {
      Row row = &amount == &pool.amounts.front() ? begin : Row{};
      row[4] = amount.resource;
      row[5] = amount.has.text();
      row[6] = amount.free.text();
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

void examine_cluster(Session& session, const ClusterDocument& document, const Answers& answers,
                     Examination& result, Sink& sink) {
  Deviations deviations(sink);
  const Cluster& cluster = document.cluster;
  compare_cluster(session, document, answers.survey, result, deviations);
  compare_secrets(answers.secrets, answers.presence, deviations);
  compare_rights(cluster, answers.missing_rights, deviations);
  result.seen = {&document, free_nodes(result.pools), queue_usage(cluster, answers.survey)};
}

Usage queue_usage(const Cluster& cluster, const Survey& survey) {
  Usage usage;
  const SurveyedKind& real = survey.kind("ClusterQueue.kueue.x-k8s.io");
  for (const auto& queue : *cluster.spec->queues) {
    const std::string_view name = queue->cluster_queue ? *queue->cluster_queue : *queue->name;
    const View status = get(real.find(name), "status");
    for (const View flavor : items_at(status, "flavorsUsage")) {
      for (const View resource : items_at(flavor, "resources")) {
        const auto total = Quantity::parse(get(resource, "total").text());
        if (!total) continue;
        Quantity& sum =
            usage.queues[std::string(*queue->name)][std::string(string_at(resource, "name"))];
        sum = add(sum, *total).value_or(sum);
      }
    }
  }
  return usage;
}

std::string capacity_text(const std::vector<PoolCapacity>& pools) {
  const std::vector<Row> rows = rows_of(pools);
  std::array<std::size_t, 7> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += cell(row[i], widths[i]);
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

std::string capacity_json(const std::vector<PoolCapacity>& pools) {
  std::string out;
  for (const PoolCapacity& pool : pools) {
    std::string amounts;
    for (const PoolCapacity::Amount& each : pool.amounts) {
      amounts += (amounts.empty() ? "{" : ", {") + json_member("resource", each.resource) + ", " +
                 json_member("has", each.has.text()) + ", " +
                 json_member("free", each.free.text()) + "}";
    }
    out += (out.empty() ? "{" : ", {") + json_member("pool", pool.pool) + ", " +
           json_member("nodes", pool.nodes) + ", " + json_member("usable", pool.usable) + ", " +
           json_member("idle", pool.idle) + ", \"resources\": [" + amounts + "]}";
  }
  return "\"pools\": [" + out + "]";
}

}  // namespace trainyard
