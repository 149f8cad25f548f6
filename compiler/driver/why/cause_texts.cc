#include "driver/why/cause_texts.h"

#include <utility>

#include "diag/glyph.h"
#include "driver/session/read_root.h"
#include "platform/platform.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostFiles = 256;

}  // namespace

void CauseTexts::need(const std::string& file) {
  if (files_.size() >= kMostFiles) return;
  const auto [known, is_new] = files_.try_emplace(file, kNoFile);
  if (is_new) known->second = read(file);
}

FileId CauseTexts::add(std::string_view name, std::string_view text) {
  return session_.sources.add(std::string(name), std::string(text));
}

std::optional<std::string> CauseTexts::line(const std::string& file, std::uint32_t line) {
  const auto known = files_.find(file);
  if (known == files_.end() || known->second == kNoFile) return std::nullopt;
  if (session_.sources.line(known->second, line).empty()) return std::nullopt;
  return this->line(known->second, line);
}

std::optional<std::string> CauseTexts::line(FileId file, std::uint32_t line, std::size_t longest) {
  if (file == kNoFile || line == 0 || line > session_.sources.line_count(file)) return std::nullopt;
  const std::string_view text = session_.sources.line(file, line);
  const auto begin = static_cast<std::size_t>(text.data() - session_.sources.text(file).data());
  return printable(redaction().source(file, {begin, begin + text.size()}).text, longest);
}

std::string CauseTexts::words(std::string_view text) {
  return printable(redaction().words(text), kLongestLine);
}

FileId CauseTexts::read(const std::string& file) {
  for (FileId id = 0; id < session_.sources.size(); ++id) {
    if (session_.sources.name(id) == file) return id;  // this run has read it
  }
  constexpr std::string_view kTemplates = "templates/";
  if (file.starts_with(kTemplates)) {
    const auto found = session_.templates.find(std::string_view(file).substr(kTemplates.size()));
    if (found) return session_.sources.add_view(file, found->text);
  }
  if (const auto text = session_.templates.text_of(file)) {
    return session_.sources.add(file, std::string(*text));
  }
  if (auto outside = outside_root(session_, asked_, file, {})) {
    outside->severity = Severity::Warning;
    outside->note("the map of causes names the file; its lines are not shown");
    session_.sink.report(std::move(*outside));
    return kNoFile;
  }
  FileRead read = session_.env.files.read(file, session_.limits.bytes);
  return read.error ? kNoFile : session_.sources.add(file, std::move(read.text));
}

const Redaction& CauseTexts::redaction() {
  if (redaction_) return *redaction_;
  std::vector<Diagnostic> all;
  for (FileId id = 0; id < session_.sources.size(); ++id) {
    if (session_.sources.is_builtin(id)) continue;
    all.emplace_back(DiagnosticKind::NothingThere, Span{id, 0, 0}, "");
  }
  return redaction_.emplace(all, session_.sources);
}

std::string_view sentence_of_rule(std::string_view name) {
  if (const Rule* rule = find_rule(name)) return rule->sentence;
  const PlatformStep* step = find_platform_step(name);
  return step == nullptr ? std::string_view() : step->sentence;
}

}  // namespace trainyard
