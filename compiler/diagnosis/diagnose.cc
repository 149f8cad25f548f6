#include "diagnosis/diagnose.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cel/evaluate.h"
#include "cel/tree_values.h"
#include "diag/secrets.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "diagnosis/pod_rank.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// In the order of finding_variables().
enum Variable : std::size_t {
  kJob,
  kPhase,
  kPod,
  kNode,
  kContainer,
  kStatus,
  kEvent,
  kWorkload,
  kQueues,
  kMeantQueue,
  kClaim,
  kScheduling,
  kWaiting,
  kEnded,
  kDisrupted,
  kVariableCount
};
using Variables = std::array<cel::Value, kVariableCount>;

std::string_view name_of_object(View object) {
  return string_at(get(object, "metadata"), "name");
}

/// The state in which a container ended last: of this run, else of the one before.
View ended_state(View status) {
  const View now = get(get(status, "state"), "terminated");
  return now ? now : get(get(status, "lastState"), "terminated");
}

/// One for all jobs of a thread, so that each pattern of a finding is compiled once.
cel::Context& emptied_context() {
  thread_local cel::Context context;
  context.heap.clear();
  return context;
}

class Asking {
 public:
  Asking(const ClusterDump& dump, View job, const JobKind& kind, const Logs& logs,
         const FindingRules& rules)
      : dump_(dump), job_(job), logs_(logs), rules_(rules) {
    result_.status = job_status(dump, job, kind);
  }

  Diagnosis run() {
    variables_[kJob] = value(job_);
    variables_[kPhase] = cel::Value::string(name_of(result_.status.state.phase));
    ask(FindingScope::Job, {});
    if (const View workload = dump_.workload_of(job_)) {
      variables_[kWorkload] = value(workload);
      note_queues(workload);
      ask(FindingScope::Workload, {});
    }
    for (View maker : dump_.makers_of_pods(job_)) events(maker, {});
    for (View each : dump_.pods_of(job_)) pod(each);
    after_the_first();
    std::ranges::sort(result_.findings, {}, [](const Finding& each) {
      // Rules lie in the order of their files.
      return std::tuple(each.role, each.rule->certainty, first_time(each), each.rule,
                        std::string_view(each.text));
    });
    return std::move(result_);
  }

 private:
  cel::Value value(View at) {
    if (!at) return cel::Value::null();
    auto& values = values_[&at.tree()];
    if (!values) values = std::make_unique<cel::TreeValues>(at.tree());
    return values->value(at.id());
  }

  void note_queues(View workload) {
    const std::vector<std::string_view> names =
        dump_.queues_in(string_at(get(workload, "metadata"), "namespace"));
    const auto near = suggest(string_at(get(workload, "spec"), "queueName"), names);
    queues_ = listed(std::vector<std::string>(names.begin(), names.end()), "and");
    variables_[kQueues] = cel::Value::string(queues_);
    variables_[kMeantQueue] =
        cel::Value::string(names.size() == 1 ? names.front() : near.value_or(""));
  }

  void pod(View pod) {
    pod_ = pod;
    variables_[kPod] = value(pod);
    variables_[kNode] = value(dump_.node_of(pod));
    const View scheduled = condition_of(get(pod, "status"), "PodScheduled");
    const bool waits = scheduled && string_at(scheduled, "status") == "False";
    variables_[kScheduling] = cel::Value::string(waits ? string_at(scheduled, "message") : "");
    const View disrupted = condition_of(get(pod, "status"), "DisruptionTarget");
    variables_[kDisrupted] = cel::Value::string(disrupted ? string_at(disrupted, "reason") : "");
    FindingSubject subject{std::string(name_of_object(pod)),
                           {},
                           rank_of(pod, *result_.status.kind, dump_.job_kinds()).index,
                           {}};
    if (disrupted) subject.time = string_at(disrupted, "lastTransitionTime");
    ask(FindingScope::Pod, subject);
    events(pod, subject);
    for (View claim : dump_.claims_of(pod)) {
      variables_[kClaim] = value(claim);
      ask(FindingScope::Claim, subject);
    }
    for (std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
      for (View status : items_at(get(pod, "status"), list)) container(status, subject);
    }
    pod_ = container_ = View();
    for (Variable each : {kPod, kNode, kScheduling, kDisrupted, kClaim}) variables_[each] = {};
  }

