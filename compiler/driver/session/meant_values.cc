#include "driver/session/meant_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "driver/session/meant_texts.h"
#include "driver/session/other_words.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// In flow style, on one line.
std::string flow(View value) {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
  if (value->is_map()) {
    for (View each : Items(value)) add(yaml_word(each.key()) + ": " + flow(each));
    return "{" + text + "}";
  }
  if (value->is_seq()) {
    for (View each : Items(value)) add(flow(each));
    return "[" + text + "]";
  }
  if (value.kind() != Kind::String) return std::string(value->text);
  return value->style == Style::Plain ? std::string(value->text) : quoted(value->text);
}

/// Kubernetes' list of variables. Nothing where one comes from elsewhere.
std::string as_variables(View list) {
  std::string text;
  for (View each : Items(list)) {
    const std::string_view name = string_at(each, "name");
    const View value = get(each, "value");
    if (name.empty() || !value || !value.is_scalar()) return {};
    text += (text.empty() ? "" : ", ") + yaml_word(name) + ": " + flow(value);
  }
  return text.empty() ? text : "{" + text + "}";
}

/// A list of volumes, by their names or claims.
std::string as_storage(View list) {
  std::string text;
  for (View each : Items(list)) {
    std::string_view name = string_at(each, "name");
    if (name.empty()) name = string_at(each, "claim");
    if (!each->is_map() || !is_plain_word(name)) return {};
    std::string fields;
    for (View field : Items(each)) {
      if (field.key() == "name") continue;
      fields += (fields.empty() ? "" : ", ") + yaml_word(field.key()) + ": " + flow(field);
    }
    text += (text.empty() ? "" : ", ") + std::string(name) + ": {" + fields + "}";
  }
  return text.empty() ? text : "{" + text + "}";
}

/// `["A=b"]` of docker.
std::string as_assignments(View list) {
  std::string text;
  for (View each : Items(list)) {
    const std::string_view item = string_of(each);
    const std::size_t at = item.find('=');
    if (at == item.npos || at == 0) return {};
    text += (text.empty() ? "" : ", ") + yaml_word(item.substr(0, at)) + ": " +
            yaml_word(item.substr(at + 1));
  }
  return text.empty() ? text : "{" + text + "}";
}

/// A map with one field that holds what stands there, where a map is wanted.
struct Wrapped {
  std::string_view at;
  Kind kind;
  std::string_view field;
};
constexpr auto kWrapped = std::to_array<Wrapped>({
    {"roles.*", Kind::Int, "nodes"},
    {"expose", Kind::Int, "http"},
    {"hostPath", Kind::String, "path"},
    {"configMap", Kind::String, "name"},
    {"topology", Kind::String, "level"},
    {"security.capabilities", Kind::Seq, "add"},
    {"scheduling", Kind::String, "system"},
    {"network", Kind::String, "fabric"},
    {"network.ports", Kind::Int, "containerPort"},
    {"imagePullSecrets", Kind::String, "name"},
    {"namespaces", Kind::String, "name"},
    {"claims", Kind::String, "name"},
    {"storageClasses", Kind::String, "name"},
    {"configMapRef", Kind::String, "name"},
    {"secretRef", Kind::String, "name"},
    {"data", Kind::Seq, "inputs"},
    {"checkpoint", Kind::String, "path"},
});

/// A list of files as such, or of their names.
std::string as_files(View list) {
  std::string text;
  for (View each : Items(list)) {
    const std::string item = flow(each);
    text += (text.empty() ? "" : ", ") + (each->is_map() ? item : "{from: " + item + "}");
  }
  return "{items: [" + text + "]}";
}

std::string wrapped(std::string_view path, View value) {
  const auto row = std::ranges::find_if(kWrapped, [&](const Wrapped& each) {
    return each.kind == value.kind() && path_ends_with(path, each.at);
  });
  if (row == kWrapped.end()) return {};
  return "{" + std::string(row->field) + ": " + flow(value) + "}";
}

/// The values of a Helm chart in place of an image: `{repository: a/b, tag: "1.0"}`.
std::string as_image(View map) {
  std::string text(string_at(map, "repository"));
  if (text.empty()) return text;
  if (const auto registry = string_at(map, "registry"); !registry.empty()) {
    text.insert(0, std::string(registry) + "/");
  }
  if (const View tag = get(map, "tag")) text += ":" + std::string(tag->text);
  return text;
}

