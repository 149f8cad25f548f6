#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "admission/tables.h"
#include "check/check.h"
#include "diag/sink.h"
#include "diag/words.h"
#include "manifest/secret_sources.h"
#include "schema/names.h"
#include "shell/word_view.h"
#include "source/characters.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool holds_any(std::string_view text, std::span<const std::string_view> marks) {
  return std::ranges::any_of(marks,
                             [&](std::string_view mark) { return text.find(mark) != text.npos; });
}

bool is_word_letter(char c) {
  return is_letter(c) || c == '_';
}

/// `$NAME`, `@NAME@`, `%NAME%`, `<NAME>`, `__NAME__` and the like: for envsubst, sed and others.
bool has_placeholder(std::string_view text) {
  for (std::size_t at = text.find_first_of("$@%<_"); at != text.npos;
       at = text.find_first_of("$@%<_", at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_word_letter(text[end])) ++end;
    if (text[at] == '_') {
      const std::string_view word = text.substr(at, end - at);
      if (word.ends_with('_') && word.find("__") != word.npos) return true;
      at = end - 1;
      continue;
    }
    if (end == at + 1) continue;
    if (text[at] == '$') return true;
    const char last = text[at] == '<' ? '>' : text[at];
    if (end < text.size() && text[end] == last) return true;
  }
  return false;
}

bool is_template(std::string_view text) {
  constexpr auto marks = std::to_array<std::string_view>(
      {"{{", "{%", "<%", "[[ ", "${", "$(", "@@", "%(", "%s", "%d"});
  return holds_any(text, marks) || has_placeholder(text);
}

/// Lines that some readers of JSON pass over, and that others refuse.
bool has_comments(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.starts_with("//") || line.starts_with("/*") || line.starts_with('#')) return true;
  }
  return false;
}

/// DeepSpeed reads its settings as Hjson, where commas are free: deepspeedai/DeepSpeed
/// deepspeed/runtime/config.py. Others hand the same file to a reader of plain JSON.
bool is_for_deepspeed(std::string_view text) {
  constexpr auto keys = std::to_array<std::string_view>(
      {"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"});
  return holds_any(text, keys);
}

struct FileFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string what;
};

std::optional<Span> json_fault(std::string_view text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("", std::string(text));
  if (read_json(sources, file, sink)) return std::nullopt;
  const Diagnostic& first = sink.all().front();
  if (first.kind != DiagnosticKind::YamlSyntax) return std::nullopt;
  return first.span;
}

std::optional<FileFault> fault_of_json(std::string_view text) {
  const auto span = json_fault(text);
  if (!span || has_comments(text)) return std::nullopt;
  const std::size_t end = std::min<std::size_t>(span->end, text.size());
  const std::size_t at = end == 0 ? 0 : end - 1;
  const std::string_view before = text.substr(0, text.find_last_not_of(kBlanks, at - 1) + 1);
  if (at == 0 || before.empty()) return std::nullopt;  // no JSON at all: another format
  if (span->end > text.size()) {
    return FileFault{before.size() - 1, before.size(), "it ends before all brackets are closed"};
  }
  if (is_for_deepspeed(text)) return std::nullopt;
  if (!json_fault(before)) return std::nullopt;  // one value behind another: JSON lines
  std::size_t begin = at;                        // a word is complete at its end
  if (text[at] == '/' || text[at] == '#') return std::nullopt;  // a comment
  while (begin > 0 && is_word_letter(text[begin]) && is_word_letter(text[begin - 1])) --begin;
  if (text[begin] == 'N' || text[begin] == 'I') return std::nullopt;  // Python's NaN and Infinity
  const std::string found = shown(text.substr(begin, end - begin));
  const bool is_behind_comma = before.ends_with(',') && (text[at] == '}' || text[at] == ']');
  return FileFault{
      begin, end,
      is_behind_comma ? "there is a comma in front of " + found : "unexpected " + found};
}

