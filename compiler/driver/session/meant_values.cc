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
#include "driver/session/other_words.h"
#include "shell/command_line.h"
#include "shell/plain_command.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Unit {
  std::string_view word;  // without a final `s`
  std::string_view ours;
};
constexpr auto kTimes = std::to_array<Unit>({{"day", "d"},
                                             {"hour", "h"},
                                             {"hr", "h"},
                                             {"minute", "m"},
                                             {"min", "m"},
                                             {"second", "s"},
                                             {"sec", "s"},
                                             {"week", ""},
                                             {"w", ""}});
constexpr auto kAmounts =
    std::to_array<Unit>({{"core", ""}, {"cpu", ""}, {"vcpu", ""}, {"gpu", ""}});

/// What YAML reads as a text without quotes, to be on the safe side.
bool is_plain(std::string_view text) {
  constexpr auto kOtherTypes = std::to_array<std::string_view>(
      {"y", "n", "yes", "no", "on", "off", "true", "false", "null"});
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  };
  return std::ranges::all_of(text, fits) &&
         std::ranges::find(kOtherTypes, folded(text)) == kOtherTypes.end();
}

std::string scalar(std::string_view text) {
  return is_plain(text) ? std::string(text) : quoted(text);
}

/// In flow style, on one line.
std::string flow(View value) {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
  if (value->is_map()) {
    for (View each : Items(value)) add(scalar(each.key()) + ": " + flow(each));
    return "{" + text + "}";
  }
  if (value->is_seq()) {
    for (View each : Items(value)) add(flow(each));
    return "[" + text + "]";
  }
  if (value.kind() != Kind::String) return std::string(value->text);
  return value->style == Style::Plain ? std::string(value->text) : quoted(value->text);
}

std::string as_list(std::string_view line) {
  std::string text;
  const auto words = words_of_line(line);
  if (!words || words->empty()) return {};
  for (const std::string& each : *words) text += (text.empty() ? "" : ", ") + scalar(each);
  return "[" + text + "]";
}

/// `python a.py --lr 0.1`, `python -m a`, or any other line.
std::string as_run(std::string_view line) {
  const auto words = words_of_line(line);
  if (!words || words->empty()) return "{shell: " + quoted(line) + "}";
  const bool is_python = words->front() == "python" || words->front() == "python3";
  std::size_t at = is_python ? 1 : 0;
  std::string_view field = "script";
  if (is_python && words->size() > 2 && (*words)[1] == "-m") {
    field = "module";
    at = 2;
  }
  const bool is_script = at < words->size() && (field == "module" || (*words)[at].ends_with(".py"));
  if (!is_script) return "{shell: " + quoted(line) + "}";
  std::string args;
  for (std::size_t i = at + 1; i < words->size(); ++i) {
    args += (args.empty() ? "" : ", ") + scalar((*words)[i]);
  }
  return "{" + std::string(field) + ": " + scalar((*words)[at]) +
         (args.empty() ? "" : ", args: [" + args + "]") + "}";
}

/// Kubernetes' list of variables. Nothing where one comes from elsewhere.
std::string as_variables(View list) {
  std::string text;
  for (View each : Items(list)) {
    const std::string_view name = string_at(each, "name");
    const View value = get(each, "value");
    if (name.empty() || !value || !value.is_scalar()) return {};
    text += (text.empty() ? "" : ", ") + scalar(name) + ": " + flow(value);
  }
  return text.empty() ? text : "{" + text + "}";
}

/// A list of volumes, by their names or claims.
std::string as_storage(View list) {
  std::string text;
  for (View each : Items(list)) {
    std::string_view name = string_at(each, "name");
    if (name.empty()) name = string_at(each, "claim");
    if (!each->is_map() || !is_plain(name)) return {};
    std::string fields;
    for (View field : Items(each)) {
      if (field.key() == "name") continue;
      fields += (fields.empty() ? "" : ", ") + scalar(field.key()) + ": " + flow(field);
    }
    text += (text.empty() ? "" : ", ") + std::string(name) + ": {" + fields + "}";
  }
  return text.empty() ? text : "{" + text + "}";
}

