#include "cli/fleet_commands.h"
#include "cli/run_git.h"
#include "diag/foreign_text.h"
#include "driver/fleet/merge_generated.h"

namespace trainyard {
namespace {

CallArgument file_argument(std::string_view name, std::string_view help, std::string& into) {
  return {.name = std::string(name),
          .help = std::string(help),
          .operand = true,
          .required = true,
          .into = &into};
}

class MergeDriverCommand : public Command {
 public:
  std::string_view name() const override { return "merge-driver"; }
  std::string_view summary() const override { return "Merge a generated file, for Git"; }
  std::string_view description() const override {
    return "Git calls it for files of the tree of a fleet that both branches changed. "
           "`trainyard render --init` says how to set it up.\n\n"
           "Git merges file by file, so the merged specs do not exist yet, and the right file "
           "cannot either. The file keeps the text of our side, with a mark instead of conflict "
           "markers. Git leaves the conflict open. `trainyard render` then writes the right file. "
           "`validate` and `render --check` refuse a file with the mark.\n\n"
           "A file that trainyard did not write, or that a user edited, is merged as text.";
  }
  std::vector<Example> examples() const override {
    return {{"git config merge.trainyard.driver 'trainyard merge-driver %O %A %B %P'",
             "Once in each clone; `.gitattributes` has `rendered/** merge=trainyard`."},
            {"trainyard render && git add -A rendered && git commit",
             "After a merge whose specs have no conflict left."}};
  }

  Arguments arguments() override {
    return {file_argument("BASE", "The file before both changes: `%O`", request_.base),
            file_argument("OURS", "The file of our side, and the result: `%A`", request_.ours),
            file_argument("THEIRS", "The file of the other side: `%B`", request_.theirs),
            file_argument("PATH", "Its path in the repository: `%P`", request_.path)};
  }

  ExitCode run(Io& io) override {
    Session session(io.env);
    const MergeResult result = merge_generated(session, request_, run_git);
    const ExitCode code = finish(io, session);
    if (code != ExitCode::Good) return code;
    const std::string path = foreign_text(request_.path);
    if (result == MergeResult::Unmerged) {
      io.err += path + ": both sides changed this generated file. Merge the specs, run " +
                "`trainyard render`, then `git add` the tree\n";
    } else if (result == MergeResult::Conflicts) {
      io.err += path + ": merged as text, with conflicts: a user wrote or edited this file\n";
    }
    return result == MergeResult::Merged ? ExitCode::Good : ExitCode::InputWrong;
  }

 private:
  MergeRequest request_;
};

}  // namespace

std::unique_ptr<Command> merge_driver_command() {
  return std::make_unique<MergeDriverCommand>();
}

}  // namespace trainyard
