#include "convert/seen_values.h"

#include <algorithm>
#include <array>
#include <set>

#include "convert/job_programs.h"
#include "convert/read_job_set.h"
#include "manifest/devices.h"
#include "manifest/embedded_yaml.h"
#include "shell/plain_command.h"
#include "tree/json.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// What controllers ask their training container to be called, and what builds call it.
constexpr auto kContainers = std::to_array<std::string_view>(
    {"main", "pytorch", "tensorflow", "xgboost", "paddle", "jax", "node", "ray-head"});

/// Lists whose items are replicas of a role.
constexpr auto kRoleLists =
    std::to_array<std::string_view>({"replicatedJobs", "tasks", "workerGroupSpecs"});

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

bool is_shown_as_is(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/// Maps in the order of their keys: two texts of one value are equal.
void add_json(View value, std::string& text) {
  if (value.is_scalar()) {
    const bool is_simple =
        std::ranges::all_of(value->text, [](char c) { return is_shown_as_is(c); });
    if (!is_simple || value.kind() == Kind::Null) {
      return write_json(value.tree(), value.id(), text, 0);
    }
    const std::string_view quote = value.kind() == Kind::String ? "\"" : "";
    text.append(quote).append(value->text).append(quote);
    return;
  }
  std::vector<View> items;
  for (View each : Items(value)) items.push_back(each);
  if (value->is_map()) {
    std::ranges::sort(items, {}, [](View each) { return std::string_view(each->key); });
  }
  text += value->is_map() ? '{' : '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) text += ',';
    if (value->is_map()) text += "\"" + std::string(items[i]->key) + "\":";
    add_json(items[i], text);
  }
  text += value->is_map() ? '}' : ']';
}

std::string json_of(View value) {
  std::string text;
  add_json(value, text);
  return text;
}

std::string amount(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  return quantity ? quantity->text() : std::string(text);
}

