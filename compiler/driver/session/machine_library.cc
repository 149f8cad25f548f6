#include "driver/session/machine_library.h"

#include <algorithm>
#include <utility>

namespace trainyard {

void MachineLibrary::index() {
  if (std::exchange(indexed_, true)) return;
  for (const std::string& path : files_.list("machines/")) {
    catalogues_.emplace_back();
    catalogues_.back().path = path;
  }
}

const MachineCatalogue* MachineLibrary::load(Catalogue& catalogue) {
  if (std::exchange(catalogue.loaded, true)) return catalogue.machines;
  const auto file = files_.find(catalogue.path);
  if (!file) return nullptr;
  std::vector<Tree> documents = read_template(*file, sources_, catalogue.file, sink_);
  if (documents.size() != 1) return nullptr;
  catalogue.tree = std::move(documents[0]);
  decoded_.push_back(std::make_unique<MachineCatalogue>(
      decode_machine_catalogue(catalogue.tree, catalogue.tree.root(), sink_)));
  catalogue.machines = decoded_.back().get();
  return catalogue.machines;
}

const Machine* MachineLibrary::find(std::string_view name) {
  index();
  for (Catalogue& catalogue : catalogues_) {
    // Most files do not mention the name at all; looking is much cheaper than parsing.
    const auto file = files_.find(catalogue.path);
    if (!file || file->text.find(name) == std::string_view::npos) continue;
    const MachineCatalogue* machines = load(catalogue);
    if (machines == nullptr) continue;
    if (const Machine* found = find_machine(*machines, name)) return found;
  }
  return nullptr;
}

const std::vector<std::unique_ptr<MachineCatalogue>>& MachineLibrary::all() {
  index();
  for (Catalogue& catalogue : catalogues_) load(catalogue);
  return decoded_;
}

std::vector<std::string> MachineLibrary::names() {
  std::vector<std::string> result;
  for (const auto& catalogue : all()) {
    for (const auto& machine : *catalogue->spec->machines) {
      result.emplace_back(*machine->name);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

const MachineSpec* MachineLibrary::catalogue(FileId file) const {
  for (const Catalogue& known : catalogues_) {
    if (known.machines != nullptr && known.file == file) return &*known.machines->spec;
  }
  return nullptr;
}

const Tree* MachineLibrary::tree(FileId file) const {
  for (const Catalogue& catalogue : catalogues_) {
    if (catalogue.loaded && catalogue.file == file) return &catalogue.tree;
  }
  return nullptr;
}

}  // namespace trainyard
