#include "driver/validate/looked_for_files.h"

#include <filesystem>

#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

void look(View at, const std::filesystem::path& folder, std::set<std::string>& found) {
  for (View each : Items(at)) {
    const bool is_operation = each.key() == "assert" || each.key() == "error";
    const std::string_view file = is_operation ? string_at(each, "file") : std::string_view();
    if (!file.empty()) found.insert((folder / file).lexically_normal().generic_string());
    look(each, folder, found);
  }
}

}  // namespace

std::set<std::string> looked_for_files(const SourceMap& sources, FileId file) {
  std::set<std::string> found;
  if (sources.text(file).find("chainsaw.kyverno.io/") == std::string_view::npos) return found;
  const auto folder = std::filesystem::path(sources.name(file)).parent_path();
  Sink faults;  // the run reports them when it reads the file itself
  for (const Tree& each : read_yaml(sources, file, faults, {}, Ambiguity::Kubernetes)) {
    look(View(each, each.root()), folder, found);
  }
  return found;
}

}  // namespace trainyard
