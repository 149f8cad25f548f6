// The only source that knows absolute paths: all others give the same object file in every
// checkout.
#include "folders.h"

#include <cstdlib>

namespace trainyard::testing {

std::filesystem::path repository() {
  return TRAINYARD_SOURCE_DIR;
}
std::filesystem::path build_folder() {
  return TRAINYARD_BINARY_DIR;
}

std::string go_program() {
  return TRAINYARD_GO;
}
std::string python_program() {
  return TRAINYARD_PYTHON;
}

namespace {

std::filesystem::path from_environment(const char* name, const char* below) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return {};
  return std::filesystem::path(value) / below;
}

constexpr struct {
  std::string_view name;
  std::string_view repository;
  std::string_view commit;
} kSuites[] = {
    {"yaml-test-suite", "yaml/yaml-test-suite", "ccfa74e56afb53da960847ff6e6976c0a0825709"},
    {"cel-spec", "google/cel-spec", "508bd98efda47d85bcf1b9930dd5f35fa37e9a18"},
    {"json-schema-draft7", "json-schema-org/JSON-Schema-Test-Suite",
     "44401e0c046704b476ec9d2e2fccdaee618f259d"},
};

}  // namespace

std::filesystem::path shared_folder() {
  for (const auto& folder : {from_environment("TRAINYARD_SHARED", ""),
                             from_environment("XDG_CACHE_HOME", "trainyard/shared"),
                             from_environment("HOME", ".cache/trainyard/shared")}) {
    if (!folder.empty()) return folder;
  }
  return build_folder() / "shared";
}

std::string missing_definitions(const std::filesystem::path& wanted) {
  return "no " + wanted.string() +
         "; TRAINYARD_SHARED names a folder of collected definitions: see schemas/README.md";
}

Suite public_suite(std::string_view name) {
  Suite result{shared_folder() / "suites" / name, {}};
  if (std::filesystem::is_directory(result.folder)) return result;
  for (const auto& known : kSuites) {
    if (known.name != name) continue;
    const std::string where = "'" + result.folder.string() + "'";
    result.missing = "no " + result.folder.string() + "; get it: git clone https://github.com/" +
                     std::string(known.repository) + " " + where + " && git -C " + where +
                     " checkout " + std::string(known.commit);
  }
  return result;
}

}  // namespace trainyard::testing
