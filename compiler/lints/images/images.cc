// Images.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/metadata.h"
#include "operators/train_job_runtime.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kMovingTags =
    std::to_array<std::string_view>({"latest", "nightly", "dev", "main", "master", "edge"});

/// A digest is named, or the name is put together later.
bool says_more(char c) {
  return c == '@' || c == '$' || c == '<' || c == '{' || c == ' ';
}

/// The tag of an image; "" for none.
std::string_view tag_of(std::string_view image) {
  const std::string_view last = image.substr(image.rfind('/') + 1);
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos ? std::string_view() : last.substr(colon + 1);
}

// The grammar of image names: distribution/reference reference.go and normalize.go, by which the
// kubelet reads them.

/// Of a word of the path.
bool is_word(char c) {
  return is_lower(c) || is_digit(c);
}

/// A part of the path: lower-case words, with `.`, `_`, `__` or dashes between two of them.
std::string why_no_path_part(std::string_view part) {
  if (part.empty()) return "has an empty part";
  for (char c : part) {
    if (is_upper(c)) {
      return "holds `" + std::string(1, c) + "`, and only a registry may have capitals";
    }
    if (!is_word(c) && c != '.' && c != '_' && c != '-')
      return "holds " + shown(std::string_view(&c, 1));
  }
  if (!is_word(part.front()) || !is_word(part.back())) {
    return "has the part " + shown(part) + ", which begins or ends with a separator";
  }
  for (std::size_t i = 0; i < part.size();) {
    std::size_t end = i;
    while (end < part.size() && !is_word(part[end])) ++end;
    const std::string_view between = part.substr(i, end - i);
    const bool dashes = between.find_first_not_of('-') == between.npos;
    if (!dashes && between != "." && between != "_" && between != "__") {
      return "has " + shown(between) + " between two words";
    }
    i = std::max(end, i) + 1;
  }
  return {};
}

std::string why_no_registry(std::string_view registry) {
  if (registry.starts_with('[')) return {};  // an IPv6 address
  const std::size_t colon = registry.find(':');
  if (colon != registry.npos) {
    const std::string_view port = registry.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, is_digit)) {
      return "has " + shown(port) + " for a port";
    }
  }
  const std::string_view host = registry.substr(0, colon);
  for (char c : host) {
    if (is_word(c) || is_upper(c) || c == '.' || c == '-') continue;
    return "has " + shown(registry) + " for a registry; a name has letters, digits, `.` and `-`";
  }
  return host.empty() ? "has no registry in front of its first `/`" : std::string();
}

std::string why_no_tag(std::string_view tag) {
  constexpr std::size_t kMost = 128;
  if (tag.empty()) return "ends with `:`, behind which a tag is expected";
  if (tag.size() > kMost) return "has a tag of more than 128 characters";
  for (char c : tag) {
    if (!is_word(c) && !is_upper(c) && c != '_' && c != '.' && c != '-') {
      return "has the tag " + shown(tag);
    }
  }
  return tag.front() == '.' || tag.front() == '-' ? "has the tag " + shown(tag) : std::string();
}

struct Algorithm {
  std::string_view name;
  std::size_t digits;
};
constexpr Algorithm kAlgorithms[] = {{"sha256", 64}, {"sha384", 96}, {"sha512", 128}};

std::string why_no_digest(std::string_view digest) {
  for (const Algorithm& each : kAlgorithms) {
    if (!digest.starts_with(each.name) || !digest.substr(each.name.size()).starts_with(':')) {
      continue;
    }
    const std::string_view hex = digest.substr(each.name.size() + 1);
    if (hex.size() == each.digits && hex.find_first_not_of("0123456789abcdef") == hex.npos) {
      return {};
    }
    return "has a digest that is not " + std::to_string(each.digits) + " hexadecimal digits";
  }
  return "has the digest " + shown(digest);
}