/// `metadata.annotations['key']`, `metadata.name` and the like of a pod; `<status.podIP>` of what
/// only the cluster knows.
std::string field_of_pod(View pod, std::string_view path) {
  const std::size_t open = path.find("['");
  View at = pod;
  std::string_view rest = path.substr(0, open);
  while (at && !rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    at = get(at, rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (open != path.npos && path.ends_with("']")) {
    at = get(at, path.substr(open + 2, path.size() - open - 4));
  }
  return at && at.is_scalar() ? std::string(at->text) : "<" + std::string(path) + ">";
}

class PodSeer {
 public:
  PodSeer(View pod, const PodNames& names) : pod_(pod), spec_(get(pod, "spec")), names_(names) {}

  std::vector<SeenValue> see() {
    for (std::string_view list : {"labels", "annotations"}) {
      for (View each : entries_at(get(pod_, "metadata"), list)) {
        put(std::string(list) + "[" + std::string(each->key) + "]", each);
      }
    }
    for (View each : Items(spec_)) field(each);
    const View main = seen_container(spec_);
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View each : items_at(spec_, list)) {
        const bool is_main = main && each.id() == main.id();
        container(each,
                  is_main ? std::string()
                          : std::string(list) + "[" + std::string(string_at(each, "name")) + "].");
      }
    }
    unmounted_volumes();
    std::ranges::sort(values_, {}, &SeenValue::path);
    return std::move(values_);
  }

 private:
  void put(std::string path, View value) {
    values_.push_back({std::move(path), names_.in(std::string(value->text)), value});
  }
  void put(std::string path, std::string text, View at) {
    values_.push_back({std::move(path), names_.in(std::move(text)), at});
  }

  void field(View each) {
    if (each->key == "containers" || each->key == "initContainers" || each->key == "volumes")
      return;
    if (each->key == "securityContext") return context(each, {}, true);
    if (each->key == "resources") return flatten(each, "podResources");
    if (each->key == "serviceAccount") {
      // Its old name, which counts where the new one is missing
      // (kubernetes/kubernetes pkg/apis/core/v1/conversion.go).
      if (!get(spec_, "serviceAccountName")) put("serviceAccountName", each);
      return;
    }
    flatten(each, std::string(each->key));
  }

  void flatten(View value, const std::string& path) {
    if (value.kind() == Kind::Null) return;
    if (value.is_scalar()) return put(path, value);
    for (View each : Items(value)) {
      if (value->is_map()) {
        flatten(each, step(path, each->key));
      } else {
        std::string item = each.is_scalar() ? std::string(each->text) : json_of(each);
        if (keeps_own_apart(each)) item = "pods of the job are on nodes of their own";
        put(path + "[" + names_.in(item) + "]", item, each);
      }
    }
  }

  /// A term of anti-affinity on the pod itself, whatever labels it goes by.
  bool keeps_own_apart(View term) const {
    const View labels = get(get(term, "labelSelector"), "matchLabels");
    if (string_at(term, "topologyKey") != "kubernetes.io/hostname" || !has_items(labels)) {
      return false;
    }
    const View own = get(get(pod_, "metadata"), "labels");
    return std::ranges::all_of(Items(labels),
                               [&](View each) { return string_at(own, each->key) == each->text; });
  }

  static std::string step(const std::string& path, std::string_view key) {
    const bool plain = key.find_first_of("./") == key.npos;
    return path + (plain ? "." + std::string(key) : "[" + std::string(key) + "]");
  }

  /// What the pod says holds for each container that says nothing.
  void context(View given, const std::string& prefix, bool of_pod) {
    for (View each : Items(given)) {
      const std::string path = prefix + "securityContext." + std::string(each->key);
      const bool replaced = of_pod && get(get(seen_container(spec_), "securityContext"), each->key);
      if (!replaced) flatten(each, path);
    }
  }

  void container(View each, const std::string& prefix) {
    environment(each, prefix);
    for (View field : Items(each)) {
      const std::string_view key = field->key;
      if (key == "name" || key == "env" || key == "volumeMounts" || key == "command" ||
          key == "args" || key == "resources" || key == "ports") {
        continue;
      }
      if (key == "securityContext") {
        context(field, prefix, false);
      } else {
        flatten(field, prefix + std::string(key));
      }
    }
    for (View port : items_at(each, "ports")) {
      const std::string_view protocol = string_at(port, "protocol");
      const View number = get(port, "containerPort");
      if (!number) continue;
      put(prefix + "ports[" + std::string(number->text) +
              (protocol.empty() || protocol == "TCP" ? "" : "/" + std::string(protocol)) + "]",
          "", port);
    }
    resources(get(each, "resources"), prefix + "resources.");
    for (View mount : items_at(each, "volumeMounts")) mounted(mount, prefix);
    program(each, prefix);
  }

  void environment(View container, const std::string& prefix) {
    variables_.clear();
    std::map<std::string, View, std::less<>> places;
    for (View each : items_at(container, "env")) {
      const std::string name(string_at(each, "name"));
      const View from = get(each, "valueFrom");
      const View field = get(get(from, "fieldRef"), "fieldPath");
      const View value = get(each, "value");
      std::string text = value ? with_variables(value->text, variables_) : std::string();
      if (field) text = field_of_pod(pod_, field->text);
      if (from && !field) text = json_of(from);
      variables_[name] = std::move(text);
      places[name] = each;
    }
    for (const auto& [name, text] : variables_)
      put(prefix + "env[" + name + "]", text, places[name]);
    std::size_t index = 0;
    for (View each : items_at(container, "envFrom")) {
      put(prefix + "envFrom[" + std::to_string(index++) + "]", json_of(each), each);
    }
  }

  /// A request that is not there is the limit.
  void resources(View given, const std::string& prefix) {
    const View requests = get(given, "requests");
    const View limits = get(given, "limits");
    const auto list = [&](View amounts, std::string_view as, View known) {
      for (View each : Items(amounts)) {
        if (each.kind() == Kind::Null || (known && get(known, each->key))) continue;
        put(prefix + std::string(as) + "[" + std::string(each->key) + "]", amount(each->text),
            each);
      }
    };
    list(requests, "requests", {});
    list(limits, "requests", requests);
    list(limits, "limits", {});
    if (const View claims = get(given, "claims")) flatten(claims, prefix + "claims");
  }

  View volume(std::string_view name) {
    for (View each : items_at(spec_, "volumes")) {
      if (string_at(each, "name") == name) return each;
    }
    return {};
  }

  void mounted(View mount, const std::string& prefix) {
    const std::string_view name = string_at(mount, "name");
    mounted_.insert(name);
    const std::string path = prefix + "mounts[" + std::string(string_at(mount, "mountPath")) + "]";
    const View from = volume(name);
    const bool read_only = is_true(get(mount, "readOnly")) || get(from, "configMap") ||
                           get(from, "secret") ||
                           is_true(get(get(from, "persistentVolumeClaim"), "readOnly"));
    for (View each : Items(from)) {
      if (each->key != "name") put(path, std::string(each->key), mount);
    }
    if (read_only) put(path + ".readOnly", "true", mount);
    for (View each : Items(mount)) {
      if (each->key != "name" && each->key != "mountPath" && each->key != "readOnly") {
        flatten(each, path + "." + std::string(each->key));
      }
    }
    for (View each : Items(from)) {
      if (each->key != "name") source(each, path + "." + std::string(each->key));
    }
  }

  void source(View value, const std::string& path) {
    if (value->size == 0) return put(path, "{}", value);
    for (View each : Items(value)) {
      const bool is_read_only = each->key == "readOnly" && value->key == "persistentVolumeClaim";
      const bool is_unset = each->key == "type" && each->text.empty();
      if (is_read_only || is_unset) continue;
      if (each->key == "sizeLimit") {
        put(path + ".sizeLimit", amount(each->text), each);
      } else {
        flatten(each, path + "." + std::string(each->key));
      }
    }
  }

  void unmounted_volumes() {
    for (View each : items_at(spec_, "volumes")) {
      const std::string_view name = string_at(each, "name");
      if (mounted_.contains(name)) continue;
      for (View from : Items(each)) {
        if (from->key != "name") source(from, "volumes[" + std::string(name) + "]");
      }
    }
  }

  void program(View container, const std::string& prefix) {
    std::vector<std::string> words;
    View first;
    for (std::string_view list : {"command", "args"}) {
      for (View each : items_at(container, list)) {
        if (!first) first = each;
        words.push_back(with_variables(each->text, variables_));
      }
    }
    std::vector<SeenValue> seen;
    std::vector<std::string> told;
    const std::int64_t gpus = devices_of(get(container, "resources")).all();
    see_program(std::move(words), variables_, gpus, seen, told);
    const bool asks_for_index = std::ranges::any_of(
        seen, [](const SeenValue& each) { return each.text.find(kIndex) != std::string::npos; });
    for (SeenValue& each : seen) put(prefix + each.path, std::move(each.text), first);
    if (!asks_for_index) told.emplace_back(kIndex);
    const bool launches = std::ranges::any_of(
        seen, [](const SeenValue& each) { return each.text.find("torch") != std::string::npos; });
    for (const auto& [name, value] : variables_) {
      if (!launches && name.starts_with("PET_")) told.push_back(name);
    }
    for (std::string& name : told) name = prefix + "env[" + name + "]";
    std::ranges::sort(told);
    std::erase_if(values_, [&](const SeenValue& each) {
      return std::ranges::binary_search(told, each.path);
    });
  }

  // Set in each pod of an Indexed Job, whether its program reads it or not.
  static constexpr std::string_view kIndex = "JOB_COMPLETION_INDEX";

  View pod_;
  View spec_;
  const PodNames& names_;
  std::vector<SeenValue> values_;
  Variables variables_;  // of the container that is being read
  std::set<std::string_view> mounted_;
};