/// `3 days` as `3d`, `1 hour 30 minutes` as `1h30m`; nothing for what is no such text.
template <std::size_t kCount>
std::string with_units(std::string_view text, const std::array<Unit, kCount>& units) {
  std::string result;
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  const auto take = [&](auto is) {
    const std::size_t begin = at;
    while (at < text.size() && is(static_cast<unsigned char>(text[at])) != 0) ++at;
    return std::string(text.substr(begin, at - begin));
  };
  for (skip(); at < text.size(); skip()) {
    const std::string number = take([](unsigned char c) { return std::isdigit(c); });
    skip();
    std::string word = take([](unsigned char c) { return std::isalpha(c); });
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word.size() > 2 && word.ends_with('s')) word.pop_back();
    const auto unit = std::ranges::find(units, std::string_view(word), &Unit::word);
    if (number.empty() || unit == units.end()) return {};
    if (unit->ours.empty() && word.starts_with('w')) {
      constexpr std::size_t kLongest = 4;
      if (number.size() > kLongest) return {};
      result += std::to_string(7 * std::stoul(number)) + "d";
    } else {
      result += number + std::string(unit->ours);
    }
  }
  return result;
}

/// Addresses as TAO writes them: NVIDIA-TAO nvidia-tao-sdk, `hf_model://` and `hf_dataset://`.
std::string as_address(std::string_view text) {
  for (const auto& [other, ours] :
       {std::pair{std::string_view("hf_model://"), std::string_view("hf://")},
        std::pair{std::string_view("hf_dataset://"), std::string_view("hf://datasets/")}}) {
    if (!text.starts_with(other)) continue;
    return quoted(std::string(ours) + std::string(text.substr(other.size())));
  }
  return {};
}

/// `torch=2.1` as pip wants it, `torch==2.1`; `torch=>2.1` as `torch>=2.1`.
std::string as_requirement(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == text.npos || at == 0 || at + 1 == text.size()) return {};
  if (text.find_first_of("<>!~;@ =", 0) != at || text[at + 1] == '=') return {};
  if (text[at + 1] == '<' || text[at + 1] == '>') {
    return quoted(std::string(text.substr(0, at)) + text[at + 1] + "=" +
                  std::string(text.substr(at + 2)));
  }
  return quoted(std::string(text.substr(0, at)) + "=" + std::string(text.substr(at)));
}

/// `hugging-face/token`, a Secret and its key.
std::string as_secret(std::string_view text) {
  const std::size_t at = text.find_first_of("/:");
  if (at == text.npos || at == 0 || at + 1 == text.size()) return {};
  return "{name: " + scalar(text.substr(0, at)) + ", key: " + scalar(text.substr(at + 1)) + "}";
}

/// `server:/path` of mount.
std::string as_export(std::string_view text) {
  const std::size_t at = text.find(":/");
  if (at == text.npos || at == 0) return {};
  return "{server: " + scalar(text.substr(0, at)) + ", path: " + scalar(text.substr(at + 1)) + "}";
}

constexpr std::string_view kDigits = "0123456789";

/// `24:00:00` and `2-12:00:00` of Slurm as `24h` and `2d12h`.
std::string as_clock(std::string_view text) {
  constexpr auto units = std::to_array<std::string_view>({"s", "m", "h", "d"});
  std::string result;
  std::size_t unit = 0;
  for (std::string_view rest = text;; ++unit) {
    const std::size_t mark = rest.find_last_of(":-");
    const bool is_first = mark == rest.npos;
    if (unit == units.size() || (!is_first && (rest[mark] == '-') != (unit == 2))) return {};
    std::string_view number = is_first ? rest : rest.substr(mark + 1);
    if (number.empty() || number.find_first_not_of(kDigits) != number.npos) return {};
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    if (!number.empty()) result = std::string(number) + std::string(units[unit]) + result;
    if (is_first) return unit < 2 ? std::string() : result;
    rest = rest.substr(0, mark);
  }
}

/// `1.5h` as `1h30m`.
std::string as_whole_units(std::string_view text) {
  constexpr std::string_view units = "dhms";
  constexpr auto sizes = std::to_array<std::int64_t>({24, 60, 60});
  const std::size_t point = text.find('.');
  if (point == text.npos || text.size() != point + 3) return {};
  const auto whole = plain_number(text.substr(0, point));
  const auto tenths = plain_number(text.substr(point + 1, 1));
  const std::size_t unit = units.find(text.back());
  if (!whole || !tenths || unit >= sizes.size()) return {};
  const std::int64_t below = *tenths * sizes[unit];
  if (below % 10 != 0) return {};
  return (*whole == 0 ? "" : std::to_string(*whole) + units[unit]) + std::to_string(below / 10) +
         units[unit + 1];
}

/// A length of time as other tools write it.
std::string as_duration(std::string_view text) {
  if (text.starts_with("PT")) {
    std::string result;
    for (char c : text.substr(2)) result += static_cast<char>(std::tolower(c));
    return result.find_first_not_of("0123456789hms") == result.npos ? result : std::string();
  }
  const std::string clock = as_clock(text);
  return clock.empty() ? as_whole_units(text) : clock;
}

