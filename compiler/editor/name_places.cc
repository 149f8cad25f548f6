#include "editor/name_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "editor/file_uri.h"
#include "editor/workspace_texts.h"
#include "schema/names.h"

namespace trainyard {
namespace {

std::optional<SortedName> name_under(const Outline& outline, std::size_t offset) {
  const auto node = outline.at(offset);
  if (!node) return std::nullopt;
  const auto name = name_at(outline, *node, outline.is_on_key(*node, offset));
  return !name || name->name.empty() ? std::nullopt : name;
}

bool is_of_one_job(NameSort sort) {
  return sort == NameSort::Job || sort == NameSort::Role;
}

/// A spec as a member of a family: those that extend each other.
struct Relative {
  std::vector<std::string> extends;
  bool has_name = false;
};

class Search {
 public:
  Search(Workspace& workspace, const OpenDocument& document, const SortedName& name,
         const Cancelled& cancelled)
      : workspace_(workspace),
        document_(document),
        name_(name.name),
        sort_(name.sort),
        cancelled_(cancelled) {}

  std::vector<NamePlace> run() {
    const std::vector<std::string> files = workspace_files(workspace_, document_);
    if (is_of_one_job(sort_)) find_family(files);
    for (const std::string& path : files) {
      if (cancelled_()) return {};
      const std::string text = text_of_file(workspace_, path);
      if (text.find(name_) != std::string::npos) search(path, text);
    }
    return std::move(places_);
  }

 private:
  void find_family(const std::vector<std::string>& files) {
    std::map<std::string, Relative> all;
    for (const std::string& path : files) {
      if (cancelled_()) return;
      const std::string text = text_of_file(workspace_, path);
      if (text.find("TrainingJob") == std::string::npos) continue;
      const Outline outline(text);
      all[path] = {extended_files(outline, path), text.find(name_) != std::string::npos};
    }
    family_ = {document_.path};
    for (bool grew = true; grew;) {
      grew = false;
      for (const auto& [path, relative] : all) {
        for (const std::string& each : relative.extends) {
          const bool below = family_.contains(path) && all.contains(each);
          const bool above = family_.contains(each) && all[each].has_name;
          if (below) grew = family_.insert(each).second || grew;
          if (above) grew = family_.insert(path).second || grew;
        }
      }
    }
  }

  void search(const std::string& path, const std::string& text) {
    const Outline outline(text);
    const LineIndex lines(text);
    const bool is_relative = family_.contains(path);
    for (std::uint32_t node = 0; node < outline.nodes().size(); ++node) {
      for (const bool on_key : {false, true}) {
        const auto name = name_at(outline, node, on_key);
        if (!name || name->sort != sort_ || name->name != name_) continue;
        // Documents of other sorts name a job from outside: a Fleet.
        const bool is_inside = is_spec(outline, outline.document_of(node));
        if (is_of_one_job(sort_) && is_inside && !is_relative) continue;
        add(path, text, lines, name->begin, name->end, name->is_definition);
      }
    }
    if (sort_ == NameSort::Role && is_relative) search_variables(path, text, lines);
  }

  /// `$(roles.NAME.port)` in texts.
  void search_variables(const std::string& path, const std::string& text, const LineIndex& lines) {
    constexpr std::string_view kBefore = "$(roles.";
    const std::string wanted = std::string(kBefore) + name_ + ".";
    for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
      const std::size_t begin = at + kBefore.size();
      add(path, text, lines, begin, begin + name_.size(), false);
    }
  }

  void add(const std::string& path, std::string_view text, const LineIndex& lines,
           std::size_t begin, std::size_t end, bool is_definition) {
    const OpenDocument* const open = workspace_.documents.at_path(path);
    places_.push_back({open != nullptr ? open->uri : uri_of_path(path),
                       range_json(lines, text, begin, end, workspace_.unit), is_definition});
  }

  Workspace& workspace_;
  const OpenDocument& document_;
  std::string name_;
  NameSort sort_;
  const Cancelled& cancelled_;
  std::set<std::string> family_;  // paths
  std::vector<NamePlace> places_;
};

}  // namespace

std::vector<NamePlace> name_places(Workspace& workspace, const OpenDocument& document,
                                   std::size_t offset, const Cancelled& cancelled) {
  const Outline outline(document.text);
  const auto name = name_under(outline, offset);
  if (!name) return {};
  return Search(workspace, document, *name, cancelled).run();
}

Json prepare_rename(const Workspace& workspace, const OpenDocument& document, std::size_t offset) {
  const Outline outline(document.text);
  const auto name = name_under(outline, offset);
  if (!name || !is_of_one_job(name->sort)) return nullptr;
  return {
      {"range", range_json(document.lines, document.text, name->begin, name->end, workspace.unit)},
      {"placeholder", std::string(name->name)}};
}

Json rename(Workspace& workspace, const OpenDocument& document, std::size_t offset,
            const std::string& name, const Cancelled& cancelled, std::string& fault) {
  if (prepare_rename(workspace, document, offset).is_null()) {
    fault = "only the name of a job or a role can be changed";
    return nullptr;
  }
  if (const auto why = why_not_dns_label(name)) {
    fault = "`" + name + "` " + *why;
    return nullptr;
  }
  Json changes = Json::object();
  for (const NamePlace& each : name_places(workspace, document, offset, cancelled)) {
    changes[each.uri].push_back({{"range", each.range}, {"newText", name}});
  }
  return {{"changes", std::move(changes)}};
}

}  // namespace trainyard
