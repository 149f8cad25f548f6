#include "emit/provenance.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "source/sha256.h"

namespace trainyard {
namespace {

constexpr std::string_view kBeginning = "{\"version\": 1, \"output\": \"";

std::string digest_of(std::string_view text) {
  return "sha256:" + sha256_hex(text);
}

constexpr std::string_view kind_word(OriginKind kind) {
  switch (kind) {
    case OriginKind::Spec:
      return "spec";
    case OriginKind::Cluster:
      return "cluster";
    case OriginKind::Flag:
      return "flag";
    case OriginKind::Default:
      return "default";
    case OriginKind::Catalogue:
      return "catalogue";
    case OriginKind::Rule:
      return "rule";
    case OriginKind::Template:
      return "template";
    case OriginKind::Constant:
      return "constant";
    case OriginKind::Injected:
      return "controller";
    case OriginKind::Replaced:
      return "replaces";
    case OriginKind::Parameter:
      return "matrix";
    case OriginKind::Lock:
      return "lock";
    case OriginKind::None:
      return "unknown";
  }
  return "unknown";
}

/// What a list item is called: by the key that tells it from its neighbours.
std::string_view item_name(View item) {
  for (std::string_view key :
       {"name", "mountPath", "key", "topologyKey", "type", "containerPort"}) {
    if (const View value = item[key]) return value.text();
  }
  return {};
}

/// A key as a path writes it: in brackets and quotes where it is no plain word.
std::string path_key(std::string_view key) {
  const bool plain = key.find_first_of("./[]\"") == std::string_view::npos;
  return plain ? std::string(key) : "[\"" + std::string(key) + "\"]";
}

class Tracer {
 public:
  Tracer(const ObjectSet& objects, std::string_view text, const Origins& origins,
         const SourceMap& sources, Provenance& result)
      : tree_(objects.tree), origins_(origins), sources_(sources), result_(result) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }

  void object(const Object& object, const WrittenObject& written) {
    places_.clear();
    for (const WrittenNode& node : written.nodes) places_[node.node] = node;
    name_ = std::string(object.kind) + "/" + std::string(object.name);
    walk(object.root, "", "");
  }

 private:
  void walk(NodeId id, const std::string& path, const std::string& named) {
    const Node& node = tree_[id];
    if (node.size == 0) return leaf(id, path, named);
    std::size_t index = 0;
    for (NodeId child : tree_.children(id)) {
      if (node.is_map()) {
        const std::string key = path_key(tree_[child].key);
        const std::string dot = path.empty() || key.starts_with('[') ? "" : ".";
        walk(child, path + dot + key, named + dot + key);
      } else {
        const std::string number = std::to_string(index++);
        const std::string_view name = item_name(View(tree_, child));
        walk(child, path + "[" + number + "]",
             named + "[" + (name.empty() ? number : std::string(name)) + "]");
      }
    }
  }

  void leaf(NodeId id, const std::string& path, const std::string& named) {
    ProvenanceEntry entry;
    entry.object = name_;
    entry.path = path;
    entry.named_path = named;
    if (const auto place = places_.find(id); place != places_.end()) {
      entry.first_line = line_of(place->second.begin);
      entry.last_line = line_of(std::max(place->second.begin, place->second.end - 1));
    }
    causes(tree_[id].origin, 0, entry.causes);
    result_.push_back(std::move(entry));
  }

  std::uint32_t line_of(std::uint32_t offset) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return static_cast<std::uint32_t>(after - line_starts_.begin());
  }

  void causes(OriginId id, std::uint32_t depth, std::vector<Cause>& list) const {
    if (id == kNoOrigin || depth > kDeepestCause) return;
    const Origin& origin = origins_[id];
    Cause cause;
    cause.kind = kind_word(origin.kind);
    cause.name = origin.name;
    cause.depth = depth;
    if (origin.span.known()) {
      const Position position = sources_.position(origin.span.file, origin.span.begin);
      cause.file = sources_.name(origin.span.file);
      cause.line = position.line;
      cause.column = position.column;
    }
    list.push_back(std::move(cause));
    for (OriginId input : origins_.inputs(id)) causes(input, depth + 1, list);
  }

