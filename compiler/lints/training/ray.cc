// Whether the pods of a Ray cluster fit together.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "manifest/embedded_yaml.h"
#include "manifest/go_text.h"
#include "manifest/ray_objects.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The release in the tag of an image of the Ray project: `2.44.0` of
/// `docker.io/rayproject/ray:2.44.0-py311-gpu`. Nothing for other images.
std::string_view ray_release(std::string_view image) {
  constexpr std::string_view kProject = "rayproject/ray";
  const std::size_t project = image.find(kProject);
  if (project == image.npos || (project != 0 && image[project - 1] != '/')) return {};
  const std::size_t colon = image.find(':', project);
  if (colon == image.npos || image.find('@') != image.npos) return {};
  std::string_view tag = image.substr(colon + 1);
  tag = tag.substr(0, tag.find('-'));
  const bool is_release =
      tag.find('.') != tag.npos && tag.find_first_not_of("0123456789.") == tag.npos;
  return is_release ? tag : std::string_view();
}

/// `py311` of `rayproject/ray:2.40.0-py311-gpu`; "" where the tag leaves it to Ray.
std::string_view python_of(std::string_view image) {
  const std::size_t at = image.rfind("-py3");
  if (!image.starts_with("rayproject/") || at == image.npos) return {};
  const std::string_view rest = image.substr(at + 1);
  return rest.substr(0, rest.find('-'));
}

/// Ray refuses pods of another release, or of another Python, than the first one.
void one_ray(const std::vector<View>& images, CheckContext& context) {
  View first;
  for (View image : images) {
    const std::string_view release = ray_release(string_of(image));
    if (release.empty()) continue;
    if (!first) {
      first = image;
      continue;
    }
    const std::string_view other = ray_release(first->text);
    const std::string_view python = python_of(image->text);
    const std::string_view first_python = python_of(first->text);
    if (release == other && !python.empty() && !first_python.empty() && python != first_python) {
      context
          .lint(image, "Ray for " + std::string(python) + " here, and for " +
                           std::string(first_python) + " elsewhere in the same cluster")
          .also(context.place(first), "Ray for " + std::string(first_python));
      return;
    }
    if (release == other) continue;
    context
        .lint(image, "Ray " + std::string(release) + " here, and " + std::string(other) +
                         " elsewhere in the same cluster")
        .also(context.place(first), "Ray " + std::string(other));
    return;
  }
}

void one_ray_of_workload(const Workload& workload, CheckContext& context) {
  if (workload.group != "ray.io") return;
  std::vector<View> images;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.containers.empty()) images.push_back(get(role.containers.front(), "image"));
  }
  one_ray(images, context);
}

/// A RayService serves, so its pods are no workload.
void one_ray_of_service(View object, CheckContext& context) {
  const View cluster = ray_cluster_spec(object);
  std::vector<View> images = {get(ray_container(get(cluster, "headGroupSpec")), "image")};
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    images.push_back(get(ray_container(group), "image"));
  }
  one_ray(images, context);
}

/// The Ray container may still be given GPUs by a claim, by their driver or by other names.
void tell_of_no_gpus(const WorkloadRole& role, View stated, std::int64_t number,
                     CheckContext& context) {
  const View container = role.containers.empty() ? View() : role.containers.front();
  const View resources = get(container, "resources");
  if (!has_items(get(resources, "limits")) || has_items(get(resources, "claims"))) return;
  if (variable(container, "NVIDIA_VISIBLE_DEVICES")) return;
  constexpr auto kPlain = std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});
  for (std::string_view list : {"limits", "requests"}) {
    for (View each : entries_at(resources, list)) {
      if (std::ranges::find(kPlain, each.key()) == kPlain.end()) return;
    }
  }
  context
      .lint(stated, "Ray is started with " + std::to_string(number) +
                        (number == 1 ? " GPU" : " GPUs") + " in each pod, which asks for none")
      .also(context.place(resources), "what it asks for");
}

