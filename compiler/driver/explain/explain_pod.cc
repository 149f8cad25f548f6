#include "driver/explain/explain_pod.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diag/secrets.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/explain/jobs_of_inputs.h"
#include "effective/pods.h"
#include "emit/field_order.h"
#include "manifest/program_jobs.h"
#include "source/characters.h"
#include "source/origin.h"
#include "tree/json.h"
#include "tree/typed_fields.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

class PodWriter {
 public:
  PodWriter(Tree& tree, NodeId pod, const Origins& origins, std::vector<InjectedValue>& injected)
      : tree_(tree), pod_(pod), origins_(origins), injected_(injected) {}

  std::string write() {
    into_written_form(tree_, pod_);
    std::vector<WrittenNode> written;
    write_yaml(tree_, pod_, text_, &written);
    for (const WrittenNode& each : written) places_[each.node] = each.begin;
    visit(pod_, {}, {});
    return with_comments();
  }

 private:
  /// `covering` is the mark of what the node is in: what was added as a whole is marked once.
  void visit(NodeId id, std::string_view covering, const std::string& path) {
    const Origin& origin = origins_[tree_[id].origin];
    const bool marked = origin.kind == OriginKind::Injected && origin.name != covering;
    if (marked && !holds_maps(id) && !has_several_makers(id)) {
      comment(id, origin.name);
      injected_.push_back({path, std::string(origin.name)});
      covering = origin.name;
    }
    if (tree_[id].key == "fieldPath") resolve(id);
    if (tree_[id].key == "env") mark_replaced(id);
    std::size_t index = 0;
    for (NodeId child : tree_.children(id)) {
      const std::string step = tree_[id].is_seq() ? "[" + std::to_string(index++) + "]"
                                                  : step_to(tree_[child].key, path.empty());
      visit(child, covering, path + step);
    }
  }

  static std::string step_to(std::string_view key, bool first) {
    if (key.find_first_of("./[]\" ") != std::string_view::npos) {
      return "[\"" + std::string(key) + "\"]";
    }
    return (first ? "" : ".") + std::string(key);
  }

  /// A list of items that have lines of their own to be marked on.
  bool holds_maps(NodeId id) const {
    if (!tree_[id].is_seq()) return false;
    const NodeId first = tree_[id].first;
    return first != kNoNode && tree_[first].is_map();
  }

  /// Labels or annotations, each with its own mark.
  bool has_several_makers(NodeId id) const {
    const Node& node = tree_[id];
    if (node.key != "labels" && node.key != "annotations") return false;
    const std::string_view own = origins_[node.origin].name;
    const auto children = tree_.children(id);
    return std::any_of(children.begin(), children.end(),
                       [&](NodeId child) { return origins_[tree_[child].origin].name != own; });
  }

  void comment(NodeId id, std::string_view text) {
    const auto place = places_.find(id);
    if (place == places_.end()) return;
    const std::size_t end = text_.find('\n', place->second);
    comments_.emplace(end == std::string::npos ? text_.size() : end, std::string(text));
  }

  /// Of several variables with one name the last counts.
  void mark_replaced(NodeId env) {
    std::map<std::string_view, NodeId> seen;
    for (NodeId each : tree_.children(env)) {
      const std::string_view name = string_at(View(tree_, each), "name");
      if (name.empty()) continue;
      const auto [entry, first] = seen.try_emplace(name, each);
      if (first) continue;
      comment(entry->second, "without effect: `" + std::string(name) + "` is set again below");
      entry->second = each;
    }
  }

  /// `metadata.annotations['a']`, when the pod has it.
  void resolve(NodeId id) {
    const std::string_view field = tree_[id].text;
    const View metadata = get(View(tree_, pod_), "metadata");
    View value;
    if (field == "metadata.namespace") value = get(metadata, "namespace");
    for (std::string_view map : {"labels", "annotations"}) {
      const std::string start = "metadata." + std::string(map) + "['";
      if (!field.starts_with(start) || !field.ends_with("']")) continue;
      value = get(get(metadata, map), field.substr(start.size(), field.size() - start.size() - 2));
    }
    if (value && value->text.find('<') == std::string_view::npos) {
      comment(id, "here `" + std::string(value->text) + "`");
    }
  }

  std::string with_comments() const {
    std::string result;
    std::size_t done = 0;
    for (const auto& [end, comment] : comments_) {
      result.append(text_, done, end - done).append("  # ").append(comment);
      done = end;
    }
    return result.append(text_, done);
  }

  Tree& tree_;
  NodeId pod_;
  const Origins& origins_;
  std::vector<InjectedValue>& injected_;
  std::string text_;
  std::map<NodeId, std::size_t> places_;
  std::map<std::size_t, std::string> comments_;  // by the end of their line
};

/// Values that a mask stands for: an alias of YAML can bring one along under another name.
using Secrets = std::set<std::string_view>;

/// The value of a variable whose name says that it is a credential.
void mask_variable(Tree& tree, NodeId variable, Secrets& secrets) {
  const View value = get(View(tree, variable), "value");
  if (!value || !is_named_credential(string_at(View(tree, variable), "name"), value->text)) return;
  if (!could_be_credential_value(value->text)) return;
  constexpr std::size_t kShortest = 6;  // shorter ones are words that stand anywhere
  if (value->text.size() >= kShortest) secrets.insert(value->text);
  tree[value.id()].text = kSecretMask;
}

/// `--token=••••`, or all of a word that is a value alone.
std::string masked_word(std::string_view word) {
  const std::size_t equals = word.starts_with('-') ? word.find('=') : word.npos;
  const std::string_view shown = equals == word.npos ? "" : word.substr(0, equals + 1);
  return std::string(shown) + std::string(kSecretMask);
}

/// The words behind options that take a credential.
void mask_words(Tree& tree, NodeId words) {
  CredentialWords command;
  for (NodeId word : tree.children(words)) {
    // The text stays as it was for the next word.
    const std::string_view text = tree[word].text;
    if (command.holds_one(text)) tree[word].text = tree.intern(masked_word(text));
  }
}

void mask(Tree& tree, NodeId part, Secrets& secrets) {
  if (tree[part].is_map()) mask_variable(tree, part, secrets);
  if (tree[part].kind == Kind::String) {
    const std::string masked = without_secrets(tree[part].text);
    if (masked != tree[part].text) tree[part].text = tree.intern(masked);
  }
  for (NodeId child : tree.children(part)) {
    const std::string_view key = tree[child].key;
    if (tree[child].is_seq() && (key == "command" || key == "args")) mask_words(tree, child);
    mask(tree, child, secrets);
  }
}

void mask_copies(Tree& tree, NodeId part, const Secrets& secrets) {
  if (secrets.contains(tree[part].text)) tree[part].text = kSecretMask;
  for (NodeId child : tree.children(part)) mask_copies(tree, child, secrets);
}

/// Masks credentials, which must not be in a log.
void mask_secrets(Tree& tree, NodeId pod) {
  Secrets secrets;
  mask(tree, pod, secrets);
  if (!secrets.empty()) mask_copies(tree, pod, secrets);
}

/// Writes a pod as YAML. What a controller added gets its mark as a comment at the end of the line,
/// and so does a field of the pod that a variable refers to and whose value is known. The marks are
/// appended to `injected`.
std::string written_pod(Tree& tree, NodeId pod, const Origins& origins,
                        std::vector<InjectedValue>& injected) {
  return PodWriter(tree, pod, origins, injected).write();
}

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
      return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
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