  void container(View status, FindingSubject subject) {
    const std::string_view name = string_at(status, "name");
    container_ = View();
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View each : items_at(get(pod_, "spec"), list)) {
        if (string_at(each, "name") == name) container_ = each;
      }
    }
    const View ended = ended_state(status);
    variables_[kContainer] = value(container_);
    variables_[kStatus] = value(status);
    variables_[kWaiting] =
        cel::Value::string(string_at(get(get(status, "state"), "waiting"), "reason"));
    variables_[kEnded] = value(ended);
    subject.container = name;
    subject.time = string_at(ended, "finishedAt");
    ask(FindingScope::Container, subject);
    lines(subject);
    for (Variable each : {kContainer, kStatus, kWaiting, kEnded}) variables_[each] = {};
    container_ = View();
  }

  void events(View about, const FindingSubject& subject) {
    for (View event : dump_.events_of(about)) {
      variables_[kEvent] = value(event);
      FindingSubject at = subject;
      at.time = string_at(event, get(event, "lastTimestamp") ? "lastTimestamp" : "eventTime");
      ask(FindingScope::Event, at);
    }
    variables_[kEvent] = {};
  }

  /// The first root of a scope counts, for the general ones stand behind the special ones.
  void ask(FindingScope scope, const FindingSubject& subject) {
    bool has_root = false;
    for (const FindingRule& rule : rules_.all()) {
      const bool is_root = rule.role == FindingRole::Root;
      if (rule.scope != scope || !rule.when || (is_root && has_root)) continue;
      context_.set_budget(kSteps);
      if (!cel::evaluate(*rule.when, variables_, context_).is_true()) continue;
      has_root = has_root || is_root;
      add(rule, subject);
    }
  }

  void lines(const FindingSubject& container) {
    for (const LogLine& line : logs_.of(container.pod, container.container)) {
      for (const FindingRule& rule : rules_.all()) {
        if (rule.scope != FindingScope::Log || !matches(rule.pattern, line.text)) continue;
        FindingSubject subject = container;
        if (!line.time.empty()) subject.time = line.time;
        add(rule, subject);
        break;
      }
    }
  }

  bool matches(std::string_view pattern, std::string_view text) {
    auto& compiled = patterns_[pattern];
    if (!compiled) compiled = std::make_unique<RE2>(std::string(pattern), RE2::Quiet);
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled);
  }

  /// The same finding about several pods is one, with all of them as its subjects.
  void add(const FindingRule& rule, const FindingSubject& subject) {
    std::string text = written(rule.says);
    const auto [place, is_new] = places_.try_emplace(
        std::pair(&rule, subject.pod.empty() ? text : std::string()), result_.findings.size());
    if (is_new) {
      result_.findings.push_back(
          {&rule, rule.role, std::move(text), {}, pod_, container_, value_of(rule.edit)});
    }
    std::vector<FindingSubject>& subjects = result_.findings[place->second].subjects;
    const bool is_known = !subjects.empty() && subjects.back().pod == subject.pod &&
                          subjects.back().container == subject.container;
    if (!is_known) subjects.push_back(subject);
  }

  /// "" where it has none, or not for this pod.
  std::string value_of(const FindingEdit& edit) {
    if (!edit.value) return {};
    context_.set_budget(kSteps);
    const cel::Value value = cel::evaluate(*edit.value, variables_, context_);
    return value.is(cel::Type::String) ? std::string(value.text()) : std::string();
  }

  std::string written(const FindingText& text) {
    std::string result;
    for (const FindingText::Part& part : text.parts) {
      result += part.text;
      if (!part.program) continue;
      context_.set_budget(kSteps);
      const cel::Value value = cel::evaluate(*part.program, variables_, context_);
      if (value.is(cel::Type::String)) result += value.text();
    }
    return without_secrets(result);
  }

  static std::string_view first_time(const Finding& finding) {
    std::string_view first;
    for (const FindingSubject& each : finding.subjects) {
      if (!each.time.empty() && (first.empty() || each.time < first)) first = each.time;
    }
    return first;
  }

  /// Of processes that end with an error of their own only the first is a cause: the others lost
  /// their peer.
  void after_the_first() {
    std::string_view first;
    for (const Finding& each : result_.findings) {
      if (each.role != FindingRole::Root || each.rule->certainty == Certainty::Possible) continue;
      const std::string_view time = first_time(each);
      if (!time.empty() && (first.empty() || time < first)) first = time;
    }
    for (Finding& each : result_.findings) {
      const bool is_open = each.rule->certainty == Certainty::Possible;
      if (!first.empty() && is_open && first_time(each) >= first) each.role = FindingRole::Cascade;
    }
  }

  static constexpr std::uint64_t kSteps = 100'000;

  const ClusterDump& dump_;
  View job_;
  const Logs& logs_;
  const FindingRules& rules_;
  Diagnosis result_;
  View pod_;
  View container_;
  std::string queues_;  // text of a variable
  Variables variables_;
  cel::Context& context_ = emptied_context();
  std::unordered_map<const Tree*, std::unique_ptr<cel::TreeValues>> values_;
  std::unordered_map<std::string_view, std::unique_ptr<RE2>> patterns_;
  std::map<std::pair<const FindingRule*, std::string>, std::size_t> places_;
};

}  // namespace

void Logs::add(std::string_view text) {
  constexpr std::string_view kPrefix = "[pod/";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(kPrefix)) continue;
    const std::size_t slash = line.find('/', kPrefix.size());
    const std::size_t close = line.find("] ", kPrefix.size());
    if (slash == line.npos || close == line.npos || slash > close) continue;
    LogLine result;
    result.pod = line.substr(kPrefix.size(), slash - kPrefix.size());
    result.container = line.substr(slash + 1, close - slash - 1);
    result.text = line.substr(close + 2);
    const std::size_t space = result.text.find(' ');
    const bool has_time = space != line.npos && space > 18 && result.text[4] == '-' &&
                          result.text[10] == 'T' && result.text[space - 1] == 'Z';
    if (has_time) {
      result.time = result.text.substr(0, space);
      result.text.remove_prefix(space + 1);
    }
    lines_[std::pair(result.pod, result.container)].push_back(result);
  }
}

std::span<const LogLine> Logs::of(std::string_view pod, std::string_view container) const {
  const auto found = lines_.find(std::pair(pod, container));
  return found == lines_.end() ? std::span<const LogLine>() : found->second;
}

Diagnosis diagnose(const ClusterDump& dump, View job, const JobKind& kind, const Logs& logs,
                   const FindingRules& rules) {
  return Asking(dump, job, kind, logs, rules).run();
}

}  // namespace trainyard
