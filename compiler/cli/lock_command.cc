#include "driver/lock/lock.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/commands.h"
#include "diag/foreign_text.h"

namespace trainyard {
namespace {

class LockCommand : public Command {
 public:
  std::string_view name() const override { return "lock"; }
  std::string_view summary() const override { return "Note the digests of images in a lock file"; }
  std::string_view description() const override {
    return "Writes `trainyard.lock` with a digest for each image of the jobs, also those "
           "of sidecars and init containers. `build` then writes `IMAGE@DIGEST`. You give "
           "the digests: trainyard asks no registry. The file is the nearest one at or "
           "above the first input, or a new one beside it. Its entries stay.\n\nPrints "
           "the images without a digest, one per line. With `--check` it writes nothing, "
           "and ends with 3 if an image has no digest, or if no job of the inputs uses an "
           "entry.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard lock job.yaml --digest registry.example.com/llm:2.1=sha256:4f5a...",
             "Note the digest of one image."},
            {"trainyard lock specs/ | xargs -I{} sh -c 'echo {} $(crane digest {})' > digests\n"
             "trainyard lock specs/ --from digests",
             "Ask the registry for all that are missing, and note what it says."},
            {"trainyard lock specs/ --check", "In CI: fail with 3 when an image has no digest."}};
  }

  Arguments arguments() override {
    return {
        inputs_argument(request_.inputs, "Spec files, directories, or - for standard input"),
        {.name = "digest",
         .value = "IMAGE=DIGEST",
         .help = "The digest of an image, `sha256:` and 64 digits; may be given more than once",
         .into = &request_.digests},
        {.name = "from",
         .value = "FILE",
         .help = "Take digests from the lines of this file, or of - for standard input: the image, "
                 "then `=`, `@` or a space, then the digest",
         .kind = ValueKind::File,
         .into = &request_.from},
        {.name = "lock",
         .value = "FILE",
         .help = "The lock file; default is the nearest `trainyard.lock` at or above the first "
                 "input",
         .kind = ValueKind::File,
         .into = &request_.file},
        {.name = "prune",
         .help = "Drop the entries that no job of the inputs uses",
         .into = &request_.prune},
        {.name = "check",
         .help = "Write nothing; exit with 3 when an entry is missing or unused",
         .into = &request_.check},
        cluster_argument(request_.cluster),
        target_argument(request_.target),
        overlay_argument(options_.overlays),
        templates_argument(options_.templates),
        schemas_argument(options_.schemas),
        config_argument(options_.config),
        no_config_argument(options_.no_config),
        load_outside_argument(),
        output_argument()};
  }

  ExitCode run(Io& io) override {
    if (request_.check && (request_.prune || !request_.digests.empty() || !request_.from.empty())) {
      return wrong_call(io,
                        "`--check` writes nothing: leave out `--digest`, `--from` and `--prune`");
    }
    const bool twice =
        request_.from == "-" && std::ranges::find(request_.inputs, "-") != request_.inputs.end();
    if (twice) return wrong_call(io, "standard input is either a spec or the digests");
    Session session(io.env);
    prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
    LockResult result;
    if (!session.sink.has_errors()) result = lock_images(session, request_);
    if (!result.wrong_words.empty()) {
      std::string words;
      for (const std::string& word : result.wrong_words) {
        words += (words.empty() ? "" : "\ntrainyard: ") + word;
      }
      return wrong_input(io, words);
    }
    const ExitCode code = finish(io, session, members(session, result));
    if (code != ExitCode::Good) return code;
    if (!io.reports()) io.out += request_.check ? checked(result) : lines("", result.missing);
    if (result.written) tell_done(io, "wrote", result.path);
    const bool differs = !result.missing.empty() || !result.unused.empty();
    return request_.check && differs ? ExitCode::OutOfDate : ExitCode::Good;
  }

 private:
  static std::string lines(std::string_view before, const std::vector<std::string>& images) {
    std::string text;
    for (const std::string& image : images)
      text.append(before).append(foreign_text(image)).append("\n");
    return text;
  }

  static std::string checked(const LockResult& result) {
    return lines("missing ", result.missing) + lines("unused ", result.unused);
  }

  static std::string members(const Session& session, const LockResult& result) {
    if (session.sink.has_errors()) return {};
    return json_member("file", result.path) + ",\n  " + json_member("missing", result.missing) +
           ",\n  " + json_member("unused", result.unused);
  }

  LockRequest request_;
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> lock_command() {
  return std::make_unique<LockCommand>();
}

}  // namespace trainyard
