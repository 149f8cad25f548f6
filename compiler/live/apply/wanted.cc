#include "live/apply/wanted.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "diag/words.h"
#include "driver/build/compile.h"
#include "driver/build/compile_platform.h"
#include "driver/build/variants.h"
#include "driver/fleet/rendered_unit.h"
#include "driver/session/inputs.h"
#include "emit/artifact.h"
#include "live/applied_set.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

WantedObject identity(View object) {
  const View metadata = object["metadata"];
  return {std::string(object["apiVersion"].text()), std::string(object["kind"].text()),
          std::string(metadata["namespace"].text()), std::string(metadata["name"].text()), ""};
}

/// What others rely on comes first; within a rank the order of the file stays.
int rank_of(std::string_view kind) {
  static constexpr std::string_view kFirst[] = {"Namespace", "CustomResourceDefinition",
                                                "PriorityClass", "ServiceAccount", "ConfigMap"};
  const auto* const found = std::ranges::find(kFirst, kind);
  return static_cast<int>(found - std::begin(kFirst));
}

class WantedReader {
 public:
  WantedReader(Session& session, const WantedRequest& request)
      : session_(session), request_(request) {}

  Wanted read() {
    if (!request_.cluster.empty()) {
      cluster_ = read_cluster(session_, request_.cluster);
      if (cluster_ == nullptr) return {};
      note_meant(cluster_->cluster);
    }
    if (request_.unit.empty()) {
      take_all(request_.inputs, [&](Document& document) { take(document); });
    } else {
      unit();
    }
    for (WantedSet& set : sets_) {
      const bool are_manifests = set.name.empty() || set.is_unit;
      if (are_manifests) std::ranges::stable_sort(set.objects, {}, rank_of_object);
    }
    if (sets_.empty() && !session_.sink.has_errors()) {
      session_.sink.report(DiagnosticKind::NoInput, {}, "the input holds no object to apply");
    }
    return {std::move(sets_), std::move(meant_)};
  }

 private:
  static int rank_of_object(const WantedObject& object) { return rank_of(object.kind); }

  void take_all(const std::vector<std::string>& paths, const std::function<void(Document&)>& use) {
    for_each_document(paths, session_.env, session_.sources, session_.sink, session_.limits,
                      Ambiguity::Kubernetes, use);
  }

  /// All rendered files of a team are one set, so that the record is of the whole of it.
  void unit() {
    const std::string& fleet = request_.inputs.front();
    const auto unit = find_unit(session_, fleet, request_.unit);
    if (!unit) return;
    note_meant(unit->cluster->cluster);
    WantedSet set{unit->name, unit->name_space, fleet, {}, {}};
    set.is_unit = true;
    sets_.push_back(std::move(set));
    if (!unit->folders.empty()) {
      take_all(unit->folders, [&](Document& document) { manifest(document); });
    }
    for (WantedObject& object : sets_.front().objects) {
      object.body =
          with_label(std::move(object.body), kPartOf, applied_set_id(unit->name, unit->name_space));
    }
    if (unit->chains.empty()) return;
    session_.sink.report(DiagnosticKind::LeftToDo, {},
                         "the jobs of " + shown(unit->chains) +
                             " are not applied: Flux starts them one after another");
  }

  void take(Document& document) {
    if (document.kind == "TrainingJob") {
      return for_each_variant(session_, document, [&](Document& variant) { job(variant); });
    }
    if (document.api_version.starts_with("trainyard/")) {
      // A Cluster that lies beside specs is there for them.
      if (document.kind == "Cluster" && !document.from_directory) platform(document);
      return;
    }
    manifest(document);
  }

  void job(const Document& document) {
    if (!compile(session_, document, cluster_.get(), request_.target, compilation_)) return;
    const auto& plan = compilation_.plan;
    keep({std::string(*plan.job), std::string(*plan.ns), document.path, {}, {}},
         compilation_.objects, compilation_.origins);
  }

