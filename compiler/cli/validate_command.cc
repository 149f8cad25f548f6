#include "diag/words.h"
#include "driver/validate/test_policies.h"
#include "driver/validate/validate.h"

#include "cli/command.h"
#include "cli/commands.h"

namespace trainyard {
namespace {

class ValidateCommand : public Command {
 public:
  std::string_view name() const override { return "validate"; }
  std::string_view summary() const override { return "Check specs and any Kubernetes manifests"; }
  std::string_view description() const override {
    return "Checks every document of the inputs, and writes nothing. It compiles a "
           "TrainingJob and checks the output. It checks other Kubernetes objects against "
           "the schemas of their kinds, as the API server does with strict field "
           "validation, also the items of a List. It also checks the pods that controllers "
           "would make of them (`trainyard list checks`). A CustomResourceDefinition among "
           "the inputs is checked, and is the schema for objects of its kinds.\n\nIt "
           "ignores kustomizations and the maps of causes of `build`. In a directory it "
           "also ignores, with a note, the templates of a Helm chart and the patches of a "
           "kustomization.\n\nWith `--output json` the report has `documents`, the "
           "number of checked documents, and `ignored`, the number of objects without a "
           "schema that were ignored.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard validate deploy/", "Check every manifest of a folder, without a cluster."},
            {"helm template chart | trainyard validate -", "Check what another tool makes."},
            {"trainyard validate crds/ deploy/",
             "Check CustomResourceDefinitions together with objects of their kinds."},
            {"trainyard validate --test-policies policies/acme.yaml",
             "Try checks of your own on their examples."},
            {"trainyard validate --schemas crds/ deploy/",
             "Check objects of kinds whose CRDs are your own, too."},
            {"kubectl get jobset a -o yaml | trainyard validate --old - a.yaml",
             "Check that a change keeps immutable fields."}};
  }

  Arguments arguments() override {
    Arguments rows = {
        inputs_argument(request_.inputs, "Files, directories, or - for standard input"),
        cluster_argument(request_.cluster),
        target_argument(request_.target),
        {.name = "old",
         .value = "FILE",
         .help = "The objects as they are in the cluster: also check each change",
         .kind = ValueKind::File,
         .into = &request_.old},
        {.name = "kubernetes-version",
         .value = "VERSION",
         .help = "The Kubernetes version of the objects, such as 1.33; default is that of the "
                 "Cluster, otherwise the newest known",
         .into = &request_.kubernetes},
        {.name = "ignore-unknown-kinds",
         .help = "Ignore objects of kinds without a schema also in named files, except misspelt "
                 "kinds and versions of a known kind that are not served",
         .into = &request_.ignore_unknown_kinds},
        {.name = "rendered",
         .help = "Everything is rendered: each place that is still to be filled in is an error",
         .into = &request_.rendered},
        {.name = "as-walked",
         .help = "Treat named files as if found in a directory: ignore what is no manifest, "
                 "templates of a Helm chart and patches",
         .into = &request_.as_walked},
        {.name = "test-policies",
         .help = "The inputs are policy files: try their checks on the examples in them",
         .into = &tests_policies_},
        quiet_argument(),
        overlay_argument(options_.overlays),
    };
    add_reading_arguments(rows, options_, jobs_);
    return rows;
  }

  ExitCode run(Io& io) override {
    const auto workers = thread_count(jobs_);
    if (!workers) return wrong_thread_count(io, jobs_);
    request_.workers = *workers;
    Session session(io.env);
    prepare(session, options_,
            {request_.inputs, request_.cluster, request_.target, &request_.kubernetes,
             &request_.ignore_unknown_kinds});
    if (!request_.kubernetes.empty() && !kubernetes_version(request_.kubernetes)) {
      return wrong_input(io, "`" + request_.kubernetes +
                                 "` is no version of Kubernetes; expected one such as `1.33`");
    }
    if (tests_policies_) return test(io, session);
    request_.refuse_unknown_kinds = options_.strict || options_.fail_on == word(Effect::Style);
    ValidateResult result;
    if (!session.sink.has_errors()) result = validate(session, request_);
    const ExitCode code = finish(io, session,
                                 json_member("documents", result.documents) + ",\n  " +
                                     json_member("ignored", result.ignored));
    if (!io.reports() && !quiet) tell(io, session, result, code == ExitCode::Good);
    return code;
  }

 private:
  static void tell(Io& io, const Session& session, const ValidateResult& result, bool is_good) {
    if (result.ignored != 0) {
      io.err += std::to_string(result.ignored) + (result.ignored == 1
                                                      ? " object of an unknown kind was ignored\n"
                                                      : " objects of unknown kinds were ignored\n");
    }
    const std::string documents = counted(static_cast<std::uint32_t>(result.documents), "document");
    const std::string valid = documents + (result.documents == 1 ? " is valid" : " are valid");
    if (io.seconds) {
      summarize(io, session, is_good ? valid : documents + " checked");
    } else if (is_good) {
      io.err += valid + "\n";
    }
  }

  ExitCode test(Io& io, Session& session) const {
    PoliciesTested tested;
    if (!session.sink.has_errors()) tested = test_policies(session, request_.inputs);
    const ExitCode code = finish(
        io, session,
        json_member("checks", tested.checks) + ", " + json_member("examples", tested.examples));
    if (code == ExitCode::Good && !io.reports()) {
      io.err += counted(static_cast<std::uint32_t>(tested.examples), "example") + " of " +
                counted(static_cast<std::uint32_t>(tested.checks), "check") +
                " show what they should\n";
    }
    return code;
  }

  bool tests_policies_ = false;
  ValidateRequest request_;
  std::string jobs_ = "0";
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> validate_command() {
  return std::make_unique<ValidateCommand>();
}

}  // namespace trainyard