class JobSeer {
 public:
  std::vector<SeenValue> see(View job) {
    programs_ = has_programs(job);
    for (View each : Items(get(job, "spec"))) flatten(each, "spec." + std::string(each->key));
    for (View each : Items(get(job, "data"))) flatten(each, "data." + std::string(each->key));
    std::ranges::sort(values_, {}, &SeenValue::path);
    return std::move(values_);
  }

 private:
  static bool is_pod_template(View value) {
    return value->is_map() && get(get(value, "spec"), "containers");
  }

  void flatten(View value, const std::string& path) {
    if (value.kind() == Kind::Null || is_pod_template(value)) return;
    if (value.is_scalar()) {
      values_.push_back({path, line_of(value), value});
      return;
    }
    if (value->is_map()) {
      for (View each : Items(value)) flatten(each, path + "." + std::string(each->key));
      return;
    }
    const bool of_roles = std::ranges::find(kRoleLists, value->key) != kRoleLists.end();
    for (View each : Items(value)) {
      if (of_roles) {
        role(each, path);
      } else {
        const std::string item = each.is_scalar() ? std::string(each->text) : json_of(each);
        values_.push_back({path + "[" + item + "]", item, each});
      }
    }
  }

  /// The words of the line that Ray starts, and its packages, however they are written.
  static std::string line_of(View value) {
    if (value->key == "runtimeEnvYAML") {
      const TextYaml text(value);
      if (text.root()) return json_of(text.root());
    }
    const auto words = value->key == "entrypoint" ? words_of_line(value->text) : std::nullopt;
    if (!words) return std::string(value->text);
    std::string line;
    for (const std::string& each : *words) line += (line.empty() ? "" : " ") + each;
    return line;
  }

