#include "driver/argocd/plugin_settings.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "diag/words.h"
#include "tree/json.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Parameter {
  std::string_view name;
  std::string_view title;
  std::string_view tooltip;
  bool is_list = false;
};

constexpr auto kParameters = std::to_array<Parameter>({
    {"cluster", "Cluster",
     "File with the Cluster that the specs are for, from the folder of the application; one that "
     "begins with / starts at the top of the repository"},
    {"overlays", "Overlays", "Files with TrainingJobLayers that count before every spec", true},
    {"target", "Target", "Compile for this target, whatever the specs say"},
    {"strict", "Strict", "true makes warnings errors"},
});

constexpr const char* kVariable = "ARGOCD_APP_PARAMETERS";

/// ARGOCD_ENV_CLUSTER.
std::string variable_of(std::string_view parameter) {
  std::string name = "ARGOCD_ENV_";
  for (char each : parameter) name += static_cast<char>(each - 'a' + 'A');
  return name;
}

class Settings {
 public:
  Settings(Session& session, const Variables& variables)
      : session_(session), variables_(variables) {}

  PluginSettings run() {
    find_root();
    settings_.kubernetes = variables_("KUBE_VERSION").value_or("");
    for (const Parameter& each : kParameters) {
      const std::string name = variable_of(each.name);
      const auto value = variables_(name);
      if (value && !value->empty()) take(each, {*value}, "`" + name + "`");
    }
    read_parameters();
    return std::move(settings_);
  }

 private:
  /// The folder of the application is the one that the plugin is called in.
  void find_root() {
    const std::string source = variables_("ARGOCD_APP_SOURCE_PATH").value_or("");
    const auto plain = std::filesystem::path(source).lexically_normal();
    for (const auto& each : plain) {
      if (each != "." && !each.empty()) settings_.root += settings_.root.empty() ? ".." : "/..";
    }
    if (settings_.root.empty()) settings_.root = ".";
    note_directories(session_.env, {settings_.root});
  }

  void read_parameters() {
    const auto text = variables_(kVariable);
    if (!text || text->empty()) return;
    const FileId file = session_.sources.add_hidden(kVariable, *text);
    Sink reading;
    const auto tree = read_json(session_.sources, file, reading, session_.limits);
    if (!tree) {
      fault("`" + std::string(kVariable) + "` is no JSON");
      return;
    }
    const View list(*tree, tree->root());
    if (!list->is_seq() && list.kind() != trainyard::Kind::Null) {
      fault("`" + std::string(kVariable) + "` is " + word_with_article(list.kind()) +
            "; expected a list of parameters");
      return;
    }
    for (View each : Items(list->is_seq() ? list : View())) parameter(each);
  }

  void parameter(View given) {
    const std::string_view name = string_at(given, "name");
    const auto known = std::ranges::find(kParameters, name, &Parameter::name);
    if (known == kParameters.end()) {
      std::vector<std::string> names;
      for (const Parameter& each : kParameters) names.push_back("`" + std::string(each.name) + "`");
      fault("there is no parameter " + shown(name) + "; there are " + listed_as_is(names));
      return;
    }
    const std::string_view wanted = known->is_list ? "array" : "string";
    const View value = get(given, wanted);
    if (!value || (known->is_list ? !value->is_seq() : value.kind() != trainyard::Kind::String)) {
      fault("parameter `" + std::string(name) + "` has no `" + std::string(wanted) + "`");
      return;
    }
    std::vector<std::string> values;
    if (!known->is_list) values.emplace_back(value.text());
    for (View each : Items(known->is_list ? value : View())) values.emplace_back(string_of(each));
    std::erase(values, "");
    take(*known, values, "parameter `" + std::string(name) + "`");
  }

  static std::string listed_as_is(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
    return text;
  }

  void take(const Parameter& parameter, std::vector<std::string> values, const std::string& from) {
    if (parameter.name == "strict") {
      const std::string word = values.empty() ? "false" : values.front();
      if (word != "true" && word != "false") fault(from + " is neither `true` nor `false`");
      settings_.strict = word == "true";
    } else if (parameter.name == "target") {
      settings_.target = values.empty() ? "" : values.front();
    } else {
      for (std::string& each : values) each = in_repository(each, from);
      if (parameter.is_list) {
        settings_.overlays = std::move(values);
      } else {
        settings_.cluster = values.empty() ? "" : values.front();
      }
    }
  }

  /// A path from the folder of the application, which may begin at the top of the repository.
  std::string in_repository(const std::string& path, const std::string& from) {
    namespace fs = std::filesystem;
    fs::path whole = path;
    if (path.starts_with('/')) whole = fs::path(settings_.root) / path.substr(1);
    const std::string plain = whole.lexically_normal().string();
    const std::string real = session_.env.files.real_path(plain).value_or("");
    const std::string top = session_.env.files.real_path(settings_.root).value_or("/");
    // Of a file that is not there, what the path says counts.
    const fs::path here = session_.env.files.real_path(".").value_or("/");
    const std::string place = real.empty() ? (here / plain).lexically_normal().string() : real;
    if (!ReadRoot{ReadRoot::Sort::Directory, top}.holds(place)) {
      fault(from + " leads out of the repository");
      return {};
    }
    return plain;
  }

  void fault(const std::string& message) {
    session_.sink.report(DiagnosticKind::UnknownReference, {}, message)
        .note("the Application sets it under `spec.source.plugin`");
  }

  Session& session_;
  const Variables& variables_;
  PluginSettings settings_;
};

}  // namespace

PluginSettings plugin_settings(Session& session, const Variables& variables) {
  return Settings(session, variables).run();
}

std::string plugin_parameters(const PluginSettings& defaults) {
  Tree tree;
  const NodeId all = tree.add_seq();
  for (const Parameter& each : kParameters) {
    const NodeId map = tree.add_map();
    tree.append(map, "name", tree.add_string(each.name));
    tree.append(map, "title", tree.add_string(each.title));
    tree.append(map, "tooltip", tree.add_string(each.tooltip));
    tree.append(map, "collectionType", tree.add_string(each.is_list ? "array" : "string"));
    if (each.is_list) {
      const NodeId list = tree.add_seq();
      for (const std::string& path : defaults.overlays) tree.append(list, tree.add_string(path));
      tree.append(map, "array", list);
    } else {
      const std::string_view value = each.name == "cluster"  ? std::string_view(defaults.cluster)
                                     : each.name == "target" ? std::string_view(defaults.target)
                                     : defaults.strict       ? "true"
                                                             : "false";
      tree.append(map, "string", tree.add_string(value));
    }
    tree.append(all, map);
  }
  std::string text;
  write_json(tree, all, text);
  return text + "\n";
}

}  // namespace trainyard
