#include <algorithm>

#include "convert/convertible_kinds.h"
#include "convert/gang_membership.h"
#include "convert/job_metadata.h"
#include "convert/job_programs.h"
#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "convert/services.h"
#include "effective/job_pods.h"
#include "manifest/program_jobs.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void count_pods(Conversion& job, View spec) {
  const View completions = get(spec, "completions");
  const View parallelism = get(spec, "parallelism");
  const bool indexed = string_at(spec, "completionMode") == "Indexed";
  job.pods = std::max<std::int64_t>(job_pod_count(job.job), 1);
  if (indexed && parallelism && integer_of(parallelism) != job.pods) {
    job.ledger.lost(parallelism,
                    "all pods of a training job run at once, and here " + std::to_string(job.pods) +
                        " are to complete",
                    "several jobs side by side are several TrainingJobs");
  }
  const bool several = job.several_pods() || integer_of(completions).value_or(1) > 1;
  if (!indexed && several) {
    job.ledger.lost(completions ? completions : parallelism,
                    "its pods have no index, so they cannot train together",
                    "a build makes an Indexed Job of `nodes` pods; several jobs side by side are "
                    "several TrainingJobs");
  }
  for (View each : {completions, parallelism, get(spec, "completionMode")}) {
    job.ledger.carried(each);
  }
}

void read_pods(Conversion& job, ConvertedRole role) {
  const View spec = get(job.job, "spec");
  count_pods(job, spec);
  role.pods = job.pods;
  job.roles.push_back(role);
  const View pod = get(spec, "template");
  settle_services(job, pod, string_at(get(job.job, "metadata"), "name"));
  read_pod_template(job, job.roles.back(), pod);
}

void read_lifecycle(Conversion& job) {
  const View spec = get(job.job, "spec");
  read_retries(job, spec, job.has_programs ? job_pod_count(job.job) : job.pods);
  read_seconds_of_role(job, get(spec, "activeDeadlineSeconds"), "deadline");
  read_seconds_of_role(job, get(spec, "ttlSecondsAfterFinished"), "ttl");
  read_suspend(job, get(spec, "suspend"));
  // The server gives a Job its selector.
  if (!is_true(get(spec, "manualSelector"))) job.ledger.derived(get(spec, "selector"));
}

/// Each program has a Job, and what the whole job says stands in all of them.
void read_programs(Conversion& job, const std::vector<View>& programs) {
  const View first = job.job;
  job.has_programs = true;
  job.maker.put(job.metadata, "name", job.text(job.name));
  job.pods = 0;
  for (View each : programs) job.pods += job_pod_count(each);
  for (View each : programs) {
    if (each.id() != first.id() || &each.tree() != &first.tree()) {
      settle_metadata_of_part(job, each);
    }
    job.job = each;
    read_program(job, program_of(each)->role, job_pod_count(each),
                 [&](const ConvertedRole& role) { read_pods(job, role); });
    read_lifecycle(job);
  }
  job.job = first;
  put_ends(job, {});
}

void read(Conversion& job) {
  const std::vector<View> programs = jobs_of_programs(job.objects, job.job);
  if (programs.empty()) {
    read_pods(job, {});
    read_lifecycle(job);
  } else {
    read_programs(job, programs);
  }
  settle_gang(job, {"volcano", "kai", "runai", "coscheduling", "native"});
}

}  // namespace

constinit const ConvertedKind kConvertJob = {"batch", "Job", "", read};

}  // namespace trainyard