  void role(View each, const std::string& list) {
    const std::string_view name = string_at(each, "name");
    const std::string_view word = programs_ ? name : role_word(name);
    std::string path = list + "[" + std::string(word.empty() ? "worker" : word) + "]";
    while (!roles_.insert(path).second) path += "'";
    for (View field : Items(each)) {
      if (field->key != "name" && field->key != "groupName") {
        flatten(field, path + "." + std::string(field->key));
      }
    }
  }

  std::vector<SeenValue> values_;
  std::set<std::string> roles_;
  bool programs_ = false;  // and roles keep their names
};

}  // namespace

void PodNames::add(const std::string& name, const std::string& word) {
  if (!name.empty()) words_.emplace_back(name, word);
}

void PodNames::sort() {
  std::ranges::stable_sort(
      words_, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  if (words_.empty()) return;
  common_ = words_.back().first;
  for (const auto& [name, word] : words_) {
    common_.erase(std::ranges::mismatch(common_, name).in1, common_.end());
  }
}

std::string PodNames::in(std::string text) const {
  if (words_.empty() || text.find(common_) == text.npos) return text;
  for (const auto& [name, word] : words_) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
      const std::size_t end = at + name.size();
      const bool whole = (at == 0 || !is_name_character(text[at - 1])) &&
                         (end == text.size() || !is_name_character(text[end]));
      if (whole) text.replace(at, name.size(), word);
      at += whole ? word.size() : name.size();
    }
  }
  return text;
}

std::string with_variables(std::string_view text, const Variables& variables) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    result += text.substr(0, dollar);
    text.remove_prefix(dollar);
    const std::size_t close = text.starts_with("$(") ? text.find(')') : text.npos;
    const auto known =
        close == text.npos ? variables.end() : variables.find(text.substr(2, close - 2));
    if (known != variables.end()) {
      result += known->second;
      text.remove_prefix(close + 1);
    } else if (!text.empty()) {
      result += '$';
      text.remove_prefix(text.starts_with("$$") ? 2 : 1);
    }
  }
  return result;
}

View seen_container(View pod_spec) {
  View first;
  View with_gpus;
  for (View each : items_at(pod_spec, "containers")) {
    if (std::ranges::find(kContainers, string_at(each, "name")) != kContainers.end()) return each;
    if (!first) first = each;
    if (!with_gpus && devices_of(get(each, "resources")).all() > 0) with_gpus = each;
  }
  return with_gpus ? with_gpus : first;
}

std::vector<SeenValue> see_pod(View pod, const PodNames& names) {
  return PodSeer(pod, names).see();
}

std::vector<SeenValue> see_job(View job) {
  return JobSeer().see(job);
}

}  // namespace trainyard