/// What is wrong with the name of an image; "" for nothing.
std::string why_not_image(std::string_view image) {
  constexpr std::size_t kMost = 255;
  if (const std::size_t scheme = image.find("://"); scheme != image.npos) {
    return "is a URL; expected " + shown(image.substr(scheme + 3)) + ", without a scheme";
  }
  if (image.ends_with(".sqsh") || image.ends_with(".sif")) {
    return "is a file, as enroot and Apptainer run it; nodes of Kubernetes pull from a registry";
  }
  const std::size_t at = image.find('@');
  if (at != image.npos) {
    if (std::string why = why_no_digest(image.substr(at + 1)); !why.empty()) return why;
    image = image.substr(0, at);
  }
  const std::size_t colon = image.rfind(':');
  const std::size_t last = image.rfind('/');
  if (colon != image.npos && (last == image.npos || colon > last)) {
    if (std::string why = why_no_tag(image.substr(colon + 1)); !why.empty()) return why;
    image = image.substr(0, colon);
  }
  if (image.size() > kMost) return "has more than 255 characters";
  const std::size_t slash = image.find('/');
  if (slash != image.npos) {
    const std::string_view first = image.substr(0, slash);
    if (first.find_first_of(".:") != first.npos || first == "localhost" ||
        std::ranges::any_of(first, is_upper)) {
      if (std::string why = why_no_registry(first); !why.empty()) return why;
      image.remove_prefix(slash + 1);
    }
  }
  while (true) {
    const std::size_t end = std::min(image.find('/'), image.size());
    if (std::string why = why_no_path_part(image.substr(0, end)); !why.empty()) return why;
    if (end == image.size()) return {};
    image.remove_prefix(end + 1);
  }
}

/// The name without tag and digest.
std::string_view repository_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::string_view tag = tag_of(image);
  if (!tag.empty()) image.remove_suffix(tag.size() + 1);
  return image;
}

/// The image of a TrainJob goes to the job that is its trainer step, which in a runtime for mpirun
/// is the launcher: kubeflow/trainer issue 4030.
void image_of_trainer(const Workload& workload, CheckContext& context) {
  const View image = get(get(workload.spec, "trainer"), "image");
  if (workload.kind != "TrainJob" || string_of(image).empty()) return;
  const TrainJob job = train_job(workload.object, context);
  if (!get(get(get(job.runtime, "spec"), "mlPolicy"), "mpi")) return;
  const View nodes = replicated_job(job, "node");
  if (label(get(nodes, "template"), "trainer.kubeflow.org/trainjob-ancestor-step")) return;
  const View containers = get(pod_spec_of(nodes), "containers");
  const View other = get(has_items(containers) ? containers.first() : View(), "image");
  if (string_of(other).empty() || string_of(other) == string_of(image)) return;
  context
      .lint(image, "the launcher alone runs this image, and the ranks on the nodes run " +
                       shown(string_of(other)))
      .also(context.place(other), "the image of the nodes");
}

/// Two roles whose containers run one program.
struct SameProgram {
  const WorkloadRole* one = nullptr;  // which starts the others, or has rank 0
  const WorkloadRole* others = nullptr;
  bool by_name = false;  // of containers; else the first ones

  explicit operator bool() const { return one != nullptr && others != nullptr; }
};

/// The launcher and the nodes of a runtime for mpirun, or of an MPIJob; master and workers.
SameProgram same_program(const Workload& workload) {
  if (workload.kind == "PyTorchJob") {
    SameProgram roles{workload.role("Master"), workload.role("Worker"), true};
    if (roles && roles.one->devices.all() != roles.others->devices.all()) return {};
    return roles;
  }
  if (workload.is("leaderworkerset.x-k8s.io", "LeaderWorkerSet")) {
    return {workload.role("leader"), workload.role("worker")};
  }
  if (workload.is("kubeflow.org", "MPIJob")) {
    return {workload.role("Launcher"), workload.role("Worker")};
  }
  if (workload.kind == "LeaderWorkerSet") {
    return {workload.role("leader"), workload.role("worker")};
  }
  const bool by_mpi =
      workload.kind.ends_with("TrainingRuntime") && get(get(workload.spec, "mlPolicy"), "mpi");
  return by_mpi ? SameProgram{workload.role("launcher"), workload.role("node")} : SameProgram();
}

