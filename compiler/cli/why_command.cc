
#include "cli/command.h"
#include "cli/commands.h"
#include "driver/why/why.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

class WhyCommand : public Command {
 public:
  std::string_view name() const override { return "why"; }
  std::string_view summary() const override {
    return "Show which rule, template line and spec line made a value";
  }
  std::string_view description() const override {
    return "Prints for a place or a line of the output which template line, rule and lines "
           "of the spec made it. FILE is an output of `trainyard build --provenance`, with "
           "its map of causes beside it. It may also be a TrainingJob or Cluster, which is "
           "then compiled in memory; then `--line` is a line of the spec, and the answer "
           "is what in the output comes from it.\n\nA place is `KIND/NAME:PATH`; the "
           "object is optional. Items of lists have a number or a name. A place includes "
           "everything below it.\n\nWith `--output json` the report has `answer` (the "
           "text) and `values`: for each value its object, path and lines, and under "
           "`causes` the steps that led to it.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard why out.yaml --at "
             "'Job/llama3-70b:spec.template.spec.containers[0].env[MASTER_ADDR]'",
             "Why a variable has its value."},
            {"trainyard why out.yaml --line 42", "Why a line of the output is as it is."},
            {"trainyard why job.yaml --line 12", "What a line of the spec leads to."}};
  }

  Arguments arguments() override {
    return {{.name = "FILE",
             .help = "An output with its map of causes, a TrainingJob, or - for one on standard "
                     "input",
             .kind = ValueKind::File,
             .operand = true,
             .required = true,
             .into = &request_.input},
            {.name = "at", .value = "PLACE", .help = "A place in the output", .into = &request_.at},
            {.name = "line",
             .letter = 'l',
             .value = "NUMBER",
             .help = "A line of FILE, counted from 1",
             .into = &line_},
            cluster_argument(request_.cluster),
            target_argument(request_.target),
            overlay_argument(options_.overlays),
            lock_argument(options_.lock),
            no_lock_argument(options_.no_lock),
            templates_argument(options_.templates),
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.at.empty() == line_.empty()) {
      return wrong_call(io, "`why` needs either `--at PLACE` or `--line NUMBER`");
    }
    if (!line_.empty() && !parse_line()) {
      return wrong_call(io, "`--line` is a number from 1 on, not `" + line_ + "`");
    }
    Session session(io.env);
    prepare(session, options_);
    WhyAnswer answer;
    if (!session.sink.has_errors()) answer = why(session, request_);
    const bool good = !session.sink.has_errors();
    const ExitCode code = finish(io, session, good ? members(answer) : "");
    if (good && !io.reports()) io.out += answer.text;
    return code;
  }

 private:
  static std::string members(const WhyAnswer& answer) {
    return json_member("answer", answer.text) + ",\n  \"values\": " + entries_json(answer.entries);
  }

  bool parse_line() {
    request_.line = read_number<std::uint32_t>(line_).value_or(0);
    return request_.line > 0;
  }

  WhyRequest request_;
  SessionOptions options_;
  std::string line_;
};

}  // namespace

std::unique_ptr<Command> why_command() {
  return std::make_unique<WhyCommand>();
}

}  // namespace trainyard
