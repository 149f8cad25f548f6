#include "cluster/connect/kubeconfig.h"

#include <algorithm>
#include <array>
#include <utility>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "tree/node_words.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestFile = 16 * 1024 * 1024;

constexpr std::array<std::string_view, 7> kSecretKeys = {
    "token",         "password",      "client-key-data", "id-token",
    "refresh-token", "client-secret", "access-token"};

/// Takes the items of one of the three lists.
void take_entries(View document, std::string_view list, std::string_view body,
                  const std::string& folder, KubeconfigEntries& into, KubeconfigSink& sink) {
  KubeconfigFields fields(document, sink);
  for (const View item : Items(fields.list(list))) {
    if (!item->is_map()) {
      sink.report(DiagnosticKind::WrongType, item->span,
                  "an item of `" + std::string(list) + "` is a map with `name` and `" +
                      std::string(body) + "`, not " + described(*item));
      continue;
    }
    KubeconfigFields entry(item, sink);
    std::string name = entry.text("name");
    const View value = entry.map(body);
    if (name.empty() && !entry.has("name")) {
      sink.report(DiagnosticKind::MissingField, item->span,
                  "an item of `" + std::string(list) + "` has no `name`");
    }
    if (name.empty()) continue;
    into.try_emplace(std::move(name), KubeconfigEntry{item["name"], value, folder});
  }
}

void take_document(Tree document, const std::string& folder, Kubeconfig& config,
                   KubeconfigSink& sink) {
  const Tree& tree = config.trees.emplace_back(std::move(document));
  const View root(tree, tree.root());
  if (!root->is_map()) {
    sink.report(DiagnosticKind::WrongType, root->span,
                "a kubeconfig is a map with `clusters`, `users` and `contexts`, not " +
                    word_with_article(root.kind()));
    return;
  }
  sink.hide_secrets(root);
  KubeconfigFields fields(root, sink);
  const std::string kind = fields.text("kind");
  if (!kind.empty() && kind != "Config") {
    sink.report(DiagnosticKind::NotInEnum, root["kind"]->span,
                "a kubeconfig has `kind: Config`, and this is " + shown(kind));
    return;
  }
  take_entries(root, "clusters", "cluster", folder, config.clusters, sink);
  take_entries(root, "users", "user", folder, config.users, sink);
  take_entries(root, "contexts", "context", folder, config.contexts, sink);
  const std::string current = fields.text("current-context");
  if (!config.current_context && !current.empty()) config.current_context = root["current-context"];
}

/// Without what stands in backticks, which may be any part of the file.
std::string without_quotes(std::string_view message) {
  std::string result;
  bool is_quote = false;
  for (const char each : message) {
    if (each == '`') is_quote = !is_quote;
    if (each == '`' && is_quote) result += "`••••";
    if (!is_quote) result += each;
  }
  return result;
}

/// Reads the YAML of a kubeconfig. What is no YAML may hold a secret anywhere.
std::vector<Tree> read_hidden_yaml(SourceMap& sources, FileId file, Sink& sink) {
  Sink found;
  std::vector<Tree> documents = read_yaml(sources, file, found, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& each : found.sorted()) {
    sink.report(each.kind, each.span, without_quotes(each.message)).severity = each.severity;
  }
  return documents;
}

}  // namespace

void KubeconfigSink::hide_secrets(View value) {
  for (const View each : Items(value)) {
    const bool is_secret = std::ranges::find(kSecretKeys, each.key()) != kSecretKeys.end();
    if (is_secret && each.is_scalar() && each->span.size() > 0) secrets_.push_back(each->span);
    hide_secrets(each);
  }
}

Diagnostic& KubeconfigSink::report(DiagnosticKind kind, Span span, std::string message) {
  Diagnostic& made = sink_.report(kind, span, std::move(message));
  for (const Span each : secrets_) made.redact(each);
  return made;
}

View KubeconfigFields::value(std::string_view key, Kind kind, std::string_view wanted) {
  const View found = get(map_, key);
  if (!found || found.kind() == kind) return found;
  sink_.report(DiagnosticKind::WrongType, found->span,
               "`" + std::string(key) + "` is " + std::string(wanted) + ", not " +
                   (found.is_scalar() ? word_with_article(found.kind()) : described(*found)));
  return {};
}

std::string KubeconfigFields::text(std::string_view key) {
  return std::string(value(key, Kind::String, "a text").text());
}

bool KubeconfigFields::truth(std::string_view key) {
  return is_true(value(key, Kind::Bool, "true or false"));
}

View KubeconfigFields::list(std::string_view key) {
  return value(key, Kind::Seq, "a list");
}

View KubeconfigFields::map(std::string_view key) {
  return value(key, Kind::Map, "a map");
}

std::vector<std::string> KubeconfigFields::texts(std::string_view key) {
  std::vector<std::string> result;
  for (const View each : Items(list(key))) {
    if (each.kind() == Kind::String) {
      result.emplace_back(each.text());
    } else {
      sink_.report(DiagnosticKind::WrongType, each->span,
                   "an item of `" + std::string(key) + "` is a text, not " +
                       (each.is_scalar() ? word_with_article(each.kind()) : described(*each)));
    }
  }
  return result;
}

bool KubeconfigFields::has(std::string_view key) const {
  return static_cast<bool>(get(map_, key));
}

Span KubeconfigFields::span(std::string_view key) const {
  const View found = get(map_, key);
  return found ? found->span : map_ ? map_->span : Span();
}

std::string folder_of_kubeconfig(std::string_view path) {
  const std::size_t end = path.rfind('/');
  return end == path.npos ? "" : std::string(path.substr(0, std::max<std::size_t>(end, 1)));
}

std::string path_from(const std::string& folder, const std::string& path) {
  if (path.empty() || path.starts_with('/') || folder.empty()) return path;
  return folder + (folder.ends_with('/') ? "" : "/") + path;
}

Kubeconfig read_kubeconfigs(const std::vector<std::string>& paths, bool required,
                            LocalMachine& machine, SourceMap& sources, KubeconfigSink& sink) {
  Kubeconfig config;
  for (const std::string& path : paths) {
    FileRead file = machine.files.read(path, kLongestFile, Accept::Stream);
    if (file.error) {
      const bool missing = file.error->reason == FileError::Reason::NotFound;
      if (missing && !required) continue;
      sink.report(missing ? DiagnosticKind::FileNotFound : DiagnosticKind::FileUnreadable, {},
                  "cannot read the kubeconfig " + foreign_text(path) + ": " + file.error->message);
      continue;
    }
    config.files.push_back(path);
    const FileId id = sources.add_hidden(path, std::move(file.text));
    const std::size_t errors = sink.sink().error_count();
    std::vector<Tree> documents = read_hidden_yaml(sources, id, sink.sink());
    config.is_broken = config.is_broken || sink.sink().error_count() > errors;
    for (Tree& each : documents) {
      take_document(std::move(each), folder_of_kubeconfig(path), config, sink);
    }
  }
  return config;
}

}  // namespace trainyard