void compare_images(View first, View second, const SameProgram& roles, CheckContext& context) {
  const std::string_view a = string_of(first);
  const std::string_view b = string_of(second);
  if (a.empty() || b.empty() || a == b || repository_of(a) != repository_of(b)) return;
  if (std::ranges::any_of(a, says_more) || std::ranges::any_of(b, says_more)) return;
  context
      .lint(second, "the " + pods_of(*roles.others) + " run " + shown(b) + ", and the " +
                        pods_of(*roles.one) + " " + shown(a))
      .also(context.place(first), "the other release");
}

/// `2.49.0` of `rayproject/ray:2.49.0-gpu` and of `ray-ml:2.49.0.0e19ea`; "" for tags that do not
/// begin with a release.
std::string_view release_of(std::string_view image) {
  const std::string_view tag = tag_of(image);
  const std::size_t minor = tag.find('.');
  const std::size_t patch = minor == tag.npos ? minor : tag.find('.', minor + 1);
  if (patch == tag.npos) return {};
  const std::size_t end = tag.find_first_not_of("0123456789", patch + 1);
  const std::string_view release = tag.substr(0, end);
  const bool is_plain = release.find_first_not_of("0123456789.") == release.npos;
  return is_plain ? release : std::string_view();
}

/// ray-project/ray python/ray/_private/utils.py check_version_info: a process of another release
/// ends when it joins.
void one_release_of_ray(const Workload& workload, CheckContext& context) {
  if (workload.group != "ray.io" || workload.roles.empty()) return;
  const WorkloadRole& head = workload.roles.front();
  if (!head.is_launcher || head.containers.empty()) return;
  const View of_head = get(head.containers.front(), "image");
  const std::string_view release = release_of(string_of(of_head));
  if (release.empty()) return;
  const auto compare = [&](View image, std::string_view who) {
    const std::string_view other = release_of(string_of(image));
    if (other.empty() || other == release) return;
    context
        .lint(image,
              std::string(who) + " has Ray " + shown(other) + ", and the head " + shown(release))
        .also(context.place(of_head), "the other release");
  };
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || role.containers.empty()) continue;
    compare(get(role.containers.front(), "image"), "this group");
  }
  const View submitter = get(get(get(workload.spec, "submitterPodTemplate"), "spec"), "containers");
  compare(get(submitter ? submitter.first() : View(), "image"), "the submitter");
}

void one_program(const Workload& workload, CheckContext& context) {
  image_of_trainer(workload, context);
  one_release_of_ray(workload, context);
  const SameProgram roles = same_program(workload);
  if (!roles || roles.others->pods == 0) return;
  if (!roles.by_name) {
    if (roles.one->containers.empty() || roles.others->containers.empty()) return;
    compare_images(get(roles.one->containers.front(), "image"),
                   get(roles.others->containers.front(), "image"), roles, context);
    return;
  }
  for (View one : roles.one->containers) {
    for (View other : roles.others->containers) {
      if (string_at(one, "name") != string_at(other, "name")) continue;
      compare_images(get(one, "image"), get(other, "image"), roles, context);
    }
  }
}

void mutable_tag(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View image = get(each.node, "image");
    const std::string_view text = string_of(image);
    if (text.empty() || std::ranges::any_of(text, says_more)) continue;
    const std::string_view tag = tag_of(text);
    const bool moves = tag.empty() || std::ranges::find(kMovingTags, tag) != kMovingTags.end();
    if (!moves || !why_not_image(text).empty()) continue;  // what image-name tells
    if (tag.empty()) {
      context.lint(image, "image " + shown(text) + " has no tag, which means `latest`");
    } else {
      context.lint(image, "tag " + shown(tag) + " of image " + shown(text) +
                              " may mean another image tomorrow");
    }
  }
}

