#include "driver/session/config.h"

#include <algorithm>
#include <set>

#include "check/check.h"
#include "check/check_selectors.h"
#include "check/retired.h"
#include "check/severity_list.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/session/inputs.h"
#include "driver/session/read_root.h"
#include "rules/rule_context.h"
#include "spec/credential_literals.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kHighest = 4096;  // folders above one another: longer paths no system has

std::string parent_of(std::string_view folder) {
  if (folder.empty()) return "../";
  if (folder == "/" || folder.ends_with("../")) {
    return folder == "/" ? std::string() : std::string(folder) + "../";
  }
  if (folder == "./") return "../";
  folder.remove_suffix(1);
  return folder_of(folder);
}

std::string start_of(const std::string& input, Env& env) {
  if (input == "-") return {};
  if (!env.files.is_directory(input)) return folder_of(input);
  return input.ends_with('/') ? input : input + '/';
}

void unknown_check(Session& session, std::string_view selector, Span place) {
  if (const std::string_view why = why_retired(selector); !why.empty()) {
    Diagnostic note(DiagnosticKind::UnknownCheck, place,
                    "check " + shown(selector) + " is gone: " + std::string(why));
    note.severity = Severity::Note;
    session.sink.report(std::move(note));
    return;
  }
  Diagnostic& report = session.sink.report(DiagnosticKind::UnknownCheck, place,
                                           "there is no check " + shown(selector));
  const auto known = selector_words(session.policies.checks());
  const auto near = suggest_whole(selector, known);
  const std::string likely = guess(selector, known);
  if (near && place.known()) {
    report.fix(place, std::string(*near), "write " + code(*near));
  } else if (!likely.empty()) {
    report.note(likely);
  } else {
    report.note("`trainyard list checks` shows all");
  }
}

/// A name of an earlier release means all of the check that took it in.
void old_name(Session& session, const AskedCheck& asked) {
  const std::string_view now = current_name(asked.selector);
  if (now == asked.selector) return;
  Diagnostic note(DiagnosticKind::UnknownCheck, asked.selector_at,
                  "check " + shown(asked.selector) + " is part of " + shown(now) +
                      ", which this sets as a whole");
  note.severity = Severity::Note;
  if (asked.selector_at.known()) {
    note.fix(asked.selector_at, std::string(now), "write " + code(now));
  }
  session.sink.report(std::move(note));
}

/// YAML 1.1 takes a plain `off` or `on` for the boolean.
std::string_view severity_word(View entry) {
  if (entry->kind == Kind::Bool) return entry->text == "false" ? "off" : "on";
  return entry->kind == Kind::String ? entry->text : std::string_view();
}

/// Says what a choice turns down that the cluster refuses all the same.
void tell_lowered(Session& session, const AskedCheck& asked,
                  const std::vector<const Check*>& checks) {
  const SeverityOverride& choice = asked.choice;
  const bool is_lower = !choice.on || choice.severity.value_or(Severity::Error) != Severity::Error;
  const auto refusals = std::ranges::count_if(
      checks, [](const Check* each) { return !each->is_lint() && !each->opt_in; });
  if (!is_lower || refusals == 0) return;
  const bool is_name = checks.size() == 1;
  const std::string what = is_name ? "check " + code(asked.selector) + " is"
                                   : counted(static_cast<std::uint32_t>(refusals), "check") +
                                         " of " + code(asked.selector) + " are";
  session.sink.report(DiagnosticKind::CheckLowered, asked.word_at,
                      what +
                          (!choice.on ? " off"
                           : is_name  ? " no error here"
                                      : " no errors here") +
                          ", though the API server or a controller refuses what " +
                          (is_name ? "it finds" : "they find"));
}

void note_asked(Session& session, AskedCheck asked) {
  if (parse_severity_override(asked.word, asked.choice)) {
    session.asked_checks.push_back(std::move(asked));
    return;
  }
  session.sink.report(DiagnosticKind::NotInEnum, asked.word_at,
                      "the severity of " + shown(asked.selector) + " is " +
                          (asked.word.empty() ? "missing" : shown(asked.word)) + "; expected " +
                          std::string(kSeverityWords));
}

/// What a config file asks of checks.
void note_asked_checks(Session& session, const ConfigFile& file) {
  if (!file.config.checks) return;
  for (View entry : Items(View(file.tree, file.config.checks.node))) {
    note_asked(session, {.selector = std::string(entry.key()),
                         .word = std::string(severity_word(entry)),
                         .selector_at = entry->key_span,
                         .word_at = entry->span});
  }
}

/// The files that a config file names, where they may be read.
class NamedFiles {
 public:
  NamedFiles(Session& session, const ConfigFile& file) : session_(session), file_(file) {}

  void add(const Text& name, std::vector<std::string>& paths) {
    if (const auto path = file(name)) paths.push_back(*path);
  }

  std::optional<std::string> file(const Text& name) {
    const std::string written(*name);
    const std::string path = written.starts_with('/') ? written : folder_of(file_.path) + written;
    if (!may_read(session_, file_.path, path, name.span)) return std::nullopt;
    // A reader treats it as a file that the command line names, and would wait for a FIFO.
    const FileRead tried = session_.env.files.read(path, 0);
    if (tried.error && tried.error->reason == FileError::Reason::NotAFile) {
      session_.sink.report(DiagnosticKind::FileUnreadable, name.span,
                           shown(path) + ": " + tried.error->message);
      return std::nullopt;
    }
    return path;
  }

 private:
  Session& session_;
  const ConfigFile& file_;
};

}  // namespace

void note_asked_checks(Session& session, std::string_view list) {
  each_severity_override(list, [&](std::string_view selector, std::string_view word) {
    note_asked(session, {.selector = std::string(selector), .word = std::string(word), .round = 1});
  });
}

