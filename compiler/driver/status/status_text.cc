#include "driver/status/status_text.h"

#include <algorithm>
#include <set>

#include "diag/foreign_text.h"
#include "diag/glyph.h"
#include "diag/words.h"
#include "diagnosis/ages.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostEvents = 5;
constexpr std::size_t kLongest = 300;  // code points of a message

/// Rows of cells, each column as wide as its widest cell. Cells are foreign text.
class Table {
 public:
  using Row = std::vector<std::string>;

  explicit Table(Row head) { rows_.push_back(std::move(head)); }
  void add(Row row) {
    for (std::string& cell : row) cell = foreign_text(cell.empty() ? "-" : cell);
    rows_.push_back(std::move(row));
  }

  /// Columns in which no row but the first says anything are left out.
  std::string text(std::string_view indent) const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool says = std::any_of(rows_.begin() + 1, rows_.end(),
                                    [&](const Row& row) { return row[i] != "-"; });
      for (const Row& row : rows_) {
        if (says) widths[i] = std::max(widths[i], columns_of(row[i]));
      }
    }
    std::string text;
    for (const Row& row : rows_) {
      std::string line(indent);
      for (std::size_t i = 0; i < widths.size(); ++i) {
        if (widths[i] == 0) continue;
        line += row[i] + std::string(widths[i] - columns_of(row[i]) + 2, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<Row> rows_;
};

std::string name_of_job(const JobStatus& status) {
  return std::string(status.kind->kind) + "/" +
         std::string(string_at(get(status.job, "metadata"), "name"));
}

std::string ago(std::string_view time, std::string_view now) {
  return age_text(seconds_between(time, now));
}

/// How many of the pods run or ended well; `-` where there are none.
std::string pods_of(const JobStatus& status) {
  if (status.wanted == 0) return {};
  if (status.pods.empty()) return "-/" + std::to_string(status.wanted);
  return std::to_string(status.running + status.succeeded) + "/" + std::to_string(status.wanted);
}

std::string one_line(std::string_view text) {
  return printable(foreign_text(text), kLongest);
}

void line(std::string& text, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  std::string label = "  " + std::string(name);
  label.resize(std::max<std::size_t>(label.size() + 1, 12), ' ');
  text += label + value + "\n";
}

/// `team-a: pending; insufficient quota …; 3rd in the queue`
std::string text_of(const QueueStatus& queue, std::string_view now) {
  std::string text = queue.name.empty() ? "no name" : std::string(queue.name);
  if (!queue.admitted.empty()) {
    text += ", ClusterQueue " + std::string(queue.cluster_queue) + ", admitted " +
            ago(queue.admitted, now) + " ago";
    const std::string waited =
        ago(string_at(get(queue.object, "metadata"), "creationTimestamp"), queue.admitted);
    if (waited != "-") text += " after " + waited;
    std::vector<std::string> flavors(queue.flavors.begin(), queue.flavors.end());
    if (!flavors.empty()) text += ", flavor " + listed(flavors, "and");
    return text;
  }
  if (!queue.state.decided_by.empty()) {
    text += ": " + std::string(name_of(queue.state.phase));
  }
  if (queue.position) text += ", number " + std::to_string(*queue.position) + " of those that wait";
  if (!queue.message.empty()) text += "; " + std::string(queue.message);
  return text;
}

std::string counts_of(const JobStatus& status) {
  if (status.pods.empty()) {
    return "none" + (status.wanted == 0 ? "" : "; the job needs " + std::to_string(status.wanted));
  }
  std::string text =
      std::to_string(status.running) + " of " + std::to_string(status.wanted) + " running";
  if (status.succeeded > 0) text += ", " + std::to_string(status.succeeded) + " succeeded";
  if (status.failed > 0) text += ", " + std::to_string(status.failed) + " failed";
  const std::set<std::string_view> nodes = [&] {
    std::set<std::string_view> names;
    for (const PodStatus& each : status.pods) names.insert(each.node);
    names.erase("");
    return names;
  }();
  if (!nodes.empty()) text += " on " + counted(static_cast<std::uint32_t>(nodes.size()), "node");
  return text + ", " + counted(static_cast<std::uint32_t>(status.restarts), "restart");
}

/// The container that tells most of a pod: one that waits or ended badly, else the first.
const ContainerStatus* telling(const PodStatus& pod) {
  for (const ContainerStatus& each : pod.containers) {
    const bool is_bad = each.state == "terminated" && each.exit_code.value_or(0) != 0;
    if (each.state == "waiting" || is_bad) return &each;
  }
  return pod.containers.empty() ? nullptr : &pod.containers.front();
}

std::string state_of(const PodStatus& pod) {
  std::string text = pod.state;
  const ContainerStatus* container = telling(pod);
  if (container == nullptr || !container->exit_code) return text;
  const bool is_said = text.starts_with("ExitCode:") || *container->exit_code == 0;
  return is_said ? text : text + " (exit code " + std::to_string(*container->exit_code) + ")";
}

std::string pods_table(const JobStatus& status, std::string_view now) {
  if (status.pods.empty()) return {};
  Table table({"ROLE", "RANK", "POD", "NODE", "STATE", "RESTARTS", "SINCE"});
  for (const PodStatus& each : status.pods) {
    table.add({std::string(each.rank.role), each.rank.index ? std::to_string(*each.rank.index) : "",
               std::string(each.name), std::string(each.node), state_of(each),
               std::to_string(each.restarts), ago(each.since, now)});
  }
  return table.text("  ");
}

std::string events_text(const JobStatus& status, std::string_view now) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostEvents, status.events.size()); ++i) {
    const EventStatus& each = status.events[i];
    std::string event = ago(each.time, now) + " ago  " + std::string(each.reason);
    if (each.count > 1) event += " (" + std::to_string(each.count) + " times)";
    event += "  " + each.about;
    if (each.objects > 1) event += " and " + std::to_string(each.objects - 1) + " more";
    line(text, i == 0 ? "events" : "", one_line(event + ": " + std::string(each.message)));
  }
  if (status.events.size() > kMostEvents) {
    line(text, "", "and " + std::to_string(status.events.size() - kMostEvents) + " older ones");
  }
  return text;
}

}  // namespace