/// `IMAGE_NAME`.
bool is_in_capitals(std::string_view text) {
  return text.find('_') != text.npos &&
         std::ranges::all_of(text, [](char c) { return is_upper(c) || c == '_'; });
}

/// An HPC site runs the pod instead of a kubelet, and takes a file for an image as well.
/// interTwin-eu/interlink-slurm-plugin README.md: annotations `slurm-job.vk.io/...`
bool runs_elsewhere(const Pod& pod) {
  return std::ranges::any_of(entries_at(pod.metadata, "annotations"),
                             [](View each) { return each.key().starts_with("slurm-job.vk.io/"); });
}

/// `${TAG}` and `$(params.tag)` are filled in by others before a cluster sees them; text in other
/// brackets has been forgotten, or is to be filled in by hand.
void image_name(const Pod& pod, CheckContext& context) {
  if (runs_elsewhere(pod)) return;
  for (const PodContainer& each : pod.containers) {
    const View image = get(each.node, "image");
    const std::string_view text = string_of(image);
    const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    if (text.empty() || text.find('$') != text.npos) continue;
    if (is_blank(text.front()) || is_blank(text.back())) continue;  // a check reports that
    const auto is_open = [](char c) { return c == '{' || c == '<'; };
    if (std::ranges::any_of(text, is_open) || text.find("...") != text.npos) {
      context.lint(image, "image " + shown(text) + " has a part that is still to be filled in",
                   Severity::Warning);
      continue;
    }
    if (text.starts_with("ko://")) {
      context.lint(image, "image " + shown(text) + " is still to be built by `ko`", Severity::Note);
      continue;
    }
    const std::string why = why_not_image(text);
    if (why.empty()) continue;
    Diagnostic& report = context.lint(image, "image " + shown(text) + " " + why);
    if (is_in_capitals(text)) report.note("it looks like a placeholder that was not filled in");
  }
}

constexpr Check kChecks[] = {
    {.name = "image-name",
     .group = CheckGroup::Images,
     .effect = Effect::NeverRuns,
     .sentence = "The kubelet can read the names of images.",
     .source = "kubernetes/kubernetes pkg/kubelet/images/image_manager.go applyDefaultImageTag; "
               "distribution/reference reference.go",
     .pod = image_name,
     .because = "The API server takes any text; the kubelet pulls nothing, and the pods stay in "
                "InvalidImageName.",
     .fix = "write `registry/path:tag`, the path in lower case"},
    {.name = "image-of-ranks",
     .group = CheckGroup::Images,
     .effect = Effect::RunsWrong,
     .sentence = "Master or launcher and workers of a job run the same release of their image.",
     .source = "NVIDIA/nccl src/bootstrap.cc and src/init.cc: ranks of other releases do not meet; "
               "kubeflow/trainer issue 4030",
     .workload = one_program,
     .severity = Severity::Warning,
     .because = "They are ranks of one program: with another release of it, or of NCCL, they fail "
                "or train something else.",
     .fix = "give both the same tag; in a runtime for mpirun set the image of `node`, too"},
    {.name = "mutable-image-tag",
     .group = CheckGroup::Images,
     .effect = Effect::Style,
     .sentence = "Images are named by a tag that stays, or by a digest.",
     .source = "kubernetes/website content/en/docs/concepts/containers/images.md",
     .pod = mutable_tag,
     .severity = Severity::Note,
     .because = "Pods of one job, or a pod after a restart, can run different programs, and a run "
                "cannot be repeated.",
     .fix = "name the release, or the digest: `image@sha256:...`"},
};

}  // namespace

const std::span<const Check> image_lints = kChecks;

}  // namespace trainyard