/// A map in place of the name that it holds: `{claimName: data}`, `{name: research}`.
std::string unwrapped(View map) {
  const Items items(map);
  if (items.begin() == items.end() || std::next(items.begin()) != items.end()) return {};
  const View only = *items.begin();
  const bool is_name = only.key() == "name" || only.key() == "claimName";
  return is_name && only.is_scalar() ? flow(only) : std::string();
}

/// For a text that its field does not take.
std::string meant_for_pattern(const Violation& violation, View value) {
  const std::string_view path = violation.path;
  if (path_ends_with(path, "uri")) {
    const std::string address = meant_address(string_of(value));
    return address.empty() ? meant_url(string_of(value)) : address;
  }
  if (path.find(".packages[") != path.npos) return meant_requirement(string_of(value));
  if (value.kind() != Kind::String) return {};
  if (violation.message.find("a length of time") != std::string::npos) {
    if (std::string time = meant_duration(value->text); !time.empty()) return time;
  }
  if (path_ends_with(path, "mig")) return meant_profile(value->text);
  if (path_ends_with(path, "run.module")) return meant_module(value->text);
  if (violation.message.find("an absolute path") != std::string::npos) {
    return meant_absolute(value->text);
  }
  return meant_time(value->text);
}

std::string meant(const Violation& violation, View value) {
  const std::string_view path = violation.path;
  switch (violation.kind) {
    case DiagnosticKind::PatternMismatch:
      return meant_for_pattern(violation, value);
    case DiagnosticKind::BadQuantity:
      return value.kind() == Kind::String ? meant_amount(value->text) : "";
    case DiagnosticKind::WrongType:
      break;
    default:
      return {};
  }
  const bool wants_list = violation.message.ends_with("wanted a list");
  if (violation.message.ends_with("wanted a map")) {
    if (path == "spec.gpu" && value.kind() == Kind::String) return meant_gpu(value->text);
    if (std::string text = wrapped(path, value); !text.empty()) return text;
  }
  if (value->is_seq()) {
    if (path_ends_with(path, "env")) {
      const std::string text = as_variables(value);
      return text.empty() ? as_assignments(value) : text;
    }
    if (path == "spec.files") return as_files(value);
    return path_ends_with(path, "storage") ? as_storage(value) : "";
  }
  if (value->is_map() && path_ends_with(path, "credentials") && get(value, "name")) {
    return flow(get(value, "name"));
  }
  if (value->is_map() && path_ends_with(path, "image")) return as_image(value);
  if (value->is_map()) return wants_list ? "[" + flow(value) + "]" : unwrapped(value);
  if (value.kind() == Kind::Bool && path_ends_with(path, "placement.spot")) {
    return value->text == "true" ? "require" : "forbid";
  }
  if (value.kind() == Kind::Bool && path_ends_with(path, "env.*")) return quoted(value->text);
  if (value->text == "true" && path_ends_with(path, "emptyDir")) return "{}";
  if (value.kind() != Kind::String) return {};
  if (path == "spec.run") return meant_run(value->text);
  if (path_ends_with(path, "secretEnv.*")) return meant_secret(value->text);
  if (path_ends_with(path, "nfs")) return meant_export(value->text);
  if (wants_list && (path == "spec.data.inputs" || path == "spec.data.outputs")) {
    return "[{uri: " + quoted(value->text) + "}]";
  }
  if (wants_list && path_ends_with(path, "imagePullSecrets")) {
    return "[" + wrapped(path, value) + "]";
  }
  if (violation.message.ends_with("wanted a number") && value->text.ends_with('%')) {
    const auto percent = plain_number(value->text.substr(0, value->text.size() - 1));
    if (percent && *percent >= 10 && *percent < 100) return "0." + std::to_string(*percent);
  }
  return wants_list ? meant_list(value->text) : "";
}

