#include "driver/validate/places_to_fill.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "driver/validate/placeholders.h"
#include "driver/validate/template_files.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestLine = 1000;  // a line may be the whole file

std::string_view line_of(std::string_view text) {
  text = text.substr(0, kLongestLine);
  return text.substr(0, text.find('\n'));
}

/// Faults of the text: what is wrong behind one says nothing.
bool is_of_text(DiagnosticKind kind) {
  return kind == DiagnosticKind::YamlSyntax || kind == DiagnosticKind::YamlTab ||
         kind == DiagnosticKind::NonStringKey;
}

/// The API server or the kubelet refuses the text; in a script `$NAME` is a variable.
bool shows_template(const Diagnostic& each) {
  constexpr auto kChecks = std::to_array<std::string_view>(
      {"image-name", "pod-references", "shell-syntax", "volume-contents"});
  if (std::ranges::find(kChecks, each.rule()) != kChecks.end()) return true;
  return each.kind != DiagnosticKind::RunsWrong && each.severity == Severity::Error;
}

/// What was refused: a key, a map or a value, and which signs tell that a value is none yet.
enum class Refused : std::uint8_t {
  Other,   // no value of the file
  Word,    // one of a few words: capitals are a wrong spelling
  Value,   // a text that has small letters, or a number
  Name,    // a name or an image, which has no blanks
  Secret,  // any text, in base64 or another format
};

Refused refused_by(const Diagnostic& each) {
  constexpr auto kChecks = std::to_array<std::string_view>(
      {"claim-spec", "pod-references", "service-ports", "service-type", "volume-contents"});
  if (each.rule() == "image-name") return Refused::Name;
  if (std::ranges::find(kChecks, each.rule()) != kChecks.end()) return Refused::Value;
  switch (each.kind) {
    case DiagnosticKind::BadFormat:
      return Refused::Secret;
    case DiagnosticKind::BadMetadata:
    case DiagnosticKind::BadName:
      return Refused::Name;
    case DiagnosticKind::BadQuantity:
    case DiagnosticKind::PatternMismatch:
    case DiagnosticKind::WrongType:
      return Refused::Value;
    case DiagnosticKind::BadLength:
    case DiagnosticKind::BadReference:
    case DiagnosticKind::NotInEnum:
    case DiagnosticKind::NullNotAllowed:
    case DiagnosticKind::RefusedObject:
    case DiagnosticKind::RefusedPod:
      return Refused::Word;
    default:
      return Refused::Other;
  }
}

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> words) {
  if (value.size() > 1 && (value.front() == '"' || value.front() == '\'')) {
    value = value.substr(1, value.size() - 2);
  }
  return std::ranges::find(words, value) != words.end();
}

/// Signs in a value that the API server refuses as it stands. `all` may have several lines.
bool is_for_reader(Refused refused, std::string_view value, std::string_view all) {
  const bool is_text = refused == Refused::Name || refused == Refused::Secret;
  if (has_word_for_reader(all) || is_one_of(value, {"..."})) return true;
  if (refused == Refused::Word) return false;
  if (is_in_capitals(value) || (is_text && is_mask(value))) return true;
  if (refused == Refused::Secret) {
    return contains(value, "base64") || contains(value, "encoded") || is_one_of(value, {"EXAMPLE"});
  }
  if (refused != Refused::Name) return false;
  return is_sentence(value) || contains(value, "{}") || is_one_of(value, {"NAME", "NAMESPACE"});
}

/// The same by the path of a file: what stands in a template need not look like a placeholder.
bool is_of_template(Refused refused, std::string_view value, std::string_view path) {
  if (refused == Refused::Other || refused == Refused::Word) return false;
  const bool is_named = is_named_as_template(path);
  const bool is_name = refused == Refused::Name;
  if (is_name && has_part_in_capitals(value, is_named || is_below_templates(path))) return true;
  return is_named && refused != Refused::Secret && contains(value, "_");
}

/// One scalar: `name: a` is a map.
bool is_scalar(std::string_view all) {
  return !all.starts_with('{') && !all.starts_with('[') && !contains(all, ": ");
}

}  // namespace

