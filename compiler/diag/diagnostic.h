#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/effect.h"
#include "diag/kind.h"
#include "source/span.h"

namespace trainyard {

/// A place that explains the main one.
struct Label {
  Span span;
  std::string text;
};

/// A change to the source that very likely is what was meant.
struct Fix {
  Span span;  // what to replace; empty to insert
  std::string replacement;
  std::string text;  // "write `gpusPerNode`"
};

/// The named check of manifests that found something; `trainyard explain check NAME` tells more.
struct FoundBy {
  std::string_view check;               // its name, kebab-case; empty when it is none of them
  std::string_view sentence;            // what it makes sure of
  Severity severity = Severity::Error;  // unless the user asks for another
  std::optional<Effect> effect = {};    // nothing where only the severity is known
  bool preview = false;                 // no reason to fail
  bool asked = false;                   // the user has asked for this severity
};

/// What is wrong, where, why, and what would be right.
///
/// Messages are lower case, without a full stop, with code in backticks; they say what was found
/// before what might mend it.
struct Diagnostic {
  DiagnosticKind kind;
  Severity severity;
  std::string message;
  Span span;          // the narrowest text that is wrong; unknown for the command line
  std::string label;  // printed beside the caret; may be empty
  std::string path;   // field path in the document, `spec.run.args[0]`; may be empty
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::vector<Fix> fixes;
  std::vector<Span> secrets;  // source text that no renderer may show, in any diagnostic
  FoundBy found_by;

  Diagnostic(DiagnosticKind what, Span where, std::string text)
      : kind(what), severity(info(what).severity), message(std::move(text)), span(where) {}

  [[gnu::cold]] Diagnostic& with_label(std::string text) {
    label = std::move(text);
    return *this;
  }
  [[gnu::cold]] Diagnostic& at(std::string field_path) {
    path = std::move(field_path);
    return *this;
  }
  [[gnu::cold]] Diagnostic& also(Span where, std::string text) {
    labels.push_back({where, std::move(text)});
    return *this;
  }
  [[gnu::cold]] Diagnostic& note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  [[gnu::cold]] Diagnostic& fix(Span where, std::string replacement, std::string text) {
    fixes.push_back({where, std::move(replacement), std::move(text)});
    return *this;
  }
  Diagnostic& redact(Span where) {
    secrets.push_back(where);
    return *this;
  }
  /// What comes of it, or what its severity says of that.
  Effect effect() const {
    if (found_by.effect) return *found_by.effect;
    return severity == Severity::Error     ? Effect::Refused
           : severity == Severity::Warning ? Effect::Risky
                                           : Effect::Style;
  }
  /// What other programs sort and silence it by: the check, or else the kind.
  std::string_view rule() const {
    return found_by.check.empty() ? info(kind).name : found_by.check;
  }
};

}  // namespace trainyard
