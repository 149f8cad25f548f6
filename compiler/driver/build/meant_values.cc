#include "driver/build/meant_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "shell/plain_command.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A field name or an enum value that other tools use. `at` is the end of the path: of the field
/// itself, or of the map that holds it.
struct OtherWord {
  std::string_view at;
  std::string_view word;
  std::string_view ours;
};

constexpr auto kOtherWords = std::to_array<OtherWord>({
    {"framework", "torch", "pytorch"},
    {"framework", "ddp", "pytorch"},
    {"framework", "fsdp", "pytorch"},
    {"framework", "deepspeed", "pytorch"},
    {"framework", "lightning", "pytorch"},
    {"framework", "tf", "tensorflow"},
    {"framework", "keras", "tensorflow"},
    {"framework", "horovod", "mpi"},
    {"framework", "flax", "jax"},
    {"spec", "replicas", "nodes"},
    {"spec", "numNodes", "nodes"},
    {"spec", "nnodes", "nodes"},
    {"spec", "workers", "nodes"},
    {"spec", "nprocPerNode", "gpusPerNode"},
    {"spec", "volumes", "storage"},
    {"spec", "environment", "env"},
    {"spec", "timeout", "lifecycle"},
    {"storage.*", "pvc", "claim"},
    {"storage.*", "persistentVolumeClaim", "claim"},
    {"storage.*", "claimName", "claim"},
    {"storage.*", "path", "mountPath"},
    {"storage.*", "mount", "mountPath"},
    {"run", "cmd", "command"},
    {"run", "entrypoint", "command"},
    {"run", "python", "script"},
    {"run", "file", "script"},
    {"secretEnv.*", "secret", "name"},
    {"secretEnv.*", "secretName", "name"},
});

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
                                             {"week", ""}});
constexpr auto kAmounts =
    std::to_array<Unit>({{"core", ""}, {"cpu", ""}, {"vcpu", ""}, {"gpu", ""}});

/// `spec.storage.data` ends with `storage.*`.
bool ends_with(std::string_view path, std::string_view end) {
  while (!end.empty()) {
    const std::size_t own = path.rfind('.') + 1;
    const std::size_t wanted = end.rfind('.') + 1;
    if (end.substr(wanted) != "*" && end.substr(wanted) != path.substr(own)) return false;
    end = end.substr(0, wanted == 0 ? 0 : wanted - 1);
    if (!end.empty() && own == 0) return false;
    path = path.substr(0, own == 0 ? 0 : own - 1);
  }
  return true;
}

std::string_view other_word(std::string_view at, std::string_view word) {
  std::vector<std::string_view> words;
  for (const OtherWord& each : kOtherWords) {
    if (ends_with(at, each.at)) words.push_back(each.word);
  }
  const bool is_known = std::ranges::find(words, word) != words.end();
  const auto near = is_known || word.size() < 5 ? std::nullopt : suggest(word, words);
  const std::string_view meant = is_known ? word : near.value_or("");
  const auto row = std::ranges::find_if(kOtherWords, [&](const OtherWord& each) {
    return each.word == meant && ends_with(at, each.at);
  });
  return row == kOtherWords.end() ? std::string_view() : row->ours;
}

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
    if (word == "week") {
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

std::string meant(const Violation& violation, View value) {
  const std::string_view path = violation.path;
  switch (violation.kind) {
    case DiagnosticKind::PatternMismatch:
      if (ends_with(path, "uri")) return as_address(string_of(value));
      if (path.find(".packages[") != path.npos) return as_requirement(string_of(value));
      return value.kind() == Kind::String ? with_units(value->text, kTimes) : "";
    case DiagnosticKind::BadQuantity:
      return value.kind() == Kind::String ? with_units(value->text, kAmounts) : "";
    case DiagnosticKind::WrongType:
      break;
    default:
      return {};
  }
  const bool wants_list = violation.message.ends_with("wanted a list");
  if (value->is_seq()) {
    if (ends_with(path, "env")) return as_variables(value);
    if (path == "spec.files") return "{items: " + flow(value) + "}";
    return ends_with(path, "storage") ? as_storage(value) : "";
  }
  if (value->is_map()) return wants_list ? "[" + flow(value) + "]" : "";
  if (value.kind() == Kind::Bool && ends_with(path, "env.*")) return quoted(value->text);
  if (value.kind() != Kind::String) return {};
  if (path == "spec.run") return as_run(value->text);
  if (ends_with(path, "secretEnv.*")) return as_secret(value->text);
  if (wants_list && (path == "spec.data.inputs" || path == "spec.data.outputs")) {
    return "[{uri: " + quoted(value->text) + "}]";
  }
  return wants_list ? as_list(value->text) : "";
}

void add_word(Violation& violation, View value) {
  const bool is_field = violation.kind == DiagnosticKind::UnknownField;
  const std::size_t dot = violation.path.rfind('.');
  const std::string_view path = violation.path;
  const std::string_view at = is_field && dot != path.npos ? path.substr(0, dot) : path;
  const std::string_view word = is_field ? value.key() : string_of(value);
  const std::string_view ours = other_word(at, word);
  if (ours.empty()) return;
  violation.suggestion = ours;
  // A note about another place of the name would mislead.
  if (is_field) violation.message.resize(violation.message.find('`') + word.size() + 2);
  violation.message += ": did you mean `" + std::string(ours) + "`?";
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

}  // namespace

void add_meant_values(std::vector<Violation>& violations, const Tree& tree) {
  for (Violation& each : violations) {
    if (each.node == kNoNode || !each.suggestion.empty() || !each.replacement.empty()) continue;
    const View value(tree, each.node);
    if (each.kind == DiagnosticKind::UnknownField || each.kind == DiagnosticKind::NotInEnum) {
      add_word(each, value);
    } else {
      each.replacement = meant(each, value);
    }
  }
  const std::vector<Violation> all = violations;
  std::erase_if(violations, [&](const Violation& each) { return is_misspelt(each, all); });
}

}  // namespace trainyard