void ask_checks(Session& session) {
  const CheckTables tables = session.policies.checks();
  for (AskedCheck& each : session.asked_checks) {
    if (each.is_known) continue;
    const std::vector<const Check*> checks = selected(tables, each.selector);
    each.is_known = !checks.empty();
    tell_lowered(session, each, checks);
  }
  for (std::size_t round : {std::size_t{0}, std::size_t{1}}) {
    std::vector<CheckChoice> choices;
    for (const AskedCheck& each : session.asked_checks) {
      if (each.round == round) choices.push_back({each.selector, each.choice});
    }
    ask(choices, tables, session.severities);
  }
}

void report_unknown_checks(Session& session) {
  for (AskedCheck& each : session.asked_checks) {
    if (!each.is_known) {
      unknown_check(session, each.selector, each.selector_at);
      continue;
    }
    old_name(session, each);
    each.selector = current_name(each.selector);
  }
  std::erase_if(session.asked_checks, [](const AskedCheck& each) { return !each.is_known; });
}

std::string find_above(const std::string& input, std::string_view name, Env& env,
                       ReadRoots& roots) {
  std::string folder = start_of(input, env);
  const ReadRoot top{ReadRoot::Sort::Folder, roots.top_of_search(folder)};
  for (std::size_t i = 0; i < kHighest; ++i) {
    const auto& real = roots.real_path(folder.empty() ? "." : folder);
    if (!real || !top.holds(*real)) break;
    const std::string path = folder + std::string(name);
    if (env.files.exists(path)) return path;
    if (*real == top.path) break;
    folder = parent_of(folder);
  }
  return {};
}

std::string find_config(const std::vector<std::string>& inputs, Env& env) {
  ReadRoots roots(env);
  return find_above(inputs.empty() ? "-" : inputs.front(), kConfigName, env, roots);
}

void report_ignored_config(const std::string& path, Env& env, Sink& sink) {
  if (!env.config || env.files.real_path(path).value_or(path) == *env.config) return;
  const std::string folder = folder_of(path);
  sink.report(
          DiagnosticKind::ConfigIgnored, {},
          code(path) + " does not count: one run reads one config file, that of its first input")
      .note("a run for " + code(folder.empty() ? "." : folder) + " alone reads it");
}

void note_config(const std::vector<std::string>& inputs, const std::string& found, Env& env,
                 Sink& sink) {
  env.config = found.empty() ? "" : env.files.real_path(found).value_or(found);
  ReadRoots roots(env);
  std::set<std::string> folders;
  std::set<std::string> told;
  for (const std::string& input : inputs) {
    if (input == "-" || env.files.is_directory(input) || !folders.insert(folder_of(input)).second) {
      continue;
    }
    const std::string nearest = find_above(input, kConfigName, env, roots);
    if (!nearest.empty() && told.insert(nearest).second) report_ignored_config(nearest, env, sink);
  }
}

std::unique_ptr<ConfigFile> read_config(Session& session, const std::string& path,
                                        NamedBy named_by) {
  const std::size_t errors = session.sink.error_count();
  if (named_by == NamedBy::Document && !may_read(session, path, path, {})) return nullptr;
  const FileId file =
      read_source(path, session.env, session.sources, session.sink, session.limits, named_by);
  if (session.sink.error_count() != errors) return nullptr;
  Sink reading;
  std::vector<Tree> documents =
      read_yaml(session.sources, file, reading, session.limits, Ambiguity::Kubernetes);
  for (const Diagnostic& each : reading.all()) {
    const bool empty = each.kind == DiagnosticKind::EmptyDocument;  // it wants nothing
    if (!empty) session.sink.report(each);
  }
  if (session.sink.error_count() != errors) return nullptr;
  auto result = std::make_unique<ConfigFile>();
  result->path = path;
  if (documents.empty()) return result;
  result->tree = std::move(documents.front());
  const NodeId root = result->tree.root();
  if (root == kNoNode || result->tree[root].kind == Kind::Null) return result;
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Config");
  report(session.checker.check(kind->schema, result->tree, root), result->tree, {}, session.sink);
  refuse_credentials(result->tree, root, session.sink);
  if (session.sink.error_count() != errors) return nullptr;
  result->config = decode_config(result->tree, root, session.sink);
  return session.sink.error_count() == errors ? std::move(result) : nullptr;
}

void apply_config(Session& session, const ConfigFile& file, RunSettings& settings) {
  const Config& config = file.config;
  note_asked_checks(session, file);
  NamedFiles named(session, file);
  if (settings.cluster.empty() && config.cluster) {
    settings.cluster = named.file(config.cluster).value_or(std::string());
  }
  if (settings.target.empty() && config.target) settings.target = *config.target;
  if (settings.kubernetes.empty() && config.kubernetes_version) {
    settings.kubernetes = *config.kubernetes_version;
  }
  for (const Text& each : *config.schemas) named.add(each, settings.schemas);
  for (const Text& each : *config.policies) named.add(each, settings.policies);
  if (settings.fail_on.empty() && config.fail_on) settings.fail_on = word(*config.fail_on);
  if (config.strict.value_or(false)) settings.fail_on = word(Effect::Style);
  settings.ignore_unknown_kinds =
      settings.ignore_unknown_kinds || config.ignore_unknown_kinds.value_or(false);
  const std::string folder = folder_of(file.path);
  std::string base = session.env.files.real_path(folder.empty() ? "." : folder).value_or(folder);
  if (!base.empty() && !base.ends_with('/')) base += '/';
  for (const Text& each : *config.exclude) {
    session.env.excluded.push_back(base + std::string(*each));
  }
}

}  // namespace trainyard