  const Tree& tree_;
  const Origins& origins_;
  const SourceMap& sources_;
  Provenance& result_;
  std::vector<std::uint32_t> line_starts_;
  std::unordered_map<NodeId, WrittenNode> places_;
  std::string name_;
};

/// The steps of a path: keys, indices and names.
std::vector<std::string> steps(std::string_view path) {
  std::vector<std::string> result;
  std::string step;
  const auto finish = [&] {
    if (!step.empty()) result.push_back(std::exchange(step, {}));
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.') {
      finish();
    } else if (path[i] == '[') {
      finish();
      const bool quoted = i + 1 < path.size() && path[i + 1] == '"';
      const std::size_t close = path.find(quoted ? "\"]" : "]", i + (quoted ? 2 : 1));
      if (close == std::string_view::npos) return {};
      const std::size_t begin = i + (quoted ? 2 : 1);
      result.emplace_back(path.substr(begin, close - begin));
      i = close + (quoted ? 1 : 0);
    } else {
      step += path[i];
    }
  }
  finish();
  return result;
}

bool begins_with(const ProvenanceEntry& entry, const std::vector<std::string>& wanted) {
  const std::vector<std::string> by_index = steps(entry.path);
  const std::vector<std::string> by_name = steps(entry.named_path);
  if (wanted.size() > by_index.size() || by_index.size() != by_name.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != by_index[i] && wanted[i] != by_name[i]) return false;
  }
  return true;
}

nlohmann::json to_json(const Cause& cause) {
  nlohmann::json json{{"kind", cause.kind}, {"depth", cause.depth}};
  if (!cause.name.empty()) json["name"] = cause.name;
  if (!cause.file.empty()) {
    json["file"] = cause.file;
    json["line"] = cause.line;
    json["column"] = cause.column;
  }
  return json;
}

/// Reads a map that may come from a stranger. Each member must be what `trace` writes.
class MapReader {
 public:
  std::optional<ProvenanceFile> read(std::string_view text) {
    const Json document = parse(text);
    ProvenanceFile result;
    if (!document.is_object() || number(document, "version") != 1) return std::nullopt;
    result.output = word(document, "output");
    const auto entries = document.find("entries");
    if (entries == document.end() || !entries->is_array()) return std::nullopt;
    for (const Json& item : *entries) result.entries.push_back(entry_from(item));
    if (!sound_) return std::nullopt;
    return result;
  }

 private:
  using Json = nlohmann::json;
  static constexpr int kDeepest = 6;  // of a member of a cause
  static constexpr std::size_t kMostValues = 4'000'000;

