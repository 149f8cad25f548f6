#include "driver/session/policies.h"

#include <algorithm>
#include <set>

#include "check/typos.h"
#include "diag/words.h"
#include "driver/session/all_checks.h"
#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "manifest/pod_templates.h"
#include "policy/policy_checks.h"
#include "rules/rule_context.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kHeader = "x-trainyard";

/// `Job`, `batch/Job` or `batch/v1/Job`.
bool names_kind(std::string_view word, View document) {
  const std::string_view api_version = string_at(document, "apiVersion");
  const std::string kind(string_at(document, "kind"));
  const std::string group(group_of(api_version));
  return word == kind || word == std::string(api_version) + "/" + kind ||
         word == group + "/" + kind;
}

bool is_for(const LoadedPolicy& policy, View document, bool is_spec) {
  if (policy.for_specs != is_spec) return false;
  if (policy.kinds.empty()) return true;
  return std::ranges::any_of(policy.kinds,
                             [&](const std::string& word) { return names_kind(word, document); });
}

/// A kind that no schema has may be one of the user's; one that is one typo away from a known kind
/// is that, and the policy would never be asked.
void tell_of_slip(Session& session, std::string_view word, Span span) {
  const std::string_view kind = word.substr(word.rfind('/') + 1);
  std::string meant;
  for (const SchemaSource& source : session.schema_sources()) {
    for (const SchemaKind& each : source.pack.kinds()) {
      const std::string_view known = source.pack.text(each.kind);
      if (known == kind) return;
      if (meant.empty() && is_typo_of(kind, known)) meant = known;
    }
  }
  if (meant.empty()) return;
  Diagnostic told(DiagnosticKind::BadPolicy, span,
                  "no schema describes the kind " + code(kind) +
                      ", so that the policy is asked of nothing: did you mean " + code(meant) +
                      "?");
  told.severity = Severity::Warning;
  session.sink.report(std::move(told));
}

/// The header of a policy file; what is wrong with it is reported.
void read_header(Session& session, View header, LoadedPolicy& policy) {
  const auto wrong = [&](View at, std::string message) {
    session.sink.report(DiagnosticKind::BadPolicy, at->key_span.known() ? at->key_span : at->span,
                        std::move(message));
  };
  if (!header->is_map()) return wrong(header, "`x-trainyard` is no map");
  for (View entry : Items(header)) {
    const std::string_view text = string_of(entry);
    if (entry->key == "name" && !text.empty()) {
      policy.name = text;
    } else if (entry->key == "message" && !text.empty()) {
      policy.message = text;
    } else if (entry->key == "appliesTo" && (text == "objects" || text == "specs")) {
      policy.for_specs = text == "specs";
    } else if (entry->key == "severity" && (text == "error" || text == "warning")) {
      policy.severity = text == "error" ? Severity::Error : Severity::Warning;
    } else if (entry->key == "kinds" && entry->is_seq()) {
      for (View kind : Items(entry)) {
        policy.kinds.emplace_back(kind->text);
        tell_of_slip(session, kind->text, kind->span);
      }
    } else {
      wrong(entry, code(entry->key) +
                       " is nothing that the header of a policy has; expected `name`, `kinds` (a "
                       "list), `appliesTo` (`objects` or `specs`), `message` or `severity` "
                       "(`error` or `warning`)");
    }
  }
}

bool find_path(const Tree& tree, NodeId from, NodeId to, std::string& path) {
  if (from == to) return true;
  std::size_t index = 0;
  for (NodeId child : tree.children(from)) {
    const std::size_t before = path.size();
    if (tree[from].is_seq()) {
      path += "[" + std::to_string(index++) + "]";
    } else {
      path += (path.empty() ? "" : ".") + std::string(tree[child].key);
    }
    if (find_path(tree, child, to, path)) return true;
    path.resize(before);
  }
  return false;
}

}  // namespace

Policies::Policies() = default;
Policies::Policies(Policies&&) noexcept = default;
Policies& Policies::operator=(Policies&&) noexcept = default;
Policies::~Policies() = default;

CheckTables Policies::checks() const {
  return tables_.empty() ? all_checks() : CheckTables(tables_);
}