/// The key of a Secret that a variable has for its source in Kubernetes.
std::string secret_key(View variable) {
  const View from = get(variable, "valueFrom");
  const View source = get(from ? from : variable, "secretKeyRef");
  const std::string_view name = string_at(source, "name");
  const std::string_view key = string_at(source, "key");
  if (name.empty() || key.empty()) return {};
  return "{name: " + yaml_word(name) + ", key: " + yaml_word(key) + "}";
}

/// A variable with a source of Kubernetes, as in the `env` of a container; packages as in Ray's.
std::string other_source(const Violation& violation, View value) {
  if (violation.kind != DiagnosticKind::WrongType) return {};
  if (value->is_seq() && path_ends_with(violation.path, "run.pip")) {
    return "packages stand beside it: `packages: " + flow(value) + "`";
  }
  if (value->is_seq() && path_ends_with(violation.path, "env")) {
    for (View each : Items(value)) {
      const std::string source = secret_key(each);
      if (source.empty()) continue;
      return "write `NAME: VALUE` for each, and values of Secrets in `secretEnv`, beside `env`: "
             "`{" +
             std::string(string_at(each, "name")) + ": " + source + "}`";
    }
  }
  if (!value->is_map()) return {};
  if (!path_ends_with(violation.path, "env.*")) return {};
  const std::string source = secret_key(value);
  if (source.empty()) return {};
  return "a value of a Secret stands in `secretEnv`, beside `env`: `{" + std::string(value.key()) +
         ": " + source + "}`";
}

/// The path of the map that holds an unknown field.
std::string_view holder_of(const Violation& violation) {
  const std::string_view path = violation.path;
  // `spec.resources["nvidia.com/gpu"]`
  const std::size_t end = path.ends_with("\"]") ? path.find("[\"") : path.rfind('.');
  return end != path.npos ? path.substr(0, end) : path;
}

/// The value of a field that has another name here, and another shape as well; "" for the same.
std::string other_shape(std::string_view ours, View value) {
  if (ours == "command" && value.kind() == Kind::String) return meant_list(value->text);
  const bool is_list = ours == "expose" || ours == "after";
  if (!is_list || !value->is_seq() || value->size != 1) return {};
  const std::string only = flow(*Items(value).begin());
  if (ours == "after") return "{" + only + ": ready}";
  return only.find_first_not_of("0123456789") == only.npos ? "{http: " + only + "}" : "";
}

void add_word(Violation& violation, View value, View spec) {
  const bool is_field = violation.kind == DiagnosticKind::UnknownField;
  const std::string_view at = is_field ? holder_of(violation) : std::string_view(violation.path);
  const std::string_view word = is_field ? value.key() : string_of(value);
  const std::string_view ours = other_word(at, word, at == "spec" ? spec : View());
  const std::string_view place =
      is_field && ours.empty() ? other_place(at, word) : std::string_view();
  if (ours.empty() && place.empty()) {
    const std::string_view taken = is_field ? other_word(at, word, View()) : std::string_view();
    if (taken.empty()) {
      if (at == "spec" && (word == "schedule" || word == "cron")) {
        violation.note = "no target writes a CronJob: a pipeline with a schedule can run `apply`";
      }
      return;
    }
    violation.message.resize(violation.message.find('`') + word.size() + 2);
    violation.message += ": `" + std::string(taken) + "`, which is there, says that";
    violation.suggestion = {};
    return;
  }
  // A note about another place of the name would mislead.
  if (is_field) violation.message.resize(violation.message.find('`') + word.size() + 2);
  if (is_field) violation.suggestion = {};
  violation.message += ": did you mean `" + std::string(ours.empty() ? place : ours) + "`?";
  // Nothing is won if the value has to change, too.
  const bool is_map = value->is_map();
  if (!(ours == "storage" && !is_map) && !(ours == "claim" && is_map)) violation.suggestion = ours;
  const std::string other = other_shape(ours, value);
  if (!other.empty()) violation.note = "with its value: `" + std::string(ours) + ": " + other + "`";
}

/// Whether a field that is missing is there, misspelt.
bool is_misspelt(const Violation& missing, const std::vector<Violation>& all) {
  if (missing.kind != DiagnosticKind::MissingField) return false;
  return std::ranges::any_of(all, [&](const Violation& other) {
    if (other.kind != DiagnosticKind::UnknownField || other.suggestion.empty()) return false;
    const std::size_t dot = other.path.rfind('.');
    const std::string above = dot == std::string::npos ? "" : other.path.substr(0, dot);
    return above == missing.path &&
           missing.message.find("`" + std::string(other.suggestion) + "`") != std::string::npos;
  });
}

