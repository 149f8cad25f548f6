// What KubeRay, or the Ray that it calls, wants of a job when it is submitted.

#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/sink.h"
#include "diag/words.h"
#include "manifest/ray_objects.h"
#include "operators/tables.h"
#include "source/source_map.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kJobs = "ray.io RayJob RayCronJob";
constexpr OperatorSpan kRay{.name = "kuberay"};

void metadata(View object, CheckContext& context) {
  const View spec = ray_job_spec(object);
  const View labels = get(spec, "metadata");
  const View cluster = get(spec, "rayClusterSpec");
  const std::string_view mode = string_at(spec, "submissionMode");
  if (!has_items(labels) || !cluster || mode == "HTTPMode" || mode == "InteractiveMode") return;
  const View version = get(cluster, "rayVersion");
  const auto found = ray_version(string_of(version));
  if (found && *found >= std::array{2, 6, 0}) return;
  context
      .refuse_key(labels, "`metadata` of a job needs `rayVersion` 2.6.0 or later" +
                              (version ? ", not " + shown(string_of(version))
                                       : std::string(", and it is not set")))
      .also(context.place(version ? version : cluster), version ? "the version" : "the cluster");
}

bool is_number(View value) {
  return value.kind() == Kind::Int || value.kind() == Kind::Float;
}

void entrypoint_resources(View object, CheckContext& context) {
  const View text = get(ray_job_spec(object), "entrypointResources");
  if (string_of(text).empty()) return;
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("entrypointResources", std::string(text->text));
  const auto tree = read_json(sources, file, sink);
  if (!tree || !(*tree)[tree->root()].is_map()) {
    context.refuse(text, "`entrypointResources` is no map in JSON such as `{\"tpu-head\": 1}`");
    return;
  }
  for (View amount : Items(View(*tree, tree->root()))) {
    if (is_number(amount)) continue;
    context.refuse(text, "`entrypointResources` says of " + shown(amount.key()) +
                             " something that is no number");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "ray-job-metadata",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kJobs,
     .sentence = "A RayJob with metadata says a version of Ray that takes it.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/common/job.go GetMetadataJson",
     .object = metadata,
     .operators = kRay},
    {.name = "ray-entrypoint-resources",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kJobs,
     .sentence = "Resources of an entrypoint are numbers in a map in JSON.",
     .source = "ray-project/kuberay "
               "ray-operator/controllers/ray/utils/dashboardclient/dashboard_httpclient.go "
               "ConvertRayJobToReq; ray-project/ray python/ray/dashboard/modules/job/cli.py submit",
     .object = entrypoint_resources,
     .operators = kRay},
};

}  // namespace

constinit const std::span<const Check> ray_submission_checks = kChecks;

}  // namespace trainyard