  /// Values beyond the bounds are dropped as they are read, so that they take no memory.
  Json parse(std::string_view text) {
    std::size_t values = 0;
    const auto keep = [&](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepest || ++values > kMostValues) sound_ = false;
      return sound_;
    };
    return Json::parse(text, keep, false);
  }

  std::string word(const Json& in, const char* key) {
    const auto found = in.find(key);
    if (found == in.end() || !found->is_string()) return fail<std::string>();
    return found->get<std::string>();
  }
  std::string word_if_any(const Json& in, const char* key) {
    return in.contains(key) ? word(in, key) : std::string();
  }

  std::uint32_t number(const Json& in, const char* key) {
    const auto found = in.find(key);
    if (found == in.end() || !found->is_number_unsigned()) return fail<std::uint32_t>();
    const auto value = found->get<std::uint64_t>();
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return value <= kMost ? static_cast<std::uint32_t>(value) : fail<std::uint32_t>();
  }
  std::uint32_t number_if_any(const Json& in, const char* key) {
    return in.contains(key) ? number(in, key) : 0U;
  }

  ProvenanceEntry entry_from(const Json& item) {
    ProvenanceEntry entry;
    if (!item.is_object()) return fail<ProvenanceEntry>();
    entry.object = word(item, "object");
    entry.path = word(item, "path");
    entry.named_path = word(item, "namedPath");
    entry.first_line = number(item, "firstLine");
    entry.last_line = number(item, "lastLine");
    if (entry.first_line > entry.last_line) sound_ = false;
    const auto causes = item.find("causes");
    if (causes == item.end() || !causes->is_array()) return fail<ProvenanceEntry>();
    for (const Json& each : *causes) {
      const std::uint32_t most = entry.causes.empty() ? 0 : entry.causes.back().depth + 1;
      entry.causes.push_back(cause_from(each, std::min(most, kDeepestCause)));
    }
    return entry;
  }

  Cause cause_from(const Json& json, std::uint32_t deepest) {
    Cause cause;
    if (!json.is_object()) return fail<Cause>();
    cause.kind = word(json, "kind");
    cause.name = word_if_any(json, "name");
    cause.file = word_if_any(json, "file");
    cause.line = number_if_any(json, "line");
    cause.column = number_if_any(json, "column");
    cause.depth = number(json, "depth");
    if (cause.depth > deepest || !is_kind_word(cause.kind)) sound_ = false;
    return cause;
  }

  static bool is_kind_word(std::string_view word) {
    constexpr std::string_view kUnknown = kind_word(OriginKind::None);
    for (std::uint8_t kind = 1;; ++kind) {
      const std::string_view known = kind_word(static_cast<OriginKind>(kind));
      if (known == word || known == kUnknown) return known == word || word == kUnknown;
    }
  }

  template <class Value>
  Value fail() {
    sound_ = false;
    return {};
  }

  bool sound_ = true;
};

}  // namespace

void trace(const ObjectSet& objects, const std::vector<WrittenObject>& written,
           std::string_view text, const Origins& origins, const SourceMap& sources,
           Provenance& result) {
  Tracer tracer(objects, text, origins, sources, result);
  for (const WrittenObject& object : written) {
    tracer.object(objects.objects[object.object], object);
  }
}

bool ProvenanceFile::is_of(std::string_view text) const {
  return output == digest_of(text);
}

bool is_provenance(std::string_view json) {
  return json.starts_with(kBeginning);
}

std::string entries_json(const Provenance& provenance) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  std::string text = "[";
  const char* separator = "\n";
  for (const ProvenanceEntry& entry : provenance) {
    nlohmann::json causes = nlohmann::json::array();
    for (const Cause& cause : entry.causes) causes.push_back(to_json(cause));
    const nlohmann::json json{{"object", entry.object},        {"path", entry.path},
                              {"namedPath", entry.named_path}, {"firstLine", entry.first_line},
                              {"lastLine", entry.last_line},   {"causes", std::move(causes)}};
    text += separator + json.dump(-1, ' ', false, kReplace);
    separator = ",\n";
  }
  return text + "\n]";
}

std::string provenance_json(const Provenance& provenance, std::string_view output) {
  return std::string(kBeginning) + digest_of(output) +
         "\", \"entries\": " + entries_json(provenance) + "}\n";
}

std::optional<ProvenanceFile> read_provenance(std::string_view json) {
  return MapReader().read(json);
}

std::vector<const ProvenanceEntry*> at_path(const Provenance& provenance, std::string_view place) {
  // An object's name has a slash and comes before the first colon outside of brackets.
  std::string_view object;
  const std::size_t colon = place.find(':');
  const std::size_t bracket = place.find('[');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon < bracket)) {
    object = place.substr(0, colon);
    place = place.substr(colon + 1);
  }
  const std::vector<std::string> wanted = steps(place);
  std::vector<const ProvenanceEntry*> found;
  for (const ProvenanceEntry& entry : provenance) {
    if (!object.empty() && entry.object != object) continue;
    if (begins_with(entry, wanted)) found.push_back(&entry);
  }
  return found;
}

std::vector<const ProvenanceEntry*> at_line(const Provenance& provenance, std::uint32_t line) {
  std::vector<const ProvenanceEntry*> found;
  for (const ProvenanceEntry& entry : provenance) {
    if (entry.first_line <= line && line <= entry.last_line) found.push_back(&entry);
  }
  return found;
}

}  // namespace trainyard