/// Variables of `secretEnv` with a source of Kubernetes: one fault each.
void take_sources(std::vector<Violation>& violations, const Tree& tree) {
  std::set<NodeId> sources;
  for (Violation& each : violations) {
    if (each.kind != DiagnosticKind::MissingField || !path_ends_with(each.path, "secretEnv.*")) {
      continue;
    }
    std::string source = secret_key(View(tree, each.node));
    if (source.empty() || !sources.insert(*tree.children(each.node).begin()).second) continue;
    each.kind = DiagnosticKind::WrongType;
    each.message = "found a source as in a container, wanted its name and key alone";
    each.replacement = std::move(source);
  }
  std::erase_if(violations, [&](const Violation& each) {
    if (each.kind == DiagnosticKind::UnknownField) return sources.contains(each.node);
    const bool is_lack = each.kind == DiagnosticKind::MissingField &&
                         path_ends_with(each.path, "secretEnv.*") && tree[each.node].size != 0;
    return is_lack && sources.contains(*tree.children(each.node).begin());
  });
}

/// One entry for each file, by its path, in place of `items`.
std::string as_items(View map) {
  std::string folder;
  std::string text;
  for (View each : Items(map)) {
    if (each.key() == "items" || each.key() == "mountPath" || !each.is_scalar()) return {};
    std::string_view path = each.key();
    if (const std::size_t slash = path.rfind('/'); path.starts_with('/') && slash != 0) {
      if (!folder.empty() && folder != path.substr(0, slash)) return {};
      folder = path.substr(0, slash);
      path.remove_prefix(slash + 1);
    }
    const bool is_path = each->text.starts_with("./") || each->text.starts_with("../");
    text += (text.empty() ? "" : ", ") + ("{path: " + yaml_word(path)) +
            (is_path ? ", from: " : ", content: ") + flow(each) + "}";
  }
  if (text.empty()) return text;
  return "{" + (folder.empty() ? "" : "mountPath: " + folder + ", ") + "items: [" + text + "]}";
}

/// `files` as a map of paths: one fault.
void take_files(std::vector<Violation>& violations, const Tree& tree) {
  for (Violation& each : violations) {
    if (each.kind != DiagnosticKind::MissingField || !path_ends_with(each.path, "files")) continue;
    std::string items = as_items(View(tree, each.node));
    if (items.empty()) continue;
    each.kind = DiagnosticKind::WrongType;
    each.message = "found a map of files, wanted a list under `items`";
    each.replacement = std::move(items);
    const std::string path = each.path;
    std::erase_if(violations, [&](const Violation& other) {
      return other.kind == DiagnosticKind::UnknownField && holder_of(other) == path;
    });
    return;
  }
}

}  // namespace

void add_meant_values(std::vector<Violation>& violations, const Tree& tree) {
  take_sources(violations, tree);
  take_files(violations, tree);
  for (Violation& each : violations) {
    if (each.node == kNoNode) continue;
    const View value(tree, each.node);
    if (path_ends_with(each.path, "network.fabric")) {
      const std::string_view ours = other_word("fabric", string_of(value), {});
      if (!ours.empty()) each.replacement = ours;
    }
    if (!each.replacement.empty()) continue;
    // What another tool calls so goes before what is spelt alike.
    const bool is_certain =
        each.kind == DiagnosticKind::UnknownField && is_other_word(holder_of(each), value.key());
    if (!each.suggestion.empty() && !is_certain) continue;
    if (each.kind == DiagnosticKind::UnknownField || each.kind == DiagnosticKind::NotInEnum) {
      add_word(each, value, get(View(tree, tree.root()), "spec"));
    } else {
      each.replacement = meant(each, value);
      if (each.replacement.empty() && each.note.empty()) each.note = other_source(each, value);
    }
  }
  const std::vector<Violation> all = violations;
  std::erase_if(violations, [&](const Violation& each) { return is_misspelt(each, all); });
}

}  // namespace trainyard
