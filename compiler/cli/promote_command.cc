#include "driver/fleet/promote.h"

#include "cli/fleet_commands.h"
#include "diag/words.h"

namespace trainyard {
namespace {

std::string members_of(const Promotion& promotion) {
  std::string fields;
  for (const PromotedField& each : promotion.fields) {
    fields += (fields.empty() ? "" : ", ") + std::string("{\"path\": ") + quoted(each.path) +
              ", \"before\": " + quoted(each.before) + ", \"after\": " + quoted(each.after) + "}";
  }
  return "\"from\": " + quoted(promotion.from) + ", \"to\": " + quoted(promotion.to) +
         ",\n  \"fields\": [" + fields + "]";
}

class PromoteCommand : public Command {
 public:
  std::string_view name() const override { return "promote"; }
  std::string_view summary() const override {
    return "Copy the image of a job from one cluster of a fleet to another";
  }
  std::string_view description() const override {
    return "Copies values from the spec of a job in one cluster to the spec of the same name in "
           "another one, such as from staging to production, and prints the difference. Only these "
           "characters change; comments and layout stay. `--write` changes the spec. "
           "`trainyard render` and `trainyard plan` then say what it does.\n\n"
           "A value must stand in both specs themselves: what they extend may hold for other jobs.";
  }
  std::vector<Example> examples() const override {
    return {
        {"trainyard promote llama --from staging --to prod", "Show the difference."},
        {"trainyard promote llama --from staging --to prod --field image --field env.LR --write",
         "Copy the image and a variable."}};
  }

  Arguments arguments() override {
    return {{.name = "JOB",
             .help = "Name of the job, as both specs have it",
             .operand = true,
             .required = true,
             .into = &request_.job},
            fleet_argument(request_.fleet),
            {.name = "from",
             .value = "CLUSTER",
             .help = "The cluster of the fleet whose spec has the values",
             .into = &request_.from},
            {.name = "to",
             .value = "CLUSTER",
             .help = "The cluster whose spec gets them",
             .into = &request_.to},
            {.name = "field",
             .value = "PATH",
             .help = "A field below `spec`, such as `image`, which is the default; may be given "
                     "more than once",
             .into = &request_.fields},
            {.name = "write", .help = "Change the spec", .into = &request_.write},
            config_argument(options_.config),
            no_config_argument(options_.no_config),
            load_outside_argument(),
            output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.from.empty() || request_.to.empty()) {
      return wrong_call(io, "`promote` needs `--from CLUSTER` and `--to CLUSTER`");
    }
    request_.fleet = fleet_file(io.env, request_.fleet);
    Session session(io.env);
    std::string target;
    prepare_fleet(session, options_, request_.fleet, target);
    Promotion promotion;
    if (!session.sink.has_errors()) promotion = promote(session, request_);
    const ExitCode code = finish(io, session, members_of(promotion));
    if (io.reports() || code != ExitCode::Good) return code;
    io.out += promotion.difference;
    if (promotion.fields.empty()) {
      io.err += promotion.to + " has the same values already\n";
    } else if (request_.write) {
      tell_done(io, "wrote", promotion.to);
    } else {
      io.err += "nothing is written; `--write` changes " + promotion.to + "\n";
    }
    return code;
  }

 private:
  PromoteRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> promote_command() {
  return std::make_unique<PromoteCommand>();
}

}  // namespace trainyard
