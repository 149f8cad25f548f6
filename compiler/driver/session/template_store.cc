#include "driver/session/template_store.h"

#include <set>
#include <utility>

#include "driver/session/inputs.h"

namespace trainyard {

std::string_view embedded_templates();  // made by the build from templates/

TemplateStore::TemplateStore() {
  if (auto files = EmbeddedFiles::open(embedded_templates())) embedded_ = *files;
}

void TemplateStore::add_directory(const std::string& directory, Env& env, Sink& sink) {
  add_below(directory, "", 0, env, sink);
}

void TemplateStore::add_below(const std::string& directory, const std::string& path, int depth,
                              Env& env, Sink& sink) {
  constexpr int kDeepest = 8;
  constexpr std::size_t kLargest = 1024 * 1024;
  if (depth > kDeepest) return;
  const std::string folder = path.empty() ? directory : directory + "/" + path;
  const Listing listing = env.files.list(folder);
  if (listing.error) report_unreadable(folder, *listing.error, {}, sink);
  for (const std::string& name : listing.names) {
    const std::string below = path.empty() ? name : path + "/" + name;
    if (name.ends_with('/')) {
      add_below(directory, below.substr(0, below.size() - 1), depth + 1, env, sink);
    } else if (name.ends_with(".yaml")) {
      FileRead read = env.files.read(directory + "/" + below, kLargest);
      if (read.error) {
        report_unreadable(directory + "/" + below, *read.error, {}, sink);
        continue;
      }
      user_[below] = {directory + "/" + below, std::move(read.text)};
    }
  }
}

std::optional<TemplateFiles::File> TemplateStore::find(std::string_view path) const {
  if (const auto own = user_.find(path); own != user_.end()) {
    return File{own->second.name, own->second.text, {}};
  }
  const auto text = embedded_.find(path);
  if (!text) return std::nullopt;
  const std::string name(path);
  return File{"templates/" + name, *text, embedded_.find(name + ".tree").value_or("")};
}

std::vector<std::string> TemplateStore::list(std::string_view folder) const {
  std::set<std::string> paths;
  for (const EmbeddedFiles::File& file : embedded_.list(folder)) {
    if (file.path.ends_with(".yaml")) paths.emplace(file.path);
  }
  for (const auto& [path, file] : user_) {
    if (path.starts_with(folder)) paths.insert(path);
  }
  return {paths.begin(), paths.end()};
}

std::vector<std::string> TemplateStore::targets() const {
  constexpr std::string_view kFile = "/target.yaml";
  std::vector<std::string> names;
  for (const std::string& path : list("")) {
    if (path.ends_with(kFile)) names.push_back(path.substr(0, path.size() - kFile.size()));
  }
  return names;
}

}  // namespace trainyard
