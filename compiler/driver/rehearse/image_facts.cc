#include "driver/rehearse/image_facts.h"

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::vector<std::string> words_at(View config, std::string_view key) {
  std::vector<std::string> words;
  for (View each : items_at(config, key)) words.emplace_back(string_of(each));
  return words;
}

}  // namespace

ImageFacts read_image_facts(std::string_view inspected) {
  ImageFacts facts;
  SourceMap sources;
  Sink sink;
  const auto tree = read_json(sources, sources.add("image", std::string(inspected)), sink);
  const View list = tree ? View(*tree, tree->root()) : View();
  if (!has_items(list) || !list->is_seq()) {
    facts.fault = "`podman image inspect` prints something else than a list of images";
    return facts;
  }
  const View config = get(list.first(), "Config");
  for (const std::string& each : words_at(config, "Env")) {
    const std::size_t equals = each.find('=');
    if (equals != each.npos) facts.environment[each.substr(0, equals)] = each.substr(equals + 1);
  }
  facts.entrypoint = words_at(config, "Entrypoint");
  facts.command = words_at(config, "Cmd");
  const std::string_view folder = string_at(config, "WorkingDir");
  if (!folder.empty()) facts.working_directory = folder;
  return facts;
}

}  // namespace trainyard
