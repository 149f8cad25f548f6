#include "driver/fabric_library.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

constexpr std::string_view kFolder = "fabrics/";
constexpr std::string_view kExtension = ".yaml";

std::string path_of(std::string_view name) {
  return std::string(kFolder) + std::string(name) + std::string(kExtension);
}

}  // namespace

const Fabric* FabricLibrary::find(std::string_view name) {
  auto found = entries_.find(name);
  if (found == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->usable = load(name, *entry);
    found = entries_.emplace(std::string(name), std::move(entry)).first;
  }
  return found->second->usable ? &found->second->fabric : nullptr;
}

bool FabricLibrary::load(std::string_view name, Entry& entry) {
  const auto file = files_.find(path_of(name));
  if (!file) return false;
  const std::size_t errors = sink_.error_count();
  std::vector<Tree> documents = read_template(*file, sources_, entry.file, sink_);
  if (sink_.error_count() != errors) return false;
  if (documents.size() != 1) {
    sink_.report(DiagnosticKind::BadTargetPack, Span{entry.file, 0, 0},
                 "the file of a fabric holds one document");
    return false;
  }
  entry.tree = std::move(documents[0]);
  const bool ours = !file->image.empty();  // held against its schema by a test
  if (!ours && !is_sound(entry, name)) return false;
  entry.fabric = decode_fabric(entry.tree, entry.tree.root(), sink_);
  return sink_.error_count() == errors;
}

bool FabricLibrary::is_sound(const Entry& entry, std::string_view name) {
  const std::size_t errors = sink_.error_count();
  const SchemaKind* kind = schemas_.find("trainyard/v1alpha1", "Fabric");
  report(checker_.check(kind->schema, entry.tree, entry.tree.root()), entry.tree, {}, sink_);
  const View called = View(entry.tree, entry.tree.root())["metadata"]["name"];
  if (called && called.text() != name) {
    sink_.report(DiagnosticKind::BadTargetPack, called->span,
                 "`name` must be `" + std::string(name) + "`, as the file is called");
  }
  return sink_.error_count() == errors;
}

std::vector<std::string> FabricLibrary::names() {
  std::vector<std::string> result;
  for (std::string path : files_.list(kFolder)) {
    path.erase(0, kFolder.size());
    if (path.find('/') != std::string::npos) continue;
    path.erase(path.size() - kExtension.size());
    result.push_back(std::move(path));
  }
  return result;
}

const Tree* FabricLibrary::tree(FileId file) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [file](const auto& entry) { return entry.second->file == file; });
  return found == entries_.end() ? nullptr : &found->second->tree;
}

}  // namespace trainyard
