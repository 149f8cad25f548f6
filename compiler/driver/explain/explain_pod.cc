#include "driver/explain/explain_pod.h"

#include <algorithm>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/explain/jobs_of_inputs.h"
#include "driver/explain/pod_printer.h"
#include "effective/pods.h"
#include "manifest/program_jobs.h"
#include "tree/json.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string plural(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

class Explainer {
 public:
  Explainer(Session& session, const ExplainPodRequest& request)
      : session_(session), request_(request), jobs_(session) {}

  std::optional<ExplainedPod> run() {
    if (!jobs_.read({.inputs = request_.inputs,
                     .cluster = request_.cluster,
                     .target = request_.target,
                     .kubernetes = request_.kubernetes})) {
      return std::nullopt;
    }
    const InputJob* chosen = choose_job();
    return chosen == nullptr ? std::nullopt : explain(*chosen);
  }

 private:
  Diagnostic& refuse(std::string message, Span span = {}) {
    return session_.sink.report(DiagnosticKind::NoSuchPod, span, std::move(message));
  }

  const InputJob* choose_job() {
    std::vector<const InputJob*> found;
    std::vector<std::string> names;
    for (const InputJob& each : jobs_.jobs()) {
      names.push_back(job_label(each.object));
      const auto program = program_of(each.object);
      const bool named = request_.name.empty() || request_.name == name_of(each.object) ||
                         request_.name == names.back() ||
                         (program && request_.name == program->job);
      if (named) found.push_back(&each);
    }
    if (are_of_one_job(found)) return choose_program(found);
    if (found.size() == 1) return found.front();
    if (jobs_.jobs().empty()) {
      std::vector<std::string> kinds = pod_kind_names();
      kinds.insert(kinds.begin(), {"TrainingJob", "TrainJob"});
      Diagnostic& report = refuse("the input has no job whose pods are known");
      for (View each : jobs_.unknown()) {
        report.note(job_label(each) + ": " + std::string(why_pods_unknown(each)));
      }
      report.note("known are " + listed(kinds, "and"));
    } else if (found.empty()) {
      refuse("no job of the input has the name `" + request_.name + "`; there are " +
             listed(names, "and"));
    } else {
      refuse("several jobs could be meant: " + listed(names, "and"))
          .note("`--name` chooses one, by its name or as `Kind/name`");
    }
    return nullptr;
  }

  static bool are_of_one_job(const std::vector<const InputJob*>& jobs) {
    return !jobs.empty() && std::ranges::all_of(jobs, [&](const InputJob* each) {
      const auto first = program_of(jobs.front()->object);
      const auto own = program_of(each->object);
      return first && own && own->job == first->job &&
             namespace_of(each->object) == namespace_of(jobs.front()->object);
    });
  }

  /// Each Job is a role of one job.
  const InputJob* choose_program(const std::vector<const InputJob*>& jobs) {
    for (const InputJob* each : jobs) {
      const std::string role(program_of(each->object)->role);
      programs_.push_back({role, find_pod_kind(each->object)->roles(each->object).front().count});
    }
    const PodRole* role = choose_role(*jobs.front(), programs_);
    return role == nullptr ? nullptr : jobs[static_cast<std::size_t>(role - programs_.data())];
  }

  std::optional<ExplainedPod> explain(const InputJob& candidate) {
    PodBuilder maker(tree_, *candidate.origins);
    const View job = jobs_.maker_of_pods(maker, candidate, notes_);
    if (!job) return std::nullopt;
    const PodKind& kind = *find_pod_kind(job);
    const std::vector<PodRole> own = kind.roles(job);
    const std::vector<PodRole>& roles = programs_.empty() ? own : programs_;
    const PodRole* role = choose_role(candidate, roles);
    if (role == nullptr || !has_index(candidate, roles, *role)) return std::nullopt;

    ExplainedPod result;
    result.role = role->name;
    result.index = request_.index.value_or(0);
    EffectivePod pod = kind.pod(maker, job, programs_.empty() ? role->name : own.front().name,
                                result.index, jobs_.versions().kubernetes);
    if (!pod.failure.empty()) {
      refuse(pod.failure, jobs_.place(candidate));
      return std::nullopt;
    }
    result.job = job_label(candidate.object);
    result.name = pod.name;
    result.hostname = pod.hostname;
    result.address = pod.address;
    result.notes = notes_;
    result.notes.insert(result.notes.end(), pod.notes.begin(), pod.notes.end());
    result.security = level_of_pod(View(tree_, pod.root), jobs_.versions().kubernetes);
    mask_secrets(tree_, pod.root);
    const std::string yaml = written_pod(tree_, pod.root, *candidate.origins, result.injected);
    write_json(tree_, pod.root, result.json, 0);
    result.text = header(result, roles, *role) + yaml;
    return result;
  }