void Policies::load(Session& session, const std::string& path) {
  if (session.env.files.is_directory(path)) {
    for (const std::string& file : expand_paths({path}, session.env, session.sink)) {
      load(session, file);
    }
    return;
  }
  // A config may name the file that the call names.
  if (!loaded_.insert(session.env.files.real_path(path).value_or(path)).second) return;
  read(session, path, {}, {}, true);
  session.forget_selections();
}

void Policies::load(Session& session, const Cluster& cluster, const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const auto& each : *cluster.spec->policies) {
    LoadedPolicy policy;
    policy.name = *each->name;
    for (const Text& kind : *each->kinds) {
      policy.kinds.emplace_back(*kind);
      tell_of_slip(session, *kind, kind.span);
    }
    policy.for_specs = *each->applies_to == PolicyScope::Specs;
    policy.message = *each->message;
    if (*each->severity == PolicySeverity::Warning) policy.severity = Severity::Warning;
    const std::string name(*each->schema);
    const std::string file = name.starts_with('/') ? name : folder + name;
    if (!may_read(session, path, file, each->schema.span)) continue;
    read(session, file, each->schema.span, std::move(policy), false);
  }
  session.forget_selections();
}

void Policies::read(Session& session, const std::string& path, Span asked_by, LoadedPolicy header,
                    bool own_header) {
  Sink& sink = session.sink;
  const std::size_t errors = sink.error_count();
  const FileId file =
      read_source(path, session.env, session.sources, sink, session.limits,
                  asked_by.known() ? NamedBy::Document : NamedBy::CommandLine, asked_by);
  if (sink.error_count() != errors) return;
  std::vector<Tree> documents =
      read_yaml(session.sources, file, sink, session.limits, Ambiguity::Kubernetes);
  if (sink.error_count() != errors) return;
  if (documents.empty()) {
    sink.report(DiagnosticKind::BadPolicy, asked_by, "`" + path + "` holds no policy");
    return;
  }
  const auto budget = std::make_shared<PatternBudget>();
  for (Tree& document : documents) {
    trees_.push_back(std::make_shared<const Tree>(std::move(document)));
    const Tree& tree = *trees_.back();
    if (View(tree, tree.root())["checks"]) {
      session.policy_files.push_back(trees_.back());
      add_checks(session, tree, header, asked_by);
    } else {
      LoadedPolicy policy{header.name,     path, header.kinds, header.for_specs, header.message,
                          header.severity, {},   &tree};
      add_schema(session, tree, std::move(policy), own_header, budget);
    }
  }
}

void Policies::add_schema(Session& session, const Tree& tree, LoadedPolicy policy, bool own_header,
                          const std::shared_ptr<PatternBudget>& budget) {
  Sink& sink = session.sink;
  const std::size_t errors = sink.error_count();
  const View own = View(tree, tree.root())[kHeader];
  if (own && own_header) read_header(session, own, policy);
  if (policy.name.empty()) policy.name = policy.path.substr(policy.path.rfind('/') + 1);
  policy.schema = std::make_unique<JsonSchema>(tree, tree.root(), budget);
  for (const JsonSchema::Fault& fault : policy.schema->faults()) {
    const Span span = fault.node == kNoNode ? Span() : tree[fault.node].span;
    sink.report(DiagnosticKind::BadPolicy, span, fault.message);
  }
  if (sink.error_count() == errors) policies_.push_back(std::move(policy));
}

/// What a Cluster says of a policy holds for JSON Schemas, which cannot say it for themselves.
void Policies::add_checks(Session& session, const Tree& tree, const LoadedPolicy& header,
                          Span asked_by) {
  Sink& sink = session.sink;
  const std::size_t errors = sink.error_count();
  if (!header.kinds.empty() || !header.message.empty() || header.for_specs) {
    sink.report(DiagnosticKind::BadPolicy, asked_by,
                "a file of checks says for itself which kinds it is for and what its messages are; "
                "leave out `kinds`, `appliesTo` and `message`");
  }
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Policy");
  report(session.checker.check(kind->schema, tree, tree.root()), tree, {}, sink);
  if (sink.error_count() != errors) return;
  auto checks = std::make_unique<PolicyChecks>(View(tree, tree.root()), session.schema_sources());
  for (const PolicyFault& fault : checks->faults()) {
    Diagnostic& told = sink.report(DiagnosticKind::BadPolicy, fault.at->span, fault.message);
    if (!fault.meant.empty()) {
      told.fix(fault.at->span, fault.meant, "write " + code(fault.meant));
    }
  }
  for (const Check& each : checks->rows()) {
    if (find_check(this->checks(), each.name) == nullptr) continue;
    sink.report(DiagnosticKind::BadPolicy, get(each.policy->at, "name")->span,
                "there is a check " + shown(each.name) + " already");
  }
  if (sink.error_count() == errors) keep(std::move(checks));
}

