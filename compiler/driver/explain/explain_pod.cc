#include "driver/explain/explain_pod.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/build/compile.h"
#include "driver/build/variants.h"
#include "driver/explain/pod_printer.h"
#include "driver/session/inputs.h"
#include "driver/session/strict_documents.h"
#include "driver/session/surroundings.h"
#include "effective/fold_train_job.h"
#include "effective/pods.h"
#include "tree/json.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Beyond this the lists of hosts that some controllers make are of no use.
constexpr std::int64_t kMostPods = 100'000;

bool is_train_job(View object) {
  return string_at(object, "kind") == "TrainJob" &&
         string_at(object, "apiVersion").starts_with("trainer.kubeflow.org/");
}

std::string job_label(View job) {
  return std::string(string_at(job, "kind")) + "/" + std::string(name_of(job));
}

std::string plural(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

class Explainer {
 public:
  Explainer(Session& session, const ExplainPodRequest& request)
      : session_(session), request_(request) {}

  std::optional<ExplainedPod> run() {
    if (!request_.cluster.empty()) {
      cluster_ = read_cluster(session_, request_.cluster);
      if (cluster_ == nullptr) return std::nullopt;
    }
    session_.kubernetes = kubernetes_version(request_.kubernetes);
    versions_ = versions_for(session_, cluster_.get());
    documents_ = read_inputs(request_.inputs, session_.env, session_.sources, session_.sink,
                             session_.limits, Ambiguity::Kubernetes);
    if (session_.sink.has_errors()) return std::nullopt;
    for (Document& each : documents_) take(each);
    if (session_.sink.has_errors()) return std::nullopt;
    const Candidate* chosen = choose_job();
    return chosen == nullptr ? std::nullopt : explain(*chosen);
  }

 private:
  struct Candidate {
    View job;
    Origins* origins;  // that its values have
  };

  void take(Document& document) {
    if (document.api_version.starts_with("trainyard/")) {
      if (document.kind == "TrainingJob") take_spec(document);
      return;
    }
    take_object(document.root(), origins_);
  }

  void take_spec(Document& document) {
    strict_.take(session_, document);
    if (session_.sink.has_errors()) return;
    for_each_variant(session_, document, [this](Document& variant) {
      jobs_.push_back(std::move(variant));
      Compilation& compiled = compilations_.emplace_back();
      if (!compile(session_, jobs_.back(), cluster_.get(), request_.target, compiled)) return;
      for (const Object& each : compiled.objects.objects) {
        take_object(View(compiled.objects.tree, each.root), compiled.origins);
      }
    });
  }

  void take_object(View object, Origins& origins) {
    if (!object || !object->is_map()) return;
    if (string_at(object, "apiVersion") == "v1" && string_at(object, "kind") == "List") {
      for (View each : items_at(object, "items")) take_object(each, origins);
      return;
    }
    inventory_.add(object);
    if (is_train_job(object) || find_pod_kind(object) != nullptr) {
      candidates_.push_back({object, &origins});
    } else if (!why_pods_unknown(object).empty()) {
      unknown_.push_back(object);
    }
  }

  Diagnostic& refuse(std::string message, Span span = {}) {
    return session_.sink.report(DiagnosticKind::NoSuchPod, span, std::move(message));
  }

  const Candidate* choose_job() {
    std::vector<const Candidate*> found;
    std::vector<std::string> names;
    for (const Candidate& each : candidates_) {
      names.push_back(job_label(each.job));
      const bool named = request_.name.empty() || request_.name == name_of(each.job) ||
                         request_.name == names.back();
      if (named) found.push_back(&each);
    }
    if (found.size() == 1) return found.front();
    if (candidates_.empty()) {
      std::vector<std::string> kinds = pod_kind_names();
      kinds.insert(kinds.begin(), {"TrainingJob", "TrainJob"});
      Diagnostic& report = refuse("the input has no job whose pods are known");
      for (View each : unknown_) {
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

  Span place(const Candidate& candidate) const {
    const View name = get(get(candidate.job, "metadata"), "name");
    const View at = name ? name : candidate.job;
    if (at->origin == kNoOrigin) return at->span;
    return text_place(*candidate.origins, at->origin);
  }

  std::optional<ExplainedPod> explain(const Candidate& candidate) {
    Maker maker(tree_, *candidate.origins);
    View job = candidate.job;
    if (is_train_job(job)) {
      job = fold(maker, candidate);
      if (!job) return std::nullopt;
    }
    const PodKind& kind = *find_pod_kind(job);
    const std::vector<PodRole> roles = kind.roles(job);
    const PodRole* role = choose_role(candidate, roles);
    if (role == nullptr || !has_index(candidate, roles, *role)) return std::nullopt;

    ExplainedPod result;
    result.role = role->name;
    result.index = request_.index.value_or(0);
    EffectivePod pod = kind.pod(maker, job, role->name, result.index, versions_.kubernetes);
    if (!pod.failure.empty()) {
      refuse(pod.failure, place(candidate));
      return std::nullopt;
    }
    result.job = job_label(candidate.job);
    result.name = pod.name;
    result.hostname = pod.hostname;
    result.address = pod.address;
    result.notes = notes_;
    result.notes.insert(result.notes.end(), pod.notes.begin(), pod.notes.end());
    result.security = level_of_pod(View(tree_, pod.root), versions_.kubernetes);
    mask_secrets(tree_, pod.root);
    const std::string yaml = written_pod(tree_, pod.root, *candidate.origins, result.injected);
    write_json(tree_, pod.root, result.json, 0);
    result.text = header(result, roles, *role) + yaml;
    return result;
  }

  View fold(Maker& maker, const Candidate& candidate) {
    const RuntimeName wanted = runtime_name(candidate.job);
    const View runtime = find_runtime(candidate.job, inventory_);
    if (!runtime) {
      refuse(std::string(wanted.kind) + " `" + std::string(wanted.name) +
                 "`, which the TrainJob runs on, is not among the inputs",
             place(candidate))
          .note("name the file that has it as well");
      return {};
    }
    const TrainJobInput input{candidate.job, runtime, versions_, session_.schemas};
    const FoldedTrainJob folded = fold_train_job(maker, input, session_.sink);
    if (!folded.failure.empty()) {
      refuse("the Trainer makes nothing from this TrainJob: " + folded.failure, place(candidate));
    }
    if (session_.sink.has_errors()) return {};
    notes_ = folded.notes;
    return maker.view(folded.job_set);
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

  const PodRole* choose_role(const Candidate& candidate, const std::vector<PodRole>& roles) {
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
      if (request_.role.empty() && is_train_job(candidate.job) && each.name == "node") return &each;
    }
    if (request_.role.empty() && !roles.empty()) return &roles.front();
    Diagnostic& report = refuse("`" + job_label(candidate.job) + "` has no role `" + request_.role +
                                    "`; its roles are " + counted(roles),
                                place(candidate));
    std::vector<std::string_view> names;
    for (const PodRole& each : roles) names.emplace_back(each.name);
    if (const auto near = suggest(request_.role, names)) {
      report.note("did you mean `" + std::string(*near) + "`?");
    }
    return nullptr;
  }

  bool has_index(const Candidate& candidate, const std::vector<PodRole>& roles,
                 const PodRole& role) {
    for (const PodRole& each : roles) {
      if (each.count <= kMostPods) continue;
      refuse("role `" + each.name + "` has " + std::to_string(each.count) + " pods; at most " +
                 std::to_string(kMostPods) + " can be explained",
             place(candidate));
      return false;
    }
    const std::int64_t index = request_.index.value_or(0);
    if (index < role.count) return true;
    refuse(role.count <= 0
               ? "role `" + role.name + "` has no pods"
               : "role `" + role.name + "` has no pod " + std::to_string(index) + "; its " +
                     plural(role.count, "pod") +
                     (role.count == 1 ? " has index 0"
                                      : " have indices 0 to " + std::to_string(role.count - 1)),
           place(candidate));
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
  std::unique_ptr<ClusterDocument> cluster_;
  Versions versions_;
  std::vector<Document> documents_;
  std::deque<Document> jobs_;  // of those that are specs
  StrictDocuments strict_;
  std::deque<Compilation> compilations_;
  Origins origins_;  // of values of foreign objects
  Inventory inventory_;
  std::vector<Candidate> candidates_;
  std::vector<View> unknown_;  // objects whose pods are not known
  Tree tree_;                  // of what is made
  std::vector<std::string> notes_;
};

}  // namespace

std::optional<ExplainedPod> explain_pod(Session& session, const ExplainPodRequest& request) {
  return Explainer(session, request).run();
}

}  // namespace trainyard
