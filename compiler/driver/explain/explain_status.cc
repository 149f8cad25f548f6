#include "driver/explain/explain_status.h"

#include <set>

#include "diag/words.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

class Reader {
 public:
  Reader(Session& session, const ExplainStatusRequest& request)
      : session_(session), request_(request) {}

  std::vector<ExplainedStatus> run() {
    const std::vector<Document> documents =
        read_inputs(request_.inputs, session_.env, session_.sources, session_.sink, session_.limits,
                    Ambiguity::Kubernetes);
    if (session_.sink.has_errors()) return {};
    for (const Document& each : documents) take(each.root());
    if (found_.empty()) none();
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
    const JobKind* kind = JobKinds::builtin().find(object);
    if (kind == nullptr) {
      others_.emplace(string_at(object, "kind"));
      return;
    }
    const std::string name(string_at(get(object, "metadata"), "name"));
    const std::string label = std::string(kind->kind) + "/" + name;
    if (!request_.name.empty() && request_.name != name && request_.name != label) return;
    found_.push_back({label, judge_status(*kind, object), kind->source});
  }

  void none() {
    std::string message = "the input has no job whose status is known";
    if (!request_.name.empty()) message += ", by the name `" + request_.name + "`";
    if (!others_.empty()) {
      message +=
          "; there is " + listed(std::vector<std::string>(others_.begin(), others_.end()), "and");
    }
    std::vector<std::string> known;
    for (const JobKind& each : JobKinds::builtin().all()) {
      known.push_back(std::string(each.kind) + "." + std::string(each.group));
    }
    session_.sink.report(DiagnosticKind::UnknownReference, {}, message)
        .note("known are " + listed(known, "and"))
        .note("`kubectl get KIND NAME -o yaml` prints an object with its status");
  }

  Session& session_;
  const ExplainStatusRequest& request_;
  std::vector<ExplainedStatus> found_;
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
  line(text, "source", std::string(status.source));
  return text;
}

}  // namespace trainyard
