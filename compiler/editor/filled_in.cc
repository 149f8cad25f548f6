#include "editor/filled_in.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "driver/why/known_causes.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostShown = 20;

struct Outcome {
  std::uint32_t depth = 0;
  std::uint32_t line = 0;  // of the output
};

std::string_view trimmed_line(std::string_view text, const LineIndex& lines, std::uint32_t line) {
  text = text.substr(lines.start(line - 1));
  text = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(" -"), text.size()));
  return text;
}

bool is_below(std::string_view field, std::string_view path) {
  return field.starts_with(path) && (field.size() == path.size() || field[path.size()] == '.');
}

/// A name tells less than the value beside it.
bool is_telling(const ProvenanceEntry& entry) {
  return !entry.path.ends_with(".name") && !entry.path.ends_with(".kind");
}

}  // namespace

std::string filled_in(Workspace& workspace, const OpenDocument& document, const std::string& path) {
  EditorRun run(workspace, document.path);
  if (run.session.sink.has_errors()) return {};
  const auto known =
      load_causes(run.session, {document.path, run.request.cluster, run.request.target});
  if (!known || !known->spec) return {};
  std::map<std::string, Outcome> fields;
  for (const ProvenanceEntry& entry : known->causes) {
    for (const Cause& cause : entry.causes) {
      if (cause.kind != "default" || !is_below(cause.name, path) || !is_telling(entry)) continue;
      const auto [at, is_new] =
          fields.try_emplace(cause.name, Outcome{cause.depth, entry.first_line});
      if (!is_new && cause.depth < at->second.depth) at->second = {cause.depth, entry.first_line};
    }
  }
  const LineIndex lines(known->output);
  std::string text;
  std::size_t count = 0;
  for (const auto& [field, effect] : fields) {
    if (++count > kMostShown) break;
    text += "\n- `" + field + "`: `" +
            std::string(trimmed_line(known->output, lines, effect.line)) + "`";
  }
  if (count > kMostShown) text += "\n- and more";
  return text;
}

}  // namespace trainyard