  void platform(Document& document) {
    const std::string path = document.path;
    const auto compiled = compile_platform(session_, document);
    if (compiled == nullptr) return;
    note_meant(compiled->cluster->cluster);
    keep({std::string(*compiled->cluster->cluster.metadata->name), "", path, {}, {}},
         compiled->objects, compiled->origins);
  }

  void note_meant(const Cluster& cluster) {
    if (auto meant = meant_by(cluster, session_.sources)) meant_.push_back(std::move(*meant));
  }

  void keep(WantedSet set, const ObjectSet& objects, const Origins& origins) {
    std::string text;
    std::vector<WrittenObject> written;
    write_objects(objects, text, &written);
    trace(objects, written, text, origins, session_.sources, set.causes);
    std::size_t begin = 0;
    for (const Object& object : objects.objects) {
      // Each begins with `---` and ends where the next one does.
      const std::size_t next = text.find("\n---\n", begin + 1);
      const std::size_t end = next == std::string::npos ? text.size() : next + 1;
      WantedObject wanted = identity(View(objects.tree, object.root));
      wanted.body = text.substr(begin, end - begin);
      if (!set.name_space.empty()) {
        wanted.body =
            with_label(std::move(wanted.body), kPartOf, applied_set_id(set.name, set.name_space));
      }
      set.objects.push_back(std::move(wanted));
      begin = end;
    }
    sets_.push_back(std::move(set));
  }

  void manifest(const Document& document) {
    const View root = document.root();
    if (root["kind"].text() == "List" && root["items"]) {
      for (View item = root["items"].first(); item; item = item.next()) object(document, item);
    } else {
      object(document, root);
    }
  }

  void object(const Document& document, View root) {
    WantedObject wanted = identity(root);
    if (wanted.api_version.empty() || wanted.kind.empty() || wanted.name.empty()) {
      if (document.from_directory) return;
      session_.sink.report(DiagnosticKind::NoInput, root->span,
                           "this is no object to apply; expected `apiVersion`, `kind` and "
                           "`metadata.name`");
      return;
    }
    if (wanted.kind == "Secret" && wanted.api_version == "v1" && !request_.secrets) {
      session_.sink
          .report(DiagnosticKind::SecretNotApplied, root["kind"]->span,
                  "a Secret is not applied: " + shown(wanted.name))
          .note("`--allow-secrets` applies it; its values are never printed");
      return;
    }
    write_yaml(root.tree(), root.id(), wanted.body);
    set_of(document.path).objects.push_back(std::move(wanted));
  }

  WantedSet& set_of(const std::string& path) {
    if (!request_.unit.empty()) return sets_.front();
    if (sets_.empty() || !sets_.back().name.empty() || sets_.back().source != path) {
      sets_.push_back({"", "", path, {}, {}});
    }
    return sets_.back();
  }

  Session& session_;
  const WantedRequest& request_;
  std::unique_ptr<ClusterDocument> cluster_;
  Compilation compilation_;
  std::vector<WantedSet> sets_;
  std::vector<MeantCluster> meant_;
};

bool names_a_line(const Cause& cause) {
  return !cause.file.empty() && (cause.kind == "spec" || cause.kind == "cluster" ||
                                 cause.kind == "matrix" || cause.kind == "lock");
}

}  // namespace

Wanted read_wanted(Session& session, const WantedRequest& request) {
  return WantedReader(session, request).read();
}

std::string spec_place(const WantedSet& set, const WantedObject& object, std::string_view field) {
  const std::string place = object.kind + "/" + object.name + ":" + std::string(field);
  for (const ProvenanceEntry* entry : at_path(set.causes, place)) {
    const auto cause = std::ranges::find_if(entry->causes, names_a_line);
    if (cause == entry->causes.end()) continue;
    return cause->file + ":" + std::to_string(cause->line) + ":" + std::to_string(cause->column);
  }
  return {};
}

}  // namespace trainyard
