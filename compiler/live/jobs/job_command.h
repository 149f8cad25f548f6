#pragma once

#include <optional>
#include <string>

#include "live/jobs/live_jobs.h"
#include "live/live_command.h"

namespace trainyard {

/// A command about one job, or about all of a namespace.
class JobCommand : public LiveCommand {
 public:
  using LiveCommand::LiveCommand;

 protected:
  /// The operand JOB and the connection.
  void add_job_arguments(Arguments& rows, bool required);

  /// A connection, what the cluster has, and the jobs that are meant.
  struct Looked {
    std::unique_ptr<LiveCluster> cluster;
    std::optional<Discovery> discovery;
    JobName name;
    std::string name_space;
    LiveJobs found;
    ExitCode code = ExitCode::Good;  // else nothing else is there

    Transport& transport() const { return cluster->transport(); }
    bool is_there() const { return code == ExitCode::Good; }
  };
  /// Says what is wrong where there is no job; with `one`, also where the name means several. Of a
  /// job with a Job for each program, `role` chooses one.
  Looked look(Io& io, Around around, bool one, std::string_view role = {});
  /// Looks for the same jobs once more.
  void look_again(Io& io, Looked& looked, Around around);

  /// The user's and those of the program.
  const JobKinds& kinds() const { return session_->job_kinds(); }
  const SessionOptions& options() const { return options_; }

  std::string job_;

 private:
  SessionOptions options_;
  std::unique_ptr<Session> session_;  // of `look`
};

}  // namespace trainyard
