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
  constexpr std::size_t kLargest = 1024 * 1024;
  const auto is_template = [](const std::string& path) { return path.ends_with(".yaml"); };
  for (const std::string& path : files_below(directory, env, sink, is_template)) {
    FileRead read = env.files.read(path, kLargest);
    if (read.error) {
      report_unreadable(path, *read.error, {}, sink);
      continue;
    }
    const std::size_t below = path.find_first_not_of('/', directory.size());
    user_[path.substr(below)] = {path, std::move(read.text)};
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

std::optional<std::string_view> TemplateStore::text_of(std::string_view path) const {
  for (const auto& [name, file] : user_) {
    if (file.name == path) return file.text;
  }
  return std::nullopt;
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