/// Ray takes the number of GPUs from its start parameters before it looks at the container.
void ray_gpus(const Workload& workload, CheckContext& context) {
  if (workload.group != "ray.io") return;
  for (const WorkloadRole& role : workload.roles) {
    const View stated = get(get(role.holder, "rayStartParams"), "num-gpus");
    const Devices devices = role.devices;
    if (!stated || devices.slices != 0) continue;
    const auto number = go_integer(string_of(stated));
    if (!number || *number <= devices.whole) continue;
    if (devices.whole == 0) {
      tell_of_no_gpus(role, stated, *number, context);
      continue;
    }
    context
        .lint(stated, "Ray is started with " + std::to_string(*number) +
                          " GPUs in each pod, which has " + std::to_string(devices.whole))
        .also(context.place(devices.at), "the GPUs");
  }
}

/// Whether two releases differ in a number that both have.
bool differ(std::string_view one, std::string_view other) {
  const auto a = ray_version(one);
  const auto b = ray_version(other);
  if (!a || !b) return false;
  const auto dots = [](std::string_view text) { return std::ranges::count(text, '.'); };
  const bool both_patched = dots(one) >= 2 && dots(other) >= 2;
  return (*a)[0] != (*b)[0] || (*a)[1] != (*b)[1] || (both_patched && (*a)[2] != (*b)[2]);
}

void stated_version(View object, CheckContext& context) {
  const View cluster = ray_cluster_spec(object);
  const View version = get(cluster, "rayVersion");
  const View image = get(ray_container(get(cluster, "headGroupSpec")), "image");
  const std::string_view release = ray_release(string_of(image));
  if (release.empty() || !differ(string_of(version), release)) return;
  context
      .lint(version, "`rayVersion` is " + std::string(version->text) +
                         ", and the image of the head has Ray " + std::string(release))
      .also(context.place(image), "the image");
}

/// The first command of a text behind `ray job submit`; nothing where it has one command.
std::optional<std::string> first_command(std::string_view text) {
  constexpr std::string_view kSubmit = "ray job submit -- ";
  const std::string line = std::string(kSubmit).append(text);
  const Script script = read_script(line);
  const auto runs = [](const ScriptCommand& each) { return !each.is_output; };
  if (std::ranges::count_if(script.commands, runs) < 2) return std::nullopt;
  return line.substr(kSubmit.size(), script.commands[0].end - kSubmit.size());
}

/// KubeRay puts the text behind `ray job submit ... --` in a script of the submitter.
void entrypoint(View object, CheckContext& context) {
  const View spec = ray_job_spec(object);
  const View text = get(spec, "entrypoint");
  const std::string_view mode = string_at(spec, "submissionMode");
  if (mode == "HTTPMode" || mode == "InteractiveMode") return;
  const auto first = first_command(string_of(text));
  if (!first) return;
  context.lint(text, "only " + shown(*first) + " goes to the cluster: what follows runs in the " +
                         "container that submits it");
}

/// What Ray Serve says of an import path; "" for nothing.
std::string fault_of_import_path(std::string_view path) {
  // importlib looks for a module of that name in one folder, and finds none.
  if (path.find('/') != path.npos) return "names a file; the parts of a module have `.` between";
  const char mark = path.find(':') != path.npos ? ':' : '.';
  const auto marks = std::ranges::count(path, mark);
  if (marks == 0) return "has neither `:` nor `.` between the module and what it holds";
  if (mark == ':' && marks > 1) return "has more than one `:`";
  if (path.rfind(mark) == 0 || path.ends_with(mark)) return "begins or ends with its separator";
  return {};
}

std::string of_application(View application) {
  const std::string_view name = string_at(application, "name");
  return name.empty() ? "an application" : "application " + shown(name);
}

void import_paths(View object, CheckContext& context) {
  const View text = get(get(object, "spec"), "serveConfigV2");
  if (string_of(text).find("import_path") == std::string_view::npos) return;
  const TextYaml configuration(text);
  for (View each : items_at(configuration.root(), "applications")) {
    const View path = get(each, "import_path");
    const std::string fault =
        string_of(path).empty() ? std::string() : fault_of_import_path(string_of(path));
    if (fault.empty()) continue;
    context.lint(configuration.place(path), "import path " + shown(string_of(path)) + " of " +
                                                of_application(each) + " " + fault);
  }
}