void Policies::keep(std::unique_ptr<PolicyChecks> checks) {
  if (tables_.empty()) tables_.assign(all_checks().begin(), all_checks().end());
  tables_.push_back(checks->rows());
  checks_.push_back(std::move(checks));
}

Policies Policies::copy() const {
  Policies other;
  other.trees_ = trees_;
  other.loaded_ = loaded_;
  for (const LoadedPolicy& each : policies_) {
    LoadedPolicy policy{each.name,
                        each.path,
                        each.kinds,
                        each.for_specs,
                        each.message,
                        each.severity,
                        std::make_unique<JsonSchema>(*each.tree, each.tree->root()),
                        each.tree};
    other.policies_.push_back(std::move(policy));
  }
  for (const auto& each : checks_) {
    other.keep(std::make_unique<PolicyChecks>(each->file(), SchemaSources()));
  }
  return other;
}

template <class Report>
void Policies::each_breach(View document, bool is_spec, Sink& sink, const Report& report) {
  for (LoadedPolicy& policy : policies_) {
    if (!is_for(policy, document, is_spec)) continue;
    std::vector<JsonSchema::Breach> breaches;
    const auto verdict = policy.schema->check(document.tree(), document.id(), breaches);
    if (verdict == JsonSchema::Verdict::GaveUp) {
      sink.report(
          DiagnosticKind::BadPolicy,
          policy.tree->root() == kNoNode ? Span() : (*policy.tree)[policy.tree->root()].span,
          "policy `" + policy.name +
              "` was given up: it takes too many steps, or refers to itself");
      continue;
    }
    std::set<std::pair<NodeId, std::string>> said;
    for (const JsonSchema::Breach& breach : breaches) {
      std::string message = policy.message;
      if (breach.words != kNoNode) message = (*policy.tree)[breach.words].text;
      const bool own_words = !message.empty();
      if (!own_words) message = breach.message;
      if (!said.emplace(breach.node, message).second) continue;
      Diagnostic diagnostic(DiagnosticKind::PolicyBroken, {}, std::move(message));
      diagnostic.severity = policy.severity;
      if (own_words) diagnostic.note(breach.message);
      diagnostic.note("policy `" + policy.name + "` of `" + policy.path + "` wants it");
      const Node& rule = (*policy.tree)[breach.rule];
      report(breach, std::move(diagnostic), rule.span);
    }
  }
}

void Policies::check(View document, bool is_spec, Sink& sink) {
  each_breach(document, is_spec, sink,
              [&](const JsonSchema::Breach& breach, Diagnostic diagnostic, Span rule) {
                const Node& node = document.tree()[breach.node];
                diagnostic.span =
                    breach.at_key && node.key_span.known() ? node.key_span : node.span;
                std::string path;
                if (find_path(document.tree(), document.id(), breach.node, path)) {
                  diagnostic.at(std::move(path));
                }
                if (rule.known()) diagnostic.also(rule, "the policy");
                sink.report(std::move(diagnostic));
              });
}

void Policies::check_ours(View object, const std::string& name, const Origins& origins,
                          Documents documents, Sink& sink) {
  each_breach(object, false, sink,
              [&](const JsonSchema::Breach& breach, Diagnostic diagnostic, Span rule) {
                const Node& node = object.tree()[breach.node];
                diagnostic.span = span_of_origin(origins, node.origin);
                if (breach.at_key) {
                  diagnostic.span = key_span_of_origin(documents, diagnostic.span, node.key);
                }
                std::string path;
                if (find_path(object.tree(), object.id(), breach.node, path)) {
                  diagnostic.at(name + ":" + path);
                }
                if (rule.known()) diagnostic.also(rule, "the policy");
                sink.report(std::move(diagnostic));
              });
}

}  // namespace trainyard