  static std::string counted(const std::vector<PodRole>& roles) {
    std::vector<std::string> names;
    for (const PodRole& each : roles) {
      names.push_back("`" + each.name + "` (" + plural(each.count, "pod") + ")");
    }
    return names.empty() ? "none" : listed_as_is(names);
  }

  static std::string listed_as_is(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    }
    return text;
  }

  const PodRole* choose_role(const InputJob& candidate, const std::vector<PodRole>& roles) {
    const auto same = [](std::string_view a, std::string_view b) {
      return std::ranges::equal(a, b, [](char x, char y) {
        const auto lower = [](char c) {
          return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        };
        return lower(x) == lower(y);
      });
    };
    for (const PodRole& each : roles) {
      if (each.name == request_.role) return &each;
    }
    for (const PodRole& each : roles) {
      if (same(each.name, request_.role)) return &each;
      if (request_.role.empty() && string_at(candidate.object, "kind") == "TrainJob" &&
          each.name == "node")
        return &each;
    }
    if (request_.role.empty() && !roles.empty()) return &roles.front();
    Diagnostic& report = refuse("`" + job_label(candidate.object) + "` has no role `" +
                                    request_.role + "`; its roles are " + counted(roles),
                                jobs_.place(candidate));
    std::vector<std::string_view> names;
    for (const PodRole& each : roles) names.emplace_back(each.name);
    if (const auto near = suggest(request_.role, names)) {
      report.note("did you mean `" + std::string(*near) + "`?");
    }
    return nullptr;
  }

  bool has_index(const InputJob& candidate, const std::vector<PodRole>& roles,
                 const PodRole& role) {
    if (!jobs_.has_few_pods(candidate, roles)) return false;
    const std::int64_t index = request_.index.value_or(0);
    if (index < role.count) return true;
    refuse(role.count <= 0
               ? "role `" + role.name + "` has no pods"
               : "role `" + role.name + "` has no pod " + std::to_string(index) + "; its " +
                     plural(role.count, "pod") +
                     (role.count == 1 ? " has index 0"
                                      : " have indices 0 to " + std::to_string(role.count - 1)),
           jobs_.place(candidate));
    return false;
  }

  std::string header(const ExplainedPod& pod, const std::vector<PodRole>& roles,
                     const PodRole& role) const {
    std::string text = "# " + pod.job + ", role " + pod.role + ", pod " +
                       std::to_string(pod.index) + " of " + std::to_string(role.count) + "\n";
    text += "# name " + pod.name + ", host name " + pod.hostname;
    text += pod.address.empty() ? ", no DNS name of its own" : ", DNS name " + pod.address;
    text += '\n';
    if (roles.size() > 1) {
      text += "# roles:";
      for (const PodRole& each : roles) {
        text += (&each == &roles.front() ? " " : ", ") + each.name + " (" +
                std::to_string(each.count) + ")";
      }
      text += '\n';
    }
    text += "# Pod Security: " + std::string(pod.security.name()) + "\n";
    for (const std::string& what : pod.security.because) text += "#   because " + what + "\n";
    for (const std::string& note : pod.notes) text += "# note: " + note + "\n";
    return text;
  }

  Session& session_;
  const ExplainPodRequest& request_;
  JobsOfInputs jobs_;
  std::vector<PodRole> programs_;  // of a job with a Job for each
  Tree tree_;                      // of what is made
  std::vector<std::string> notes_;
};

}  // namespace

std::optional<ExplainedPod> explain_pod(Session& session, const ExplainPodRequest& request) {
  return Explainer(session, request).run();
}

}  // namespace trainyard