/// python/ray/_private/runtime_env/validation.py validate_uri
void remote_folder(const TextYaml& yaml, View folder, CheckContext& context) {
  constexpr auto packed = std::to_array<std::string_view>({".zip", ".jar", ".whl", ".gz"});
  const std::string_view text = string_of(folder);
  if (text.find("://") == text.npos || text.starts_with("gcs://") || text.starts_with("file://"))
    return;
  if (std::ranges::any_of(packed, [&](std::string_view end) { return text.ends_with(end); }))
    return;
  context.lint(yaml.place(folder),
               "Ray takes one file from elsewhere, such as a `.zip`, and not " + shown(text));
}

/// validation.py parse_and_validate_pip, parse_and_validate_py_modules: a text is the path of a
/// file with requirements; modules are a list.
void packages(const TextYaml& yaml, View environment, CheckContext& context) {
  const View pip = get(environment, "pip");
  if (string_of(pip).find("==") != std::string_view::npos) {
    context.lint(yaml.place(pip),
                 "`pip` is a list of packages; a text is the path of a file, and " +
                     shown(pip->text) + " is none");
  }
  const View modules = get(environment, "py_modules");
  if (modules && modules.kind() != Kind::Seq) {
    context.lint(yaml.place(modules),
                 "`py_modules` is a list, and not " + word_with_article(modules.kind()));
  }
}

/// Of a runtime environment, which Ray refuses as a whole for one such value.
void texts_of_environment(const TextYaml& yaml, View environment, CheckContext& context) {
  const View variables = get(environment, "env_vars");
  if (variables && !variables->is_map()) {
    context.lint(yaml.place(variables), "`env_vars` is " + word_with_article(variables.kind()) +
                                            ", and Ray wants a map of names to texts");
  }
  for (View each : entries_at(environment, "env_vars")) {
    if (each.kind() == Kind::String) continue;
    context.lint(yaml.place(each), "variable " + shown(each.key()) + " is " +
                                       word_with_article(each.kind()) + " and not a text");
  }
  remote_folder(yaml, get(environment, "working_dir"), context);
  const View pip = get(environment, "pip");
  packages(yaml, environment, context);
  if (pip && get(environment, "conda")) {
    context.lint(yaml.place(pip), "an environment has `pip` or `conda`, and not both");
  }
}

/// The submitter that KubeRay makes has no folder of the user's, and Ray takes none from HTTP.
void own_folder(View object, const TextYaml& yaml, CheckContext& context) {
  const View spec = ray_job_spec(object);
  const View folder = get(yaml.root(), "working_dir");
  const std::string_view text = string_of(folder);
  const bool is_relative = text.starts_with("./") || text == ".";
  if (get(spec, "submitterPodTemplate") || !is_relative || text.size() < 3) return;
  if (string_at(spec, "submissionMode") == "InteractiveMode") return;
  context.lint(yaml.place(folder), "the pod that submits the job has no folder " + shown(text));
}

void runtime_environments(View object, CheckContext& context) {
  const View own = get(ray_job_spec(object), "runtimeEnvYAML");
  if (!string_of(own).empty()) {
    const TextYaml environment(own);
    texts_of_environment(environment, environment.root(), context);
    own_folder(object, environment, context);
  }
  const View serve = get(get(object, "spec"), "serveConfigV2");
  if (string_of(serve).find("runtime_env") == std::string_view::npos) return;
  const TextYaml configuration(serve);
  for (View each : items_at(configuration.root(), "applications")) {
    texts_of_environment(configuration, get(each, "runtime_env"), context);
  }
}

/// Rules of deletion say more than the one field.
void cluster_stays(const Workload& workload, CheckContext& context) {
  const View spec = workload.spec;
  if (!workload.is("ray.io", "RayJob") || workload.gpu_pods == 0) return;
  const View ends = get(spec, "shutdownAfterJobFinishes");
  if (is_true(ends) || get(spec, "deletionStrategy") || get(spec, "deletionPolicy")) return;
  if (get(spec, "clusterSelector") || is_true(get(spec, "suspend"))) return;
  const View groups = get(get(spec, "rayClusterSpec"), "workerGroupSpecs");
  context.lint(ends     ? ends
               : groups ? groups
                        : spec,
               "the cluster keeps its GPUs when the job is done: `shutdownAfterJobFinishes` is " +
                   std::string(ends ? "false" : "not set"));
}