std::string table_of(const std::vector<Diagnosis>& jobs, std::string_view now,
                     bool with_namespaces) {
  Table table({"NAMESPACE", "JOB", "PHASE", "PODS", "RESTARTS", "SINCE", "AGE", "QUEUE", "WHY"});
  for (const Diagnosis& diagnosis : jobs) {
    const JobStatus& each = diagnosis.status;
    const View metadata = get(each.job, "metadata");
    const bool is_told = each.state.phase != JobPhase::Running && !diagnosis.findings.empty();
    const std::string why(is_told ? diagnosis.findings.front().rule->id : std::string_view());
    table.add({with_namespaces ? std::string(string_at(metadata, "namespace")) : std::string(),
               name_of_job(each), std::string(name_of(each.state.phase)), pods_of(each),
               std::to_string(each.restarts), ago(each.since, now),
               ago(string_at(metadata, "creationTimestamp"), now),
               each.queues.empty() ? std::string() : std::string(each.queues.front().name), why});
  }
  return table.text("");
}

std::string text_of(const JobStatus& status, const StatusContext& context) {
  const View metadata = get(status.job, "metadata");
  std::string head = name_of_job(status);
  if (const auto name_space = string_at(metadata, "namespace"); !name_space.empty()) {
    head += "  " + std::string(name_space);
  }
  head += "  " + std::string(name_of(status.state.phase));
  if (!status.since.empty()) {
    head += " since " + std::string(status.since) + " (" + ago(status.since, context.now) + ")";
  }
  std::string text = one_line(head) + "\n";
  const JobState& state = status.state;
  line(text, "because", one_line(state.decided_by));
  std::string reason = state.reason;
  if (!state.message.empty()) reason += (reason.empty() ? "" : ": ") + state.message;
  line(text, "reason", one_line(reason));
  for (const std::string& each : state.notes) line(text, "note", one_line(each));
  for (const QueueStatus& each : status.queues) {
    line(text, "queue", one_line(text_of(each, context.now)));
  }
  line(text, "pods", counts_of(status));
  text += pods_table(status, context.now);
  text += events_text(status, context.now);
  if (!context.finding.empty()) {
    line(text, "finding", one_line(context.finding));
    line(text, "", context.call.empty() ? "" : one_line(context.call + " shows more"));
  }
  return text;
}

}  // namespace trainyard
