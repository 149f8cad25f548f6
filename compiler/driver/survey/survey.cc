#include "driver/survey/survey.h"

#include <algorithm>
#include <set>

#include "diag/words.h"
#include "driver/session/inputs.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

View metadata_of(View object) {
  return get(object, "metadata");
}

/// `Kind.group` of an object.
std::string kind_name(View object) {
  const std::string_view version = string_at(object, "apiVersion");
  const std::size_t slash = version.find('/');
  std::string name(string_at(object, "kind"));
  if (slash != std::string_view::npos) name += "." + std::string(version.substr(0, slash));
  return name;
}

/// Compares the numbers of two releases: 1.9 is before 1.10.
bool is_older(std::string_view one, std::string_view other) {
  const auto numbers = [](std::string_view release) {
    std::vector<int> parts(1);
    for (const char c : release) {
      if (c == '.') parts.push_back(0);
      if (is_digit(c)) parts.back() = std::min(parts.back(), 99999) * 10 + (c - '0');
      if (c == '-' || c == '+') break;
    }
    return parts;
  };
  return numbers(one) < numbers(other);
}

class DumpSurveyor {
 public:
  explicit DumpSurveyor(Session& session) : session_(session) {
    for (const KindToSurvey& each : discovery_signs().kinds) survey_.kinds[name_of(each)] = {};
  }

  std::optional<Survey> read(const std::vector<std::string>& from) {
    auto documents = std::make_shared<std::vector<Document>>(
        read_inputs(from, session_.env, session_.sources, session_.sink, session_.limits,
                    Ambiguity::Kubernetes));
    for (const Document& each : *documents) add(each.root());
    if (session_.sink.has_errors()) return std::nullopt;
    survey_.answers.push_back(std::move(documents));
    if (objects_ == 0) report_empty();
    if (clusters_.size() > 1) report_clusters();
    if (session_.sink.has_errors()) return std::nullopt;
    finish();
    return std::move(survey_);
  }

 private:
  void add(View object) {
    if (!object || !object->is_map()) return;
    const std::string_view kind = string_at(object, "kind");
    if (get(object, "items") && kind.ends_with("List")) {
      for (const View each : items_at(object, "items")) add(each);
      return;
    }
    const std::string name = kind_name(object);
    if (string_at(metadata_of(object), "name").empty() || name.ends_with(".trainyard")) return;
    ++objects_;
    if (name == "CustomResourceDefinition.apiextensions.k8s.io") return add_definition(object);
    const auto found = survey_.kinds.find(name);
    if (found == survey_.kinds.end()) return;
    found->second.is_served = true;
    put(object, name, found->second);
    if (name == "Namespace" && string_at(metadata_of(object), "name") == "kube-system") {
      const std::string_view uid = string_at(metadata_of(object), "uid");
      if (!uid.empty()) clusters_.emplace(uid);
    }
  }

  void put(View object, const std::string& kind, SurveyedKind& surveyed) {
    const View metadata = metadata_of(object);
    const std::string key = kind + "\n" + std::string(string_at(metadata, "namespace")) + "\n" +
                            std::string(string_at(metadata, "name"));
    const auto [place, is_new] = places_.try_emplace(key, surveyed.items.size());
    surveyed.is_read = true;
    if (is_new) {
      surveyed.items.push_back(object);
    } else {
      surveyed.items[place->second] = object;
    }
  }

  /// A definition says that its kind is served, whether or not there are objects of it.
  void add_definition(View definition) {
    has_definitions_ = true;
    const View spec = get(definition, "spec");
    const std::string name = std::string(string_at(get(spec, "names"), "kind")) + "." +
                             std::string(string_at(spec, "group"));
    serve(name);
    for (const View version : items_at(spec, "versions")) {
      if (!is_false(get(version, "served"))) {
        serve(name + "/" + std::string(string_at(version, "name")));
      }
    }
  }

  void serve(const std::string& name) {
    const auto found = survey_.kinds.find(name);
    if (found != survey_.kinds.end()) found->second.is_served = true;
  }

  void report_empty() {
    Diagnostic& report = session_.sink.report(DiagnosticKind::UnknownReference, {},
                                              "the dump has no objects of a cluster");
    report.note("`trainyard help discover` has the call of kubectl that prints what to read");
  }

  void report_clusters() {
    session_.sink
        .report(DiagnosticKind::NameCollision, {},
                "the dump is of " +
                    counted(static_cast<std::uint32_t>(clusters_.size()), "cluster") +
                    ": its namespaces `kube-system` have different UIDs")
        .note("a Cluster document describes one cluster; run `discover` for each");
  }

  void finish() {
    survey_.knows_kinds = has_definitions_;
    for (const View node : survey_.kind("Node").items) {
      const std::string_view release =
          string_at(get(get(node, "status"), "nodeInfo"), "kubeletVersion");
      if (is_older(survey_.kubernetes, release)) survey_.kubernetes = release;
    }
    if (!survey_.kubernetes.empty()) {
      survey_.kubernetes_by = "the newest kubelet; the API server may be newer";
    }
    if (!survey_.kind("Node").is_read) {
      survey_.notes.emplace_back("The dump has no nodes: the document has no pools.");
    }
    if (!has_definitions_) {
      survey_.notes.emplace_back(
          "The dump has no CRDs: operators are those whose controllers it has.");
    }
    std::vector<std::string> absent;
    for (const KindToSurvey& each : discovery_signs().kinds) {
      const SurveyedKind& kind = survey_.kind(name_of(each));
      const bool is_needed = each.is_for_discover && each.is_listed && !kind.is_read;
      if (is_needed && (kind.is_served || is_builtin(each))) absent.emplace_back(each.resource);
    }
    if (!absent.empty()) {
      survey_.notes.push_back("The dump has none of " + listed(absent, "and") +
                              ": there are none, or you may not list them.");
    }
  }

  /// Of Kubernetes itself.
  static bool is_builtin(const KindToSurvey& kind) {
    return kind.group.empty() || kind.group == "apps" || kind.group == "storage.k8s.io" ||
           kind.group == "scheduling.k8s.io" || kind.group == "node.k8s.io";
  }

  Session& session_;
  Survey survey_;
  std::map<std::string, std::size_t> places_;
  std::set<std::string> clusters_;  // the UIDs of their namespaces kube-system
  std::size_t objects_ = 0;
  bool has_definitions_ = false;
};

}  // namespace

View SurveyedKind::find(std::string_view name, std::string_view name_space) const {
  for (const View each : items) {
    const View metadata = get(each, "metadata");
    if (string_at(metadata, "name") == name && string_at(metadata, "namespace") == name_space) {
      return each;
    }
  }
  return {};
}

const SurveyedKind& Survey::kind(std::string_view name) const {
  static const SurveyedKind kNone;
  const auto found = kinds.find(name);
  return found == kinds.end() ? kNone : found->second;
}

std::optional<Survey> survey_of_dump(Session& session, const std::vector<std::string>& from) {
  return DumpSurveyor(session).read(from);
}

}  // namespace trainyard
