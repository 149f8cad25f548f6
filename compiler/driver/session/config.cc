#include "driver/session/config.h"

#include <algorithm>

#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/session/all_checks.h"
#include "driver/session/inputs.h"
#include "driver/session/read_root.h"
#include "rules/rule_context.h"
#include "spec/credential_literals.h"

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

void unknown_check(Session& session, View entry) {
  Diagnostic& report = session.sink.report(DiagnosticKind::UnknownCheck, entry->key_span,
                                           "there is no check " + code(entry->key));
  std::vector<std::string_view> names;
  for (const std::span<const Check>& table : all_checks()) {
    for (const Check& check : table) names.push_back(check.name);
  }
  if (const auto near = suggest(entry->key, names)) {
    report.fix(entry->key_span, std::string(*near), "write " + code(*near));
  } else {
    report.note("`trainyard list checks` shows all");
  }
}

/// YAML 1.1 takes a plain `off` for the boolean.
std::string_view severity_word(View entry) {
  if (entry->kind == Kind::Bool && entry->text == "false") return "off";
  return entry->kind == Kind::String ? entry->text : std::string_view();
}

void take_check(Session& session, View entry) {
  const Check* check = find_check(entry->key);
  if (check == nullptr) return unknown_check(session, entry);
  Severities::Wish wish;
  const std::string_view word = severity_word(entry);
  if (!read_wish(word, wish)) {
    session.sink.report(DiagnosticKind::NotInEnum, entry->span,
                        "the severity of " + code(entry->key) + " is " +
                            (word.empty() ? "missing" : code(word)) + "; expected " +
                            std::string(kWishWords));
    return;
  }
  session.severities.set(std::string(entry->key), wish);
  if (check->is_lint() || wish == Severity::Error) return;
  session.sink.report(DiagnosticKind::CheckLowered, entry->span,
                      "check " + code(entry->key) + (wish ? " is no error here" : " is off") +
                          ", though the API server or a controller refuses what it finds");
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
  if (config.checks) {
    for (NodeId id : file.tree.children(config.checks.node)) {
      take_check(session, View(file.tree, id));
    }
  }
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
  settings.strict = settings.strict || config.strict.value_or(false);
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
