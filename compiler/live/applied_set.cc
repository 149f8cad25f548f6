#include "live/applied_set.h"

#include <set>

#include "cluster/json_document.h"
#include "diag/words.h"
#include "driver/session/session.h"
#include "manifest/pod_templates.h"
#include "source/base64.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

constexpr std::string_view kPrefix = "trainyard-";

std::string text_of(View map, std::string_view key) {
  return std::string(map[key].text());
}

/// `ConfigMap,Job.batch`, in order and each once, as the ApplySet wants it.
std::string group_kinds(const std::vector<AppliedObject>& objects) {
  std::set<std::string> kinds;
  for (const AppliedObject& object : objects) {
    const std::string_view group = group_of(object.api_version);
    kinds.insert(object.kind + (group.empty() ? "" : "." + std::string(group)));
  }
  std::string list;
  for (const std::string& kind : kinds) list += (list.empty() ? "" : ",") + kind;
  return list;
}

/// `nlp-dev,nlp-eval`, of the objects that lie beside no record: the unit of a team may have some.
std::string other_name_spaces(const AppliedSet& set) {
  std::set<std::string> others;
  for (const AppliedObject& object : set.objects) others.insert(object.name_space);
  others.erase(set.name_space);
  others.erase("");
  std::string list;
  for (const std::string& each : others) list += (list.empty() ? "" : ",") + each;
  return list;
}

std::string json_of(const AppliedObject& object) {
  return "{\"apiVersion\": " + quoted(object.api_version) + ", \"kind\": " + quoted(object.kind) +
         ", \"namespace\": " + quoted(object.name_space) + ", \"name\": " + quoted(object.name) +
         ", \"uid\": " + quoted(object.uid) + "}";
}

}  // namespace

bool is_same(const AppliedObject& a, const AppliedObject& b) {
  return a.kind == b.kind && a.name == b.name && a.name_space == b.name_space &&
         group_of(a.api_version) == group_of(b.api_version);
}

std::string applied_set_name(std::string_view job) {
  return std::string(kPrefix) + std::string(job);
}

std::string applied_set_id(std::string_view job, std::string_view name_space) {
  const std::string parent = applied_set_name(job) + "." + std::string(name_space) + ".ConfigMap.";
  const Sha256::Digest digest = Sha256().update(parent).finish();
  std::string hash =
      base64_url({reinterpret_cast<const char*>(digest.data()), digest.size()});  // NOLINT
  while (hash.ends_with('=')) hash.pop_back();
  return "applyset-" + hash + "-v1";
}

bool is_member(View live, const AppliedSet& set) {
  return live["metadata"]["labels"][kPartOf].text() == applied_set_id(set.job, set.name_space);
}

std::string config_map_of(const AppliedSet& set) {
  std::string objects;
  for (const AppliedObject& object : set.objects) {
    objects += (objects.empty() ? "[\n      " : ",\n      ") + json_of(object);
  }
  const std::string others = other_name_spaces(set);
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " +
         quoted(applied_set_name(set.job)) + "\n  namespace: " + quoted(set.name_space) +
         "\n  labels:\n    app.kubernetes.io/managed-by: trainyard\n"
         "    applyset.kubernetes.io/id: " +
         applied_set_id(set.job, set.name_space) +
         "\n  annotations:\n    applyset.kubernetes.io/tooling: trainyard/v" +
         std::string(version()) +
         "\n    applyset.kubernetes.io/contains-group-kinds: " + quoted(group_kinds(set.objects)) +
         (others.empty()
              ? ""
              : "\n    applyset.kubernetes.io/additional-namespaces: " + quoted(others)) +
         "\ndata:\n  job: " + quoted(set.job) + "\n  source: " + quoted(set.source) +
         "\n  digest: " + quoted(set.digest) + "\n  objects: |\n    " +
         (objects.empty() ? "[" : objects) + "\n    ]\n";
}

std::optional<AppliedSet> read_applied_set(View config_map) {
  const View metadata = config_map["metadata"];
  const View data = config_map["data"];
  const std::string name = text_of(metadata, "name");
  const std::string job = text_of(data, "job");
  if (job.empty() || name != applied_set_name(job)) return std::nullopt;
  AppliedSet set{
      job, text_of(metadata, "namespace"), text_of(data, "source"), text_of(data, "digest"), {}};
  const JsonAnswer objects = JsonDocument::read(text_of(data, "objects"));
  if (objects == nullptr || !objects->root()->is_seq()) return std::nullopt;
  for (View each = objects->root().first(); each; each = each.next()) {
    AppliedObject object{text_of(each, "apiVersion"), text_of(each, "kind"),
                         text_of(each, "namespace"), text_of(each, "name"), text_of(each, "uid")};
    if (object.kind.empty() || object.name.empty()) return std::nullopt;
    set.objects.push_back(std::move(object));
  }
  return set;
}

std::string with_label(std::string body, std::string_view key, std::string_view value) {
  const std::string line = "    " + std::string(key) + ": " + quoted(value) + "\n";
  const std::string_view kMetadata = "\nmetadata:\n";
  const std::size_t metadata = body.find(kMetadata);
  if (metadata == std::string::npos) return body;
  const std::size_t inside = metadata + kMetadata.size();
  // Where the next field of the object begins.
  std::size_t end = inside;
  while (end < body.size() && body[end] == ' ') {
    const std::size_t next = body.find('\n', end);
    end = next == std::string::npos ? body.size() : next + 1;
  }
  constexpr std::string_view kLabels = "  labels:\n";
  const std::size_t labels = body.find(kLabels, inside);
  const bool has_labels = labels != std::string::npos && labels < end && body[labels - 1] == '\n';
  if (has_labels) {
    body.insert(labels + kLabels.size(), line);
  } else {
    body.insert(end, std::string(kLabels) + line);
  }
  return body;
}

}  // namespace trainyard
