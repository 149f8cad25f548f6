#include <optional>
#include <set>

#include "editor/causes_of_line.h"
#include "editor/file_uri.h"
#include "editor/name_places.h"
#include "editor/workspace_texts.h"

namespace trainyard {
namespace {

class Definition {
 public:
  Definition(Workspace& workspace, const OpenDocument& document)
      : workspace_(workspace), document_(document), outline_(document.text) {}

  Json at(std::size_t offset) {
    for (Json& each : causes_places(workspace_, document_, document_.lines.line_of(offset))) {
      places_.push_back(std::move(each));
    }
    const auto node = outline_.at(offset);
    if (!places_.empty() || !node) return std::move(places_);
    const bool on_key = outline_.is_on_key(*node, offset);
    if (const auto name = name_at(outline_, *node, on_key)) of_name(*name);
    if (places_.empty() && is_spec(outline_, outline_.document_of(*node))) in_layers(*node);
    return std::move(places_);
  }

 private:
  void add(const std::string& path, std::string_view text, std::size_t begin, std::size_t end) {
    const OpenDocument* const open = workspace_.documents.at_path(path);
    places_.push_back({{"uri", open != nullptr ? open->uri : uri_of_path(path)},
                       {"range", range_json(LineIndex(text), text, begin, end, workspace_.unit)}});
  }

  void of_name(const SortedName& name) {
    switch (name.sort) {
      case NameSort::File:
        return of_file(std::string(name.name));
      case NameSort::Role:
        define_in(document_.path, document_.text, name);
        for (const std::string& file : layers()) {
          if (places_.empty()) define_in(file, text_of_file(workspace_, file), name);
        }
        return;
      case NameSort::Job:
        for (const std::string& file : workspace_files(workspace_, document_)) {
          if (places_.empty()) define_in(file, text_of_file(workspace_, file), name);
        }
        return;
      case NameSort::Machine:
      case NameSort::Fabric:
      case NameSort::Target:
      case NameSort::Image:
        return;
      default:
        return of_cluster(name);
    }
  }

  void of_file(const std::string& name) {
    const std::string path =
        normal_path(name.starts_with('/') ? name : folder_of(document_.path) + name);
    FileSystem& files = workspace_.documents;
    if (files.exists(path) && !files.is_directory(path)) add(path, "", 0, 0);
  }

  void of_cluster(const SortedName& name) {
    define_in(document_.path, document_.text, name);
    if (!places_.empty()) return;
    const EditorRun run(workspace_, document_.path);
    const std::string path = normal_path(run.request.cluster);
    if (!path.empty() && path != ".") define_in(path, text_of_file(workspace_, path), name);
  }

  void define_in(const std::string& path, const std::string& text, const SortedName& wanted) {
    if (text.find(wanted.name) == std::string::npos) return;
    const Outline outline(text);
    for (std::uint32_t node = 0; node < outline.nodes().size(); ++node) {
      for (const bool on_key : {false, true}) {
        const auto name = name_at(outline, node, on_key);
        if (!name || !name->is_definition || name->sort != wanted.sort) continue;
        if (name->name == wanted.name) add(path, text, name->begin, name->end);
      }
    }
  }

  /// What the document extends, directly and indirectly, nearest first.
  std::vector<std::string> layers() {
    constexpr std::size_t kMost = 100;
    std::vector<std::string> files = extended_files(outline_, document_.path);
    std::set<std::string> seen(files.begin(), files.end());
    for (std::size_t i = 0; i < files.size() && files.size() < kMost; ++i) {
      const std::string text = text_of_file(workspace_, files[i]);
      for (std::string& each : extended_files(Outline(text), files[i])) {
        if (seen.insert(each).second) files.push_back(std::move(each));
      }
    }
    return files;
  }

  /// The same field in the nearest layer that has it.
  void in_layers(std::uint32_t node) {
    const auto path = outline_.path(node);
    for (const std::string& file : layers()) {
      const std::string text = text_of_file(workspace_, file);
      const Outline layer(text);
      std::optional<std::uint32_t> at = layer.nodes().empty() ? std::nullopt : std::optional(0U);
      for (const std::uint32_t step : path) {
        if (!at || outline_[step].kind == OutlineNode::Kind::Item) break;
        at = layer.child(*at, outline_.key(step));
      }
      if (!at || *at == 0) continue;
      return add(file, text, layer[*at].begin, layer[*at].end);
    }
  }

  Workspace& workspace_;
  const OpenDocument& document_;
  Outline outline_;
  Json places_ = Json::array();
};

}  // namespace

Json definitions(Workspace& workspace, const OpenDocument& document, std::size_t offset) {
  return Definition(workspace, document).at(offset);
}

}  // namespace trainyard