/// `["A=b"]` of docker.
std::string as_assignments(View list) {
  std::string text;
  for (View each : Items(list)) {
    const std::string_view item = string_of(each);
    const std::size_t at = item.find('=');
    if (at == item.npos || at == 0) return {};
    text += (text.empty() ? "" : ", ") + scalar(item.substr(0, at)) + ": " +
            scalar(item.substr(at + 1));
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

/// A map in place of the name that it holds: `{claimName: data}`, `{name: research}`.
std::string unwrapped(View map) {
  const Items items(map);
  if (items.begin() == items.end() || std::next(items.begin()) != items.end()) return {};
  const View only = *items.begin();
  const bool is_name = only.key() == "name" || only.key() == "claimName";
  return is_name && only.is_scalar() ? flow(only) : std::string();
}

std::string meant(const Violation& violation, View value) {
  const std::string_view path = violation.path;
  switch (violation.kind) {
    case DiagnosticKind::PatternMismatch:
      if (path_ends_with(path, "uri")) return as_address(string_of(value));
      if (path.find(".packages[") != path.npos) return as_requirement(string_of(value));
      if (value.kind() != Kind::String) return {};
      if (violation.message.find("a length of time") != std::string::npos) {
        if (std::string time = as_duration(value->text); !time.empty()) return time;
      }
      if (path_ends_with(path, "mig") && value->text.starts_with("mig-")) {
        return std::string(value->text.substr(4));
      }
      return with_units(value->text, kTimes);
    case DiagnosticKind::BadQuantity:
      return value.kind() == Kind::String ? with_units(value->text, kAmounts) : "";
    case DiagnosticKind::WrongType:
      break;
    default:
      return {};
  }
  const bool wants_list = violation.message.ends_with("wanted a list");
  if (violation.message.ends_with("wanted a map")) {
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
  if (value->is_map()) return wants_list ? "[" + flow(value) + "]" : unwrapped(value);
  if (value.kind() == Kind::Bool && path_ends_with(path, "placement.spot")) {
    return value->text == "true" ? "require" : "forbid";
  }
  if (value.kind() == Kind::Bool && path_ends_with(path, "env.*")) return quoted(value->text);
  if (value->text == "true" && path_ends_with(path, "emptyDir")) return "{}";
  if (value.kind() != Kind::String) return {};
  if (path == "spec.run") return as_run(value->text);
  if (path_ends_with(path, "secretEnv.*")) return as_secret(value->text);
  if (path_ends_with(path, "nfs")) return as_export(value->text);
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
  return wants_list ? as_list(value->text) : "";
}

/// The key of a Secret that a variable has for its source in Kubernetes.
std::string secret_key(View variable) {
  const View from = get(variable, "valueFrom");
  const View source = get(from ? from : variable, "secretKeyRef");
  const std::string_view name = string_at(source, "name");
  const std::string_view key = string_at(source, "key");
  if (name.empty() || key.empty()) return {};
  return "{name: " + scalar(name) + ", key: " + scalar(key) + "}";
}

/// A variable with a source of Kubernetes, as in the `env` of a container.
std::string other_source(const Violation& violation, View value) {
  if (violation.kind != DiagnosticKind::WrongType || !value->is_map()) return {};
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

void add_word(Violation& violation, View value, View spec) {
  const bool is_field = violation.kind == DiagnosticKind::UnknownField;
  const std::string_view at = is_field ? holder_of(violation) : std::string_view(violation.path);
  const std::string_view word = is_field ? value.key() : string_of(value);
  const std::string_view ours = other_word(at, word, at == "spec" ? spec : View());
  const std::string_view place =
      is_field && ours.empty() ? other_place(at, word) : std::string_view();
  if (ours.empty() && place.empty()) return;
  // A note about another place of the name would mislead.
  if (is_field) violation.message.resize(violation.message.find('`') + word.size() + 2);
  if (is_field) violation.suggestion = {};
  violation.message += ": did you mean `" + std::string(ours.empty() ? place : ours) + "`?";
  // Nothing is won if the value has to change, too.
  const bool is_map = value->is_map();
  if (!(ours == "storage" && !is_map) && !(ours == "claim" && is_map)) violation.suggestion = ours;
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

}  // namespace

void add_meant_values(std::vector<Violation>& violations, const Tree& tree) {
  take_sources(violations, tree);
  for (Violation& each : violations) {
    if (each.node == kNoNode || !each.replacement.empty()) continue;
    const View value(tree, each.node);
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
