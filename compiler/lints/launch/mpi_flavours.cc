// mpirun of one MPI under an operator that prepares another.

#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "operators/train_job_runtime.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What a container says in the words of one MPI, against the policy or spec that names one.
void against(View holder, View container, CheckContext& context) {
  const Launch launch = mpi_launch_in(container);
  const Mpi prepared = mpi_of_operator(holder);
  if (launch.mpi == Mpi::Any || launch.mpi == prepared) return;
  const View field = get(holder, "mpiImplementation");
  Diagnostic& found = context.lint(
      launch.mpi_word,
      prepared == Mpi::Open
          ? "this is of MPICH and Intel MPI, and the operator prepares Open MPI" +
                std::string(field ? "" : ", the default of `mpiImplementation`")
          : "this is of Open MPI, and the operator prepares " + shown(string_of(field)));
  if (field) found.also(context.place(field), "what the operator prepares");
}

void other_mpi(const Workload& workload, CheckContext& context) {
  const bool is_runtime = workload.kind.ends_with("TrainingRuntime");
  const View policy = get(get(workload.spec, "mlPolicy"), "mpi");
  if (!is_mpi_job_over_ssh(workload) && !(is_runtime && policy)) return;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.is_launcher && !is_runtime && role.name != "Launcher") continue;
    for (View container : role.containers) {
      against(is_runtime ? policy : workload.spec, container, context);
    }
  }
}

/// kubeflow/trainer pkg/runtime/framework/plugins/mpi/mpi.go
void other_mpi_of_train_job(View object, CheckContext& context) {
  const View trainer = get(get(object, "spec"), "trainer");
  if (!mpi_launch_in(trainer)) return;
  const TrainJob job = train_job(object, context);
  if (ml_policy(job) != MlPolicy::Mpi) return;
  against(get(get(get(job.runtime, "spec"), "mlPolicy"), "mpi"), trainer, context);
}

constexpr Check kChecks[] = {
    {.name = "other-mpi",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "trainer.kubeflow.org TrainJob",
     .sentence =
         "The launcher of an MPIJob, or of a TrainJob with MPI, speaks the MPI for which the "
         "operator prepares it.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go: OMPI_MCA_ variables or "
               "HYDRA_HOST_FILE and I_MPI_ variables; issue 472; kubeflow/trainer "
               "pkg/runtime/framework/plugins/mpi/mpi.go",
     .object = other_mpi_of_train_job,
     .workload = other_mpi,
     .severity = Severity::Warning,
     .because = "mpirun ends at an option that it does not know, or finds no hosts and starts all "
                "processes in the launcher.",
     .fix = "set `mpiImplementation` to the MPI of the image, or write the options of the other"},
};

}  // namespace

const std::span<const Check> mpi_flavour_lints = kChecks;

}  // namespace trainyard
