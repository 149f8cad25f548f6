#include "check/check_context.h"

#include <algorithm>

#include "check/check.h"
#include "check/check_selectors.h"
#include "check/object_number.h"
#include "check/severities.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/workload.h"
#include "tree/heading.h"
#include "tree/origin_span.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

thread_local std::uint64_t objects = 0;

/// Whether a file holds it as it stands; a value that we made has an origin.
bool is_of_file(View at, const Origins* origins) {
  return origins == nullptr || (at->origin == kNoOrigin && at->span.known());
}

}  // namespace

std::uint64_t object_number() {
  return objects;
}

CheckContext::CheckContext(const CheckInputs& surroundings, Sink& sink)
    : surroundings_(surroundings), selection_(surroundings.selection), sink_(sink) {
  if (selection_ == nullptr)
    selection_ = &own_selection_.emplace(surroundings.versions, surroundings.checks,
                                         surroundings.severities);
}

CheckContext::CheckContext(const CheckInputs& surroundings, const Origins& origins,
                           Documents documents, Sink& sink)
    : CheckContext(surroundings, sink) {
  origins_ = &origins;
  documents_ = documents;
}

void CheckContext::start(View root, std::string name, std::vector<NodeId> flagged) {
  ++objects;
  root_ = root;
  workload_.reset();
  name_ = std::move(name);
  flagged_ = std::move(flagged);
  std::ranges::sort(flagged_);
  paths_.start(root_);
  own_.clear();
  ask_annotation(root_, checks(), own_);
  may_be_off_ = !own_.empty();
}

const Workload& CheckContext::workload() {
  if (workload_ == nullptr) {
    workload_ = std::make_shared<const Workload>(
        read_workload(root_, group_of(string_at(root_, "apiVersion")), string_at(root_, "kind")));
  }
  return *workload_;
}

/// By the object. The selection leaves out what the run turns off.
bool CheckContext::is_turned_off(const Check& check) const {
  return check.is_lint() && own_.is_off(check.name);
}

/// What the object asks for counts before what the run asks for, and for lints only: what the
/// API server refuses stays an error.
std::optional<Severity> CheckContext::asked_severity() const {
  if (check_->is_lint()) {
    if (const auto own = own_.of(check_->name)) return own;
  }
  if (surroundings_.severities == nullptr) return std::nullopt;
  return surroundings_.severities->of(check_->name);
}

/// A case that is less certain than the check as a whole has a lower severity: what comes of it is
/// less certain too.
void CheckContext::judge(Diagnostic& diagnostic, const FindingCase& found) const {
  const bool is_preview = check_->stage == Stage::Preview;
  const Severity natural = found.severity.value_or(diagnostic.severity);
  const bool is_lower = check_->is_lint() && natural < check_->severity;
  const auto asked = asked_severity();
  diagnostic.severity = asked.value_or(is_preview ? std::min(natural, Severity::Warning) : natural);
  diagnostic.found_by = {.check = check_->name,
                         .sentence = check_->sentence,
                         .severity = check_->severity,
                         .effect = is_lower ? std::min(check_->effect, Effect::Risky)
                                            : found.effect.value_or(check_->effect),
                         .preview = is_preview,
                         .asked = asked.has_value()};
}

Span CheckContext::place(View at) const {
  if (!at) return {};
  return is_of_file(at, origins_) ? heading(*at) : span_of_origin(*origins_, at->origin);
}

/// What we made has a place in a spec; a word in a script has none there.
Span CheckContext::place(const WordView& at) const {
  if (at && is_of_file(at, origins_) && surroundings_.sources != nullptr) {
    if (const auto span = place_of_word(at, *surroundings_.sources)) return *span;
  }
  return place(static_cast<View>(at));
}

bool CheckContext::is_flagged(View at) const {
  return at && std::ranges::binary_search(flagged_, at.id());
}

/// One line of a spec becomes many values; it is wrong once.
bool CheckContext::repeats(Span span, const std::string& message) {
  if (origins_ == nullptr || !span.known()) return false;
  for (const ReportedSpan& reported : reported_) {
    if (reported.span == span && (reported.message.empty() || reported.message == message))
      return true;
  }
  reported_.push_back({span, message});
  return false;
}

Diagnostic& CheckContext::report(DiagnosticKind kind, View at, std::string message, bool at_key,
                                 FindingCase found) {
  ++findings_;
  const bool is_of_other = at && root_ && &at.tree() != &root_.tree();  // a ConfigMap's text
  if (!is_of_other && is_flagged(at)) return suppressed_ = Diagnostic(kind, {}, {});
  Span span = place(at);
  if (origins_ == nullptr && at_key && at->key_span.known()) span = at->key_span;
  if (repeats(span, message)) return suppressed_ = Diagnostic(kind, {}, {});
  const bool names = kind == DiagnosticKind::BadName;  // what is named by a key
  if (names || at_key) span = key_span_of_origin(documents_, span, names ? at->text : at.key());
  Diagnostic diagnostic(kind, span, std::move(message));
  judge(diagnostic, found);
  std::string path;
  if (is_of_other) {
    FindingPaths paths;
    paths.start(View(at.tree(), at.tree().root()));
    if (paths.find(at.id(), path)) diagnostic.at(std::move(path));
  } else if (paths_.find(at.id(), path)) {
    diagnostic.at(name_.empty() ? std::move(path) : name_ + ":" + path);
  }
  std::string note = "found by check `" + std::string(check_->name) + "`";
  if (!name_.empty()) note += " in the object that is made from this";
  diagnostic.note(std::move(note));
  return sink_.report(std::move(diagnostic));
}