std::optional<FileFault> fault_of_yaml(std::string_view text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("", std::string(text));
  read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  for (const Diagnostic& each : sink.all()) {
    if (each.kind != DiagnosticKind::YamlSyntax && each.kind != DiagnosticKind::YamlTab) continue;
    return FileFault{each.span.begin, each.span.end, each.message};
  }
  return std::nullopt;
}

/// Settings of editors and compilers, whose readers take comments and commas at the end.
bool may_have_comments(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>(
      {"settings.json", "launch.json", "tasks.json", "extensions.json", "keybindings.json",
       "devcontainer.json", "argv.json"});
  return std::ranges::find(names, name) != names.end() || name.starts_with("tsconfig") ||
         name.starts_with("jsconfig");
}

void json_text(View config, CheckContext& context) {
  const std::string_view text = string_of(config);
  if (text.find_first_not_of(kBlanks) == text.npos || is_template(text)) return;
  const auto fault = fault_of_json(text);
  if (!fault) return;
  context.lint(WordView(config, fault->begin, fault->end),
               shown(config.key()) + " is no JSON: " + fault->what);
}

/// k8snetworkplumbingwg/multus-cni pkg/types/conf.go LoadDelegateNetConf;
/// k8snetworkplumbingwg/sriov-network-operator api/v1/helper.go RenderNetAttDef
void network_config(View network, CheckContext& context) {
  const View spec = get(network, "spec");
  if (string_at(network, "kind") == "NicClusterPolicy") {
    for (std::string_view plugin : {"rdmaSharedDevicePlugin", "sriovDevicePlugin"}) {
      json_text(get(get(spec, plugin), "config"), context);
    }
    return;
  }
  const View whole = get(spec, "config");
  json_text(whole ? whole : get(spec, "ipam"), context);
}

/// Files in a ConfigMap that by their names are JSON or YAML, and by their text are not. Templates,
/// which something else fills first, are left alone.
void check_config_files(View config_map, CheckContext& context) {
  if (string_at(config_map, "kind") != "ConfigMap") {
    network_config(config_map, context);
    return;
  }
  for (View entry : entries_at(config_map, "data")) {
    const std::string_view name = entry.key();
    const bool is_json = name.ends_with(".json") && !may_have_comments(name);
    if (!is_json && !name.ends_with(".yaml") && !name.ends_with(".yml")) continue;
    const std::string_view text = string_of(entry);
    if (text.find_first_not_of(kBlanks) == text.npos || is_template(text)) continue;
    const auto fault = is_json ? fault_of_json(text) : fault_of_yaml(text);
    if (!fault) continue;
    context.lint(WordView(entry, fault->begin, fault->end),
                 shown(name) + (is_json ? " is no JSON: " : " is no YAML: ") + fault->what);
  }
}

constexpr std::string_view kConfigSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateConfigMap";
constexpr std::string_view kSecretSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateSecret";

/// Bytes that a base64 text stands for.
std::size_t decoded_size(std::string_view text) {
  std::size_t characters = 0;
  for (char c : text) {
    if (c != '\n' && c != '\r' && c != '=') ++characters;
  }
  return characters * 3 / 4;
}

void keys(View map, CheckContext& context) {
  if (!map || !map->is_map()) return;
  for (View entry : Items(map)) {
    if (const Fault fault = why_not_config_key(entry.key())) {
      context.refuse_key(entry, "key " + shown(entry.key()) + " " + *fault);
    }
  }
}

void too_large(View at, std::size_t bytes, std::string_view what, CheckContext& context) {
  if (bytes <= kConfigMapBytes) return;
  context.refuse(at, "a " + std::string(what) + " holds at most " +
                         std::to_string(kConfigMapBytes) + " bytes, not " + std::to_string(bytes));
}

void config_map(View object, CheckContext& context) {
  const View data = get(object, "data");
  const View binary = get(object, "binaryData");
  keys(data, context);
  keys(binary, context);
  std::size_t bytes = 0;
  for (View entry : entries_at(object, "data")) {
    bytes += entry->text.size();
    if (const View other = get(binary, entry.key())) {
      context.refuse_key(other, "key " + shown(entry.key()) + " stands in `data` already")
          .also(context.place(entry), "the one in `data`");
    }
  }
  for (View entry : entries_at(object, "binaryData")) bytes += decoded_size(entry->text);
  too_large(data ? data : binary, bytes, "ConfigMap", context);
}

