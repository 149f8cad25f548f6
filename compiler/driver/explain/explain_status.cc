#include "driver/explain/explain_status.h"

#include <set>

#include "diag/words.h"
#include "diagnosis/diagnose.h"
#include "diagnosis/job_status.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

class Reader {
 public:
  Reader(Session& session, const ExplainStatusRequest& request)
      : session_(session), request_(request), dump_(session.job_kinds()) {}

  std::vector<ExplainedStatus> run() {
    // What was read is what `dump_` and `objects_` point into.
    const std::vector<Document> documents =
        read_inputs(request_.inputs, session_.env, session_.sources, session_.sink, session_.limits,
                    Ambiguity::Kubernetes);
    if (session_.sink.has_errors()) return {};
    for (const Document& each : documents) take(each.root());
    if (found_.empty()) none();
    for (std::size_t i = 0; i < found_.size(); ++i) look_for_cause(objects_[i], found_[i]);
    return std::move(found_);
  }

 private:
  void take(View object) {
    if (!object || !object->is_map()) return;
    // `kubectl get` makes a List of several objects.
    if (string_at(object, "kind") == "List") {
      for (View each : items_at(object, "items")) take(each);
      return;
    }
    dump_.add(object);
    const JobKind* kind = session_.job_kinds().find(object);
    if (kind == nullptr) {
      others_.emplace(string_at(object, "kind"));
      return;
    }
    const std::string name(string_at(get(object, "metadata"), "name"));
    const std::string label = std::string(kind->kind) + "/" + name;
    if (!request_.name.empty() && request_.name != name && request_.name != label) return;
    found_.push_back({label, judge_status(*kind, object), "", kind->source});
    objects_.push_back(object);
  }

  /// A job that says that it runs, beside a pod that cannot start, does not. A job that has failed
  /// may tell the reason itself.
  void look_for_cause(View object, ExplainedStatus& status) const {
    const JobKind& kind = *session_.job_kinds().find(object);
    if (!kind.is_job()) return;
    if (dump_.pods_of(object).empty() && status.state.phase != JobPhase::Failed) return;
    const Diagnosis diagnosis = diagnose(dump_, object, kind, {}, FindingRules::builtin());
    status.state = diagnosis.status.state;
    if (diagnosis.findings.empty()) return;
    const Finding& first = diagnosis.findings.front();
    status.cause = first.text + " [" + std::string(first.rule->id) + "]";
    if (const std::string who = pods_of(first); !who.empty()) status.cause += "; " + who;
  }

  /// `rank 1, pod resnet-worker-1 on gpu-2, and 2 more`
  std::string pods_of(const Finding& finding) const {
    if (finding.subjects.empty() || finding.subjects.front().pod.empty()) return {};
    const FindingSubject& subject = finding.subjects.front();
    std::string text = subject.rank ? "rank " + std::to_string(*subject.rank) + ", " : "";
    text += "pod " + subject.pod;
    const std::string_view node = string_at(get(finding.pod, "spec"), "nodeName");
    if (!node.empty()) text += " on " + std::string(node);
    const std::size_t more = finding.subjects.size() - 1;
    return more == 0 ? text : text + ", and " + std::to_string(more) + " more";
  }

  void none() {
    std::string message = "the input has no job whose status is known";
    if (!request_.name.empty()) message += ", by the name `" + request_.name + "`";
    if (!others_.empty()) {
      message +=
          "; there is " + listed(std::vector<std::string>(others_.begin(), others_.end()), "and");
    }
    std::vector<std::string> known;
    for (const JobKind& each : session_.job_kinds().all()) {
      known.push_back(std::string(each.kind) + "." + std::string(each.group));
    }
    session_.sink.report(DiagnosticKind::UnknownReference, {}, message)
        .note("known are " + listed(known, "and"))
        .note("`kubectl get KIND NAME -o yaml` prints an object with its status");
  }

  Session& session_;
  const ExplainStatusRequest& request_;
  ClusterDump dump_;
  std::vector<ExplainedStatus> found_;
  std::vector<View> objects_;  // of these
  std::set<std::string> others_;
};

void line(std::string& text, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  std::string label = "  " + std::string(name);
  label.resize(12, ' ');
  text += label + value + "\n";
}

}  // namespace

std::vector<ExplainedStatus> explain_status(Session& session, const ExplainStatusRequest& request) {
  return Reader(session, request).run();
}

std::string text_of(const ExplainedStatus& status) {
  const JobState& state = status.state;
  std::string text = status.job + ": " + std::string(name_of(state.phase)) +
                     (is_final(state.phase) ? ", and nothing more happens" : "") + "\n";
  line(text, "because", state.decided_by);
  line(text, "reason", state.reason);
  line(text, "message", state.message);
  line(text, "since", state.since);
  for (const std::string& each : state.notes) line(text, "note", each);
  line(text, "cause", status.cause);
  line(text, "source", std::string(status.source));
  return text;
}

}  // namespace trainyard
