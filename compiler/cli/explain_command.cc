
#include "cli/command.h"
#include "cli/commands.h"
#include "diag/foreign_text.h"
#include "diag/glyph.h"
#include "driver/explain/explain.h"
#include "driver/explain/explain_pod.h"
#include "driver/explain/explain_status.h"
#include "driver/explain/topic_markdown.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

class ExplainCommand : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override {
    return "Explain a field, a rule, a check, a target, a machine, a message or a pod";
  }
  std::string_view description() const override {
    return "Explains a field of a TrainingJob (`spec.network`), of a Cluster "
           "(`Cluster.spec.pools`) or of any kind with a schema (`Job.spec.template`, "
           "`batch/v1/Job`). `rule`, `check`, `target`, `machine`, `fabric` or "
           "`diagnostic` before a name explains that one; a name alone explains everything "
           "of that name. For any other word it lists what mentions the word. Without a "
           "topic it lists the fields of a TrainingJob.\n\n`explain pod FILE` prints the "
           "pod that the controllers of the cluster will make of a job, and marks what "
           "they add. `explain status FILE` reads the output of `kubectl get -o yaml`, and "
           "says how far each job is and which part of its status decides that. `--output "
           "markdown` prints a topic for a page or a chat.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard explain spec.network", "A field, its values, its default."},
            {"trainyard explain --kind Cluster spec.pools", "The same for another kind."},
            {"trainyard explain ambiguous-scalar", "What the name behind a message means."},
            {"trainyard explain pod job.yaml --role worker --index 3",
             "The pod that an operator will make of a job, its variables in their final order."},
            {"kubectl get pytorchjob llama -o yaml | trainyard explain status -",
             "Whether it runs, waits, is started again, or has ended, and why."},
            {"trainyard explain pod trainjob.yaml runtime.yaml",
             "The same for a TrainJob, folded into the runtime that it runs on."}};
  }

  Arguments arguments() override {
    return {{.name = "TOPIC",
             .help = "A field path, a name, or a word and a name",
             .kind = ValueKind::Topic,
             .operand = true,
             .into = &request_.topic},
            {.name = "kind",
             .letter = 'k',
             .value = "KIND",
             .help = "The kind whose field it is: `Cluster`, `Job`, `batch/v1/Job`",
             .into = &request_.kind},
            {.name = "role",
             .value = "ROLE",
             .help = "Of a pod: its role, task or replicated job; else the one that trains",
             .into = &pod_.role},
            {.name = "index",
             .value = "NUMBER",
             .help = "Of a pod: its index in the role, from 0",
             .into = &index_},
            {.name = "name",
             .value = "NAME",
             .help = "Of a pod: the name of its job, when there are several; of a status: the only "
                     "job to look at",
             .into = &pod_.name},
            cluster_argument(pod_.cluster),
            target_argument(pod_.target),
            {.name = "kubernetes-version",
             .value = "VERSION",
             .help = "Of a pod: the Kubernetes that makes it, such as 1.33",
             .into = &pod_.kubernetes},
            overlay_argument(options_.overlays),
            templates_argument(options_.templates),
            policy_argument(options_.policies),
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            schemas_argument(options_.schemas),
            load_outside_argument(),
            output_argument({"text", "json", "markdown"})};
  }

  ExitCode run(Io& io) override {
    const bool of_file =
        request_.topic.size() > 1 && (request_.topic[0] == "pod" || request_.topic[0] == "status");
    if (of_file && output == "markdown") {
      return wrong_call(io, "`--output markdown` is for topics, not for pods and statuses");
    }
    if (of_file) return request_.topic[0] == "pod" ? explain_a_pod(io) : explain_states(io);
    for (const auto& [option, given] :
         {std::pair("role", !pod_.role.empty()), std::pair("index", !index_.empty()),
          std::pair("name", !pod_.name.empty())}) {
      if (!given) continue;
      return wrong_call(
          io, "`--" + std::string(option) + "` is for pods: `trainyard explain pod FILE`");
    }
    Session session(io.env);
    const bool of_check = !request_.topic.empty() && request_.topic.front() == "check";
    of_check ? prepare_here(session, options_) : prepare(session, options_);
    if (session.sink.has_errors()) return finish(io, session);
    const Explanation explanation = explain_topic(session, request_);
    if (explanation.call_wrong) return wrong_call(io, explanation.error);
    if (!explanation.error.empty()) return wrong_input(io, explanation.error);
    const ExitCode code = finish(
        io, session,
        "\"topics\": [" + explanation.topics + "], " + json_member("text", explanation.text));
    if (output == "markdown") {
      io.out += topics_markdown(explanation.topics);
    } else if (!io.reports()) {
      io.out += explanation.text;
    }
    return code;
  }

 private:
  ExitCode explain_states(Io& io) {
    if (!request_.kind.empty() || !pod_.role.empty() || !index_.empty()) {
      return wrong_call(io, "`explain status` takes files and `--name`");
    }
    Session session(io.env);
    prepare(session, options_);
    std::vector<ExplainedStatus> found;
    if (!session.sink.has_errors()) {
      found =
          explain_status(session, {{request_.topic.begin() + 1, request_.topic.end()}, pod_.name});
    }
    std::string members;
    for (const ExplainedStatus& each : found) {
      members += (members.empty() ? "" : ", ") + ("{" + status_members(each) + "}");
    }
    const ExitCode code = finish(io, session, "\"states\": [" + members + "]");
    if (io.reports()) return code;
    for (const ExplainedStatus& each : found) io.out += foreign_lines(text_of(each));
    return code;
  }

  static std::string status_members(const ExplainedStatus& status) {
    const JobState& state = status.state;
    return json_member("job", status.job) + ", " + json_member("phase", name_of(state.phase)) +
           ", \"final\": " + (is_final(state.phase) ? "true" : "false") + ", " +
           json_member("decidedBy", state.decided_by) + ", " + json_member("reason", state.reason) +
           ", " + json_member("message", state.message) + ", " + json_member("since", state.since) +
           ", " + json_member("notes", state.notes) + ", " + json_member("cause", status.cause);
  }

  ExitCode explain_a_pod(Io& io) {
    if (!request_.kind.empty()) return wrong_call(io, "`--kind` is for fields, not for pods");
    pod_.inputs.assign(request_.topic.begin() + 1, request_.topic.end());
    if (!index_.empty() && !parse_index()) {
      return wrong_call(io, "`--index` is a number from 0 on, not `" + index_ + "`");
    }
    if (!pod_.kubernetes.empty() && !kubernetes_version(pod_.kubernetes)) {
      return wrong_input(
          io, "`" + pod_.kubernetes + "` is no version of Kubernetes; expected one such as `1.33`");
    }
    Session session(io.env);
    prepare(session, options_);
    std::optional<ExplainedPod> pod;
    if (!session.sink.has_errors()) pod = explain_pod(session, pod_);
    const ExitCode code = finish(io, session, pod ? members(*pod) : "");
    if (pod && !io.reports()) io.out += printable_lines(pod->text);  // masked already
    return code;
  }

  bool parse_index() {
    pod_.index = read_number(index_);
    return pod_.index && *pod_.index >= 0;
  }

  static std::string members(const ExplainedPod& pod) {
    std::string injected;
    for (const InjectedValue& each : pod.injected) {
      injected += (injected.empty() ? "" : ", ") + ("{" + json_member("path", each.path)) + ", " +
                  json_member("because", each.because) + "}";
    }
    return json_member("job", pod.job) + ", " + json_member("role", pod.role) + ", " +
           json_member("index", static_cast<std::size_t>(pod.index)) + ", " +
           json_member("name", pod.name) + ", " + json_member("hostname", pod.hostname) + ", " +
           json_member("address", pod.address) + ", " + json_member("notes", pod.notes) +
           ", \"podSecurity\": {" + json_member("level", pod.security.name()) + ", " +
           json_member("because", pod.security.because) + "}, \"injected\": [" + injected +
           "], \"pod\": " + pod.json;
  }

  ExplainRequest request_;
  ExplainPodRequest pod_;
  std::string index_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> explain_command() {
  return std::make_unique<ExplainCommand>();
}

}  // namespace trainyard