void secret_data(View object, CheckContext& context) {
  const View data = get(object, "data");
  const View texts = get(object, "stringData");
  keys(data, context);
  keys(texts, context);
  std::size_t bytes = 0;
  for (View entry : entries_at(object, "stringData")) bytes += entry->text.size();
  for (View entry : entries_at(object, "data")) {
    if (!get(texts, entry.key())) bytes += decoded_size(entry->text);
  }
  too_large(data ? data : texts, bytes, "Secret", context);
}

/// A type of Secret that holds a login of a registry.
struct LoginType {
  std::string_view type;
  std::string_view key;
};
constexpr LoginType kLoginTypes[] = {
    {"kubernetes.io/dockercfg", ".dockercfg"},
    {"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
};

/// Bytes behind a base64 text without faults; line ends in it do not count.
std::string decoded(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    int value = 0;
    if (is_upper(c)) {
      value = c - 'A';
    } else if (is_lower(c)) {
      value = c - 'a' + 26;
    } else if (is_digit(c)) {
      value = c - '0' + 52;
    } else if (c == '+') {
      value = 62;
    } else if (c == '/') {
      value = 63;
    } else {
      continue;
    }
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
  }
  return bytes;
}

bool is_json_map(std::string text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("secret", std::move(text));
  const auto tree = read_json(sources, file, sink);
  return tree && (*tree)[tree->root()].is_map();
}

/// What the kubelet logs in to a registry with. Its text is never shown.
void registry_login(View object, CheckContext& context) {
  const std::string_view type = string_at(object, "type");
  if (is_encrypted_by_sops(object)) return;
  for (const LoginType& row : kLoginTypes) {
    if (row.type != type) continue;
    const View plain = get(get(object, "stringData"), row.key);
    const View encoded = get(get(object, "data"), row.key);
    const View at = plain ? plain : encoded;
    if (!at || at.kind() != Kind::String) continue;
    if (is_json_map(plain ? std::string(plain->text) : decoded(encoded->text))) continue;
    context.refuse(at, shown(row.key) + " of a Secret of type " + shown(type) +
                           " holds no JSON object; expected one such as `{\"auths\": {...}}`" +
                           (plain ? "" : ", in base64"));
  }
}

constexpr Check kChecks[] = {
    {.name = "config-map",
     .group = CheckGroup::Core,
     .on = "core ConfigMap",
     .sentence = "Keys of a ConfigMap can be file names, come once, and hold at most 1 MiB.",
     .source = kConfigSource,
     .object = config_map},
    {.name = "config-file",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core ConfigMap; k8s.cni.cncf.io NetworkAttachmentDefinition; "
           "sriovnetwork.openshift.io SriovNetwork SriovIBNetwork; mellanox.com HostDeviceNetwork "
           "IPoIBNetwork MacvlanNetwork NicClusterPolicy",
     .sentence = "Files in a ConfigMap that are called `.json`, `.yaml` or `.yml`, and the JSON of "
                 "a network, can be read as such.",
     .source = "RFC 8259; yaml.org/spec 1.2.2",
     .object = check_config_files,
     .severity = Severity::Warning,
     .because = "The pods start, and whatever reads the file ends them.",
     .fix = "mend the file; where its reader takes more than the format has, turn this check off"},
    {.name = "secret-data",
     .group = CheckGroup::Secrets,
     .on = "core Secret",
     .sentence = "Keys of a Secret can be file names, and hold at most 1 MiB.",
     .source = kSecretSource,
     .object = secret_data},
    {.name = "registry-login",
     .group = CheckGroup::Secrets,
     .on = "core Secret",
     .sentence = "A login of a registry is a JSON object.",
     .source = kSecretSource,
     .object = registry_login},
};

}  // namespace

constinit const std::span<const Check> config_checks = kChecks;

}  // namespace trainyard