PlacesToFill::PlacesToFill(const SourceMap& sources, const std::vector<Diagnostic>& all)
    : sources_(sources) {
  std::map<FileId, bool> has_names_to_fill;
  for (const Diagnostic& each : all) {
    if (!each.span.known()) continue;
    if (is_left_empty(each, has_names_to_fill)) {
      files_[each.span.file].kinds.emplace(each.span.begin, each.kind);
      files_[each.span.file].is_form = true;
    }
    if (!shows_template(each)) continue;
    if (is_of_text(each.kind) && breaks_as_template(each.span)) {
      files_[each.span.file].breaks_text = true;
      files_[each.span.file].kinds.emplace(each.span.begin, each.kind);
    } else if (is_at_placeholder(each)) {
      Places& found = files_[each.span.file];
      found.kinds.emplace(each.span.begin, each.kind);
      found.for_program = found.for_program || has_placeholder(line_of(sources.text(each.span))) ||
                          is_named_as_template(sources.name(each.span.file));
    }
  }
}

bool PlacesToFill::folds(const Diagnostic& each, const std::set<FileId>& walked) const {
  if (!each.span.known()) return false;
  const auto found = files_.find(each.span.file);
  if (found == files_.end()) return false;
  const bool is_rendered = found->second.for_program || found->second.is_form;
  const bool may_come = each.severity != Severity::Error ||
                        (each.kind == DiagnosticKind::MissingField && !each.found_by.effect);
  const bool waits = may_come && is_rendered && walked.contains(each.span.file);
  return waits || found->second.breaks_text || found->second.is_form || is_at_placeholder(each);
}

std::size_t PlacesToFill::report(const std::set<FileId>& walked, Sink& sink) const {
  std::size_t documents = 0;
  for (const auto& [file, places] : files_) {
    const auto [first, kind] = *places.kinds.begin();
    const std::size_t count = places.kinds.size();
    const bool is_walked = walked.contains(file);
    Diagnostic made(is_walked ? DiagnosticKind::LeftToDo : kind, {file, first, first},
                    "a template: " + std::to_string(count) + (count == 1 ? " place" : " places") +
                        " must be filled in first; render it, and validate the result");
    if (!is_walked) made.severity = Severity::Error;
    sink.report(std::move(made));
    if (places.breaks_text) continue;
    std::size_t end = 0;  // of the document that was counted last
    for (const auto& [place, broken] : places.kinds) {
      if (end != 0 && place < end) continue;
      end = sources_.text(file).find("\n---", place);
      ++documents;
    }
  }
  return documents;
}

bool PlacesToFill::is_left_empty(const Diagnostic& each,
                                 std::map<FileId, bool>& has_names_to_fill) const {
  if (!is_below_templates(sources_.name(each.span.file))) return false;
  if (each.kind != DiagnosticKind::MissingField) {
    return each.kind == DiagnosticKind::NullNotAllowed;
  }
  const auto [file, is_new] = has_names_to_fill.try_emplace(each.span.file);
  if (is_new) file->second = has_empty_name(sources_.text(each.span.file));
  return file->second;
}

bool PlacesToFill::is_at_placeholder(const Diagnostic& each) const {
  const std::string_view text = sources_.text(each.span.file);
  const std::string_view all =
      text.substr(each.span.begin, each.span.end - each.span.begin).substr(0, kLongestLine);
  const std::string_view line = line_of(all);
  // A CRD refers to itself alone; tools resolve `$ref: python://...` in the source of one.
  if (each.kind == DiagnosticKind::BadSchema) return contains(line, "://");
  // In a script, `<NAME>` reads a file.
  if (each.rule() == "shell-syntax" && has_name_in_signs(text)) return true;
  if (has_placeholder(line)) return true;
  const Refused refused = refused_by(each);
  if (each.rule() == "image-name" && has_name_in_braces(line)) return true;
  const std::string_view behind = line_of(text.substr(each.span.end));
  if (refused == Refused::Other || !is_scalar(all)) return false;
  const std::size_t comment = behind.find('#');
  return is_for_reader(refused, line, all) ||
         is_of_template(refused, line, sources_.name(each.span.file)) ||
         (comment != behind.npos && asks_for_change(behind.substr(comment)));
}

bool PlacesToFill::breaks_as_template(Span at) {
  const std::string_view text = sources_.text(at.file);
  const std::size_t before = text.rfind('\n', at.begin == 0 ? 0 : at.begin - 1);
  std::size_t begin = before == text.npos || before == 0 ? 0 : text.rfind('\n', before - 1);
  if (begin == text.npos) begin = 0;
  const std::size_t end = std::min(text.find('\n', at.begin), begin + kLongestLine);
  const std::string_view lines = text.substr(begin, end - begin);
  if (has_placeholder(lines) || has_name_in_braces(lines)) return true;
  if (is_named_as_template(sources_.name(at.file))) return true;
  const auto [known, is_new] = templates_.try_emplace(at.file, false);
  if (is_new) known->second = has_engine(text) || has_capitals_for_reader(text);
  return known->second;
}

}  // namespace trainyard