Diagnostic& CheckContext::refuse(View at, std::string message) {
  if (check_->policy != nullptr)
    return policy(DiagnosticKind::PolicyBroken, at, std::move(message), false);
  return report(check_->refusal(), at, std::move(message), false);
}

Diagnostic& CheckContext::refuse_key(View at, std::string message) {
  if (check_->policy != nullptr)
    return policy(DiagnosticKind::PolicyBroken, at, std::move(message), true);
  return report(check_->refusal(), at, std::move(message), true);
}

Diagnostic& CheckContext::warn(View at, std::string message) {
  return report(DiagnosticKind::RunsWrong, at, std::move(message), false,
                {Severity::Warning, Effect::RunsWrong});
}

Diagnostic& CheckContext::lint(View at, std::string message) {
  return lint(at, std::move(message), check_->severity);
}

Diagnostic& CheckContext::lint(View at, std::string message, Severity severity) {
  Diagnostic& diagnostic =
      report(DiagnosticKind::RunsWrong, at, std::move(message), false, {severity});
  if (!check_->fix.empty()) diagnostic.note(std::string(check_->fix));
  return diagnostic;
}

Diagnostic& CheckContext::lint(const WordView& at, std::string message) {
  return lint(at, std::move(message), check_->severity);
}

Diagnostic& CheckContext::lint(const WordView& at, std::string message, Severity severity) {
  Diagnostic& diagnostic = lint(static_cast<View>(at), std::move(message), severity);
  if (diagnostic.span.known()) diagnostic.span = place(at);
  return diagnostic;
}

Diagnostic& CheckContext::policy(DiagnosticKind kind, View at, std::string message, bool at_key) {
  Diagnostic& diagnostic = report(kind, at, std::move(message), at_key, {check_->severity});
  if (!check_->fix.empty()) diagnostic.note(std::string(check_->fix));
  return diagnostic;
}

Diagnostic& CheckContext::credential(View at, std::string_view what, Severity severity) {
  Diagnostic& diagnostic =
      report(DiagnosticKind::CredentialLiteral, at,
             "this looks like " + std::string(what) + " in clear text", false, {severity});
  diagnostic.note(std::string(check_->fix));
  return diagnostic.redact(place(at));
}

void CheckContext::left_out(View at, std::string message) {
  sink_.report(Diagnostic(DiagnosticKind::LeftOut, place(at), std::move(message)));
}
Diagnostic& CheckContext::report_dropped_field(View at, std::string message) {
  return report(DiagnosticKind::DroppedField, at, std::move(message), true,
                {.effect = Effect::RunsWrong});
}

void CheckContext::name(View at, std::string_view what, Fault (*why_not)(std::string_view)) {
  const std::string_view text = string_of(at);
  if (text.empty()) return;
  if (const Fault fault = why_not(text)) {
    report(DiagnosticKind::BadName, at,
           "the " + std::string(what) + " name " + shown(text) + " " + *fault, false);
  }
}

void CheckContext::check_pending_reference(View at, std::string_view what,
                                           Fault (*why_not)(std::string_view)) {
  if (origins_ != nullptr) return name(at, what, why_not);
  const std::string_view text = string_of(at);
  const Fault fault = text.empty() ? std::nullopt : why_not(text);
  if (!fault) return;
  report(DiagnosticKind::BadReference, at,
         "there can be no " + std::string(what) + " " + shown(text) + ": its name " + *fault, false,
         {.effect = Effect::NeverRuns})
      .note("the pod is accepted, and waits for it for ever");
}

void CheckContext::allow(View at, std::string_view what,
                         std::span<const std::string_view> allowed) {
  const std::string_view word = string_of(at);
  if (word.empty() || std::ranges::find(allowed, word) != allowed.end()) return;
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  Diagnostic& diagnostic =
      refuse(at, shown(word) + " is no " + std::string(what) + "; expected " + listed(names, "or"));
  const auto near = suggest(word, allowed);
  if (near && origins_ == nullptr) {
    diagnostic.fix(at->span, std::string(*near), "write `" + std::string(*near) + "`");
  }
}

void CheckContext::allow_written(View at, std::string_view what,
                                 std::span<const std::string_view> allowed) {
  const bool empty = at && at.kind() == Kind::String && at->text.empty();
  if (!empty) return allow(at, what, allowed);
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  refuse(at, "an empty text is no " + std::string(what) + "; expected " + listed(names, "or") +
                 ", or leave the field out");
}

}  // namespace trainyard
