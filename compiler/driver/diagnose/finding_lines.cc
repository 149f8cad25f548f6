#include "driver/diagnose/finding_lines.h"

#include <algorithm>

#include "driver/diagnose/read_dump.h"
#include "driver/session/inputs.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

/// Whether a path has `part` as whole steps: behind a dot or at its beginning, and before a step
/// or at its end.
bool has_steps(std::string_view path, std::string_view part) {
  for (std::size_t at = path.find(part); at != path.npos; at = path.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool begins = at == 0 || path[at - 1] == '.';
    const bool ends = end == path.size() || path[end] == '.' || path[end] == '[';
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

std::string text_of(const SpecPlace& place) {
  const std::string at =
      place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  return place.field.empty() ? at : "`" + place.field + "` at " + at;
}

FindingLines::FindingLines(Session& session, const CausesRequest& request) {
  auto known = load_causes(session, request);
  if (!known) return;
  causes_ = std::move(known->causes);
  if (!known->spec) return;  // the map knows the places alone
  const FileId file =
      read_source(request.input, session.env, session.sources, session.sink, session.limits);
  if (file == kNoFile) return;
  Sink unused;  // the spec has been read before
  const auto add = [&](const auto& self, View at, const std::string& path) -> void {
    if (at->span.known() && at->span.file == file) {
      const Position place = session.sources.position(file, at->span.begin);
      fields_.push_back({path, place.line, place.column});
    }
    std::size_t index = 0;
    for (View each : Items(at.is_scalar() ? View() : at)) {
      const std::string step = at->is_map() ? (path.empty() ? "" : ".") + std::string(each.key())
                                            : "[" + std::to_string(index++) + "]";
      self(self, each, path + step);
    }
  };
  const std::vector<Tree> trees =
      read_yaml(session.sources, file, unused, session.limits, Ambiguity::Refuse);
  for (const Tree& tree : trees) {
    if (tree.size() != 0) add(add, View(tree, tree.root()), "");
  }
}

std::optional<SpecPlace> FindingLines::find(View job, std::string_view container,
                                            std::string_view about) const {
  if (about.empty() || causes_.empty()) return std::nullopt;
  const bool is_of_pod = about.starts_with('/');
  // `/spec.nodeSelector` of a pod is `nodeSelector` of any template for it.
  if (is_of_pod) about.remove_prefix(about.starts_with("/spec.") ? 6 : 1);
  std::vector<std::string> paths;
  if (!is_of_pod)
    paths.push_back("containers[" + std::string(container) + "]." + std::string(about));
  paths.emplace_back(about);
  // A TrainJob has what each container asks for in a field of its own.
  constexpr std::string_view kResources = "resources.";
  if (about.starts_with(kResources)) {
    paths.push_back("resourcesPerNode." + std::string(about.substr(kResources.size())));
  }
  const std::string object = label_of_job(job);
  // Some targets put the pods into another object than the job.
  for (const std::string& of : {object, std::string()}) {
    for (const std::string& path : paths) {
      const Cause* cause = cause_of(of, path);
      if (cause == nullptr) continue;
      return SpecPlace{field_at(cause->line, cause->column), cause->file, cause->line,
                       cause->column};
    }
  }
  return std::nullopt;
}

const Cause* FindingLines::cause_of(std::string_view object, std::string_view path) const {
  for (const ProvenanceEntry& entry : causes_) {
    if (!object.empty() && entry.object != object) continue;
    if (!has_steps(entry.named_path, path)) continue;
    const auto cause = std::ranges::find_if(
        entry.causes, [](const Cause& each) { return each.kind == "spec" && !each.file.empty(); });
    if (cause != entry.causes.end()) return &*cause;
  }
  return nullptr;
}

std::string FindingLines::field_at(std::uint32_t line, std::uint32_t column) const {
  const auto found = std::ranges::find_if(
      fields_, [&](const Field& each) { return each.line == line && each.column == column; });
  return found == fields_.end() ? std::string() : found->path;
}

}  // namespace trainyard