constexpr Check kChecks[] = {
    {.name = "ray-start-words",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .sentence = "Parameters for `ray start` are options that it has, and let the operator in.",
     .source = "ray-project/ray python/ray/scripts/scripts.py start; ray-project/kuberay "
               "ray-operator/controllers/ray/common/pod.go generateRayStartCommand",
     .workload = check_ray_start,
     .because = "Ray does not start, or the job is never submitted to it.",
     .fix = "write the options of `ray start` without their dashes in front"},
    {.name = "ray-import-path",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .on = "ray.io RayService",
     .sentence = "An application of Ray Serve is imported from a module, by `module:name`.",
     .source = "ray-project/ray python/ray/serve/schema.py ServeApplicationSchema: "
               "import_path_format_valid",
     .object = import_paths,
     .because = "Ray refuses the configuration, or cannot import the application: the service "
                "never becomes ready.",
     .fix = "write `import_path: module:application`"},
    {.name = "ray-environment",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "ray.io RayJob RayCronJob RayService",
     .sentence = "Variables of a runtime environment are texts, packages come from one place, and "
                 "a folder from elsewhere is packed.",
     .source = "ray-project/ray python/ray/_private/runtime_env/validation.py "
               "parse_and_validate_env_vars; python/ray/runtime_env/runtime_env.py RuntimeEnv",
     .object = runtime_environments,
     .because = "Ray refuses the environment: the job or the application does not start.",
     .fix = "write numbers and truths in quotes, the packages of pip inside `conda`, and the "
            "`working_dir` as a `.zip`"},
    {.name = "ray-one-entrypoint",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .on = "ray.io RayJob RayCronJob",
     .sentence = "The entrypoint of a RayJob is one command.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/common/job.go "
               "BuildJobSubmitCommand; issue 3929",
     .object = entrypoint,
     .operators = {.name = "kuberay", .since = "1.3"},
     .severity = Severity::Warning,
     .because = "The shell of the submitter ends `ray job submit` there: the rest finds neither "
                "the GPUs nor the files of the cluster.",
     .fix = "write `bash -c '...'` around the commands, or submit with `HTTPMode`"},
    {.name = "ray-cluster-stays",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "The cluster of a RayJob with GPUs ends with the job.",
     .source = "ray-project/kuberay ray-operator/apis/ray/v1/rayjob_types.go: "
               "ShutdownAfterJobFinishes is false where it is left out",
     .workload = cluster_stays,
     .severity = Severity::Warning,
     .because = "KubeRay leaves head and workers running until a user deletes the RayJob.",
     .fix = "set `shutdownAfterJobFinishes: true`, and `ttlSecondsAfterFinished` for a look at it"},
    {.name = "ray-version",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .on = "ray.io RayCluster RayJob RayService RayCronJob",
     .sentence = "`rayVersion` is the release of Ray in the image of the head.",
     .source = "ray-project/kuberay ray-operator/apis/ray/v1/raycluster_types.go RayVersion",
     .object = stated_version,
     .severity = Severity::Warning,
     .because = "KubeRay chooses commands, probes and the autoscaler by this version, and not by "
                "what is in the image.",
     .fix = "let `rayVersion` and the tag of the image agree"},
    {.name = "ray-gpus",
     .group = CheckGroup::Gpu,
     .effect = Effect::RunsWrong,
     .sentence = "Ray is started with no more GPUs than its pods have.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/common/pod.go "
               "generateRayStartCommand",
     .workload = ray_gpus,
     .severity = Severity::Warning,
     .because = "Ray starts actors for all of them, and those beyond the real ones find no device.",
     .fix = "leave `num-gpus` out: KubeRay takes it from the limits of the container"},
    {.name = "one-ray",
     .group = CheckGroup::Images,
     .effect = Effect::NeverRuns,
     .on = "ray.io RayService",
     .sentence = "All pods of a Ray cluster run the same release of Ray, for the same Python.",
     .source = "ray-project/ray python/ray/_private/utils.py check_version_info",
     .object = one_ray_of_service,
     .workload = one_ray_of_workload,
     .because = "A worker of another release or Python than the head refuses to join, and is "
                "started again and again.",
     .fix = "use one image, or images of one release"},
};

}  // namespace

const std::span<const Check> ray_lints = kChecks;

}  // namespace trainyard
