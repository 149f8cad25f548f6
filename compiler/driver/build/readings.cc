#include "driver/build/readings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tree/heading.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// More readings cost time and find little.
constexpr std::size_t kMostReadings = 16;

/// A value for each sort of field of our own documents.
constexpr auto kSamples = std::to_array<std::string_view>(
    {"sample", "/sample", "s3://sample/sample", "1", "8", "1Gi", "1h", "1g.10gb", "true", "[]",
     "[sample]", "{}", "{sample: sample}", "{script: sample.py}", "{fabric: none}"});

/// The place of a node: no two nodes of one document have the same key.
Span own_place(const Node& node) {
  return node.key_span.known() ? node.key_span : node.span;
}

bool holds(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

std::optional<Tree> parsed(const std::string& text) {
  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees = read_yaml(sources, sources.add("value", text), sink);
  if (trees.size() != 1 || sink.has_errors()) return std::nullopt;
  Tree own;  // its texts are its own
  own.set_root(own.copy(trees.front(), trees.front().root()));
  return own;
}

/// From the first to the last of the words that a node stands among; unknown for other nodes.
Span words_around(const Tree& tree, NodeId parent, NodeId node) {
  if (tree[parent].kind != Kind::Seq || !tree[node].is_scalar()) return {};
  Span all = tree[node].span;
  for (NodeId each : tree.children(parent)) {
    const Span span = tree[each].span;
    if (!tree[each].is_scalar() || span.file != all.file) return {};
    all.begin = std::min(all.begin, span.begin);
    all.end = std::max(all.end, span.end);
  }
  return all;
}

void put_at(Tree& tree, NodeId id, Span span) {
  tree[id].span = span;
  for (NodeId child = tree[id].first; child != kNoNode; child = tree[child].next) {
    tree[child].key_span = tree[child].key.empty() ? Span{} : span;
    put_at(tree, child, span);
  }
}

/// Calls `visit` for each node that has a parent, parents first.
void walk(const Tree& tree, NodeId parent,
          const std::function<void(NodeId parent, NodeId node)>& visit) {
  for (NodeId child : tree.children(parent)) {
    visit(parent, child);
    walk(tree, child, visit);
  }
}

/// What the value of an entry or item has to fit.
SchemaId below(const SchemaPack& pack, SchemaId schema, const Node& value) {
  if (schema == kNoLimit) return kNoLimit;
  const SchemaNode& node = pack[schema];
  if (value.key.empty()) return node.items;
  return pack.property(node, value.key).value_or(node.additional);
}

}  // namespace

Readings::Readings(Session& session, const Document& document, const ClusterDocument* cluster)
    : session_(session), document_(document), cluster_(cluster) {
  if (const SchemaKind* kind = session.schemas.find(document.api_version, document.kind)) {
    schema_ = kind->schema;
  }
}

std::size_t Readings::count() const {
  std::size_t most = 1;
  for (const Part& each : parts_) most = std::max(most, each.choices.size());
  return std::min(most, kMostReadings);
}

Document Readings::reading(std::size_t number) const {
  Document result;
  result.path = document_.path;
  result.file = document_.file;
  result.from_directory = document_.from_directory;
  result.places = document_.places;
  Tree& tree = result.tree;
  tree.set_root(tree.copy(document_.tree, document_.tree.root()));
  for (const Part& each : parts_) {
    apply(each.choices[number % each.choices.size()], tree);
  }
  result.api_version = result.root()["apiVersion"].text();
  result.kind = result.root()["kind"].text();
  return result;
}

bool Readings::concerns(const Diagnostic& finding) const {
  const bool is_lack =
      finding.kind == DiagnosticKind::MissingField || finding.kind == DiagnosticKind::MissingChoice;
  return std::ranges::any_of(parts_, [&](const Part& part) {
    if (part.mended)
      return part.choices.front().kind == Edit::Kind::Replace && holds(part.value, finding.span);
    if (is_lack && (finding.span == part.above || part.is_left_out)) return true;
    const auto is_in = [&](Span span) {
      if (!span.known()) return false;
      if (holds(part.key, span) || holds(part.value, span)) return true;
      // A command without one of its words is another command.
      if (part.words.known() && holds(part.words, span)) return true;
      // Readings that differ show by themselves what depends on the part.
      return part.choices.size() == 1 && holds(span, part.value);
    };
    return is_in(finding.span) || std::ranges::any_of(finding.labels, is_in, &Label::span);
  });
}

void Readings::mark_texts(const std::function<bool(std::string_view)>& unknown) {
  const Tree& tree = document_.tree;
  walk(tree, tree.root(), [&](NodeId, NodeId node) {
    if (tree[node].kind != Kind::String || !unknown(tree[node].text)) return;
    mark(Diagnostic(DiagnosticKind::PatternMismatch, tree[node].span, ""));
  });
}

bool Readings::mark(const Diagnostic& error) {
  if (!error.span.known()) return false;
  const Place place = place_of(error.span);
  if (place.node == kNoNode) return false;
  const Node& node = document_.tree[place.node];
  Part* known = part_at(place);
  if (known != nullptr && !known->mended) return false;
  std::vector<Edit> choices;
  if (known == nullptr) choices = fix_of(error);
  const bool mended = !choices.empty();
  if (!mended) choices = alternatives(error, place);
  const Span above = heading(document_.tree[place.parent]);
  const Span words = words_around(document_.tree, place.parent, place.node);
  Part part{node.key_span, node.span, above, words, std::move(choices), mended};
  // A field with a guess at its name is there, even if its value does not fit as it stands.
  const bool is_guessed = error.kind != DiagnosticKind::UnknownField || !error.fixes.empty();
  part.is_left_out = part.choices.size() == 1 && is_guessed;
  if (known == nullptr) {
    parts_.push_back(std::move(part));
  } else {
    *known = std::move(part);
  }
  return true;
}

bool Readings::give_up(const Diagnostic& error) {
  if (!error.span.known()) return false;
  const Place place = place_of(error.span);
  return place.node != kNoNode && part_at(place) != nullptr && mark(error);
}

/// The part of a node, if it failed.
Readings::Part* Readings::part_at(const Place& place) {
  const Node& node = document_.tree[place.node];
  const auto found = std::ranges::find_if(parts_, [&](const Part& part) {
    return part.key == node.key_span && part.value == node.span;
  });
  return found == parts_.end() ? nullptr : &*found;
}

/// The smallest part of the document that holds a place.
Readings::Place Readings::place_of(Span span) const {
  const Tree& tree = document_.tree;
  Place found;
  const std::function<void(NodeId, SchemaId)> look = [&](NodeId parent, SchemaId schema) {
    for (NodeId child : tree.children(parent)) {
      const Node& node = tree[child];
      const SchemaId own = below(session_.schemas, schema, node);
      if (holds(node.key_span, span) || holds(node.span, span))
        found = {parent, child, schema, own};
      look(child, own);
    }
  };
  look(tree.root(), schema_);
  return found;
}

Readings::Edit Readings::edit(Edit::Kind kind, NodeId id, std::string key, std::string text) const {
  const Node& node = document_.tree[id];
  return {kind, own_place(node), node.is_scalar(), std::move(key), std::move(text)};
}

/// The fix that an error suggests, if the document then fits the schema there.
std::vector<Readings::Edit> Readings::fix_of(const Diagnostic& error) const {
  if (error.fixes.size() != 1) return {};
  const Fix& fix = error.fixes.front();
  const Place place = place_of(fix.span);
  if (place.node == kNoNode) return {};
  const Tree& tree = document_.tree;
  const Node& node = tree[place.node];
  if (fix.span == node.key_span) {
    const NodeId other = tree.find(place.parent, fix.replacement);
    if (other != kNoNode || place.parent_schema == kNoLimit) return {};
    const SchemaNode& map = session_.schemas[place.parent_schema];
    const SchemaId schema =
        session_.schemas.property(map, fix.replacement).value_or(map.additional);
    if (schema == kNoLimit || !fits(schema, tree, place.node)) return {};
    return {edit(Edit::Kind::Rename, place.node, fix.replacement)};
  }
  if (fix.span != node.span || !fits(place.schema, fix.replacement)) return {};
  return {edit(Edit::Kind::Replace, place.node, {}, fix.replacement)};
}

std::vector<Readings::Edit> Readings::alternatives(const Diagnostic& error, const Place& place) {
  const DiagnosticKind kind = error.kind;
  if (kind == DiagnosticKind::MissingField || kind == DiagnosticKind::MissingChoice) {
    std::vector<Edit> added = additions(place);
    if (!added.empty()) return added;
  }
  std::vector<Edit> choices{edit(Edit::Kind::Remove, place.node)};
  if (kind == DiagnosticKind::ExclusiveFields) {
    for (const Label& each : error.labels) {
      const Place other = place_of(each.span);
      if (other.node != kNoNode) choices.push_back(edit(Edit::Kind::Remove, other.node));
    }
    return choices;
  }
  if (kind == DiagnosticKind::StagedFileProblem) {  // without its text
    if (document_.tree[place.node].key == "from") {
      return {edit(Edit::Kind::Rename, place.node, "content")};
    }
    return {edit(Edit::Kind::Remove, place.parent)};
  }
  if (kind == DiagnosticKind::UnknownReference &&
      error.span == document_.tree[place.node].key_span) {
    for (std::string& each : known_keys()) {
      choices.push_back(edit(Edit::Kind::Rename, place.node, std::move(each)));
    }
    return choices;
  }
  if (kind == DiagnosticKind::UnknownField) {
    std::ranges::move(other_keys(place), std::back_inserter(choices));
    return choices;
  }
  for (std::string& each : samples(document_.tree[place.node].key, place.schema)) {
    choices.push_back(edit(Edit::Kind::Replace, place.node, {}, std::move(each)));
  }
  return choices;
}

/// What a Cluster has as keys: schemes of data and fabrics.
std::vector<std::string> Readings::known_keys() {
  std::vector<std::string> found = session_.transfers.names();
  std::ranges::move(session_.fabrics.names(), std::back_inserter(found));
  return found;
}

/// The fields beside an unknown one that could have its value.
std::vector<Readings::Edit> Readings::other_keys(const Place& place) const {
  std::vector<Edit> found;
  if (place.parent_schema == kNoLimit) return found;
  const Tree& tree = document_.tree;
  const SchemaPack& pack = session_.schemas;
  for (const SchemaProperty& each : pack.properties(pack[place.parent_schema])) {
    const std::string_view name = pack.text(each.name);
    if (tree.find(place.parent, name) != kNoNode || !fits(each.schema, tree, place.node)) continue;
    found.push_back(edit(Edit::Kind::Rename, place.node, std::string(name)));
  }
  return found;
}

/// A map with one field more.
std::vector<Readings::Edit> Readings::additions(const Place& place) {
  std::vector<Edit> found;
  if (place.schema == kNoLimit) return found;
  const SchemaPack& pack = session_.schemas;
  for (const SchemaProperty& each : pack.properties(pack[place.schema])) {
    const std::string_view name = pack.text(each.name);
    if (document_.tree.find(place.node, name) != kNoNode) continue;
    const std::vector<std::string> values = samples(name, each.schema);
    if (values.empty()) continue;
    found.push_back(edit(Edit::Kind::Add, place.node, std::string(name), values.front()));
  }
  return found;
}

std::vector<std::string> Readings::samples(std::string_view field, SchemaId schema) {
  if (schema == kNoLimit) return {};
  std::vector<std::string> found = names(field);
  if (found.empty()) found = mounts(schema);
  if (!found.empty()) return found;
  const SchemaPack& pack = session_.schemas;
  for (PackText word : pack.texts(pack[schema].enum_values)) found.emplace_back(pack.text(word));
  for (std::string_view each : kSamples) {
    if (found.size() + 1 < kMostReadings && fits(schema, std::string(each)))
      found.emplace_back(each);
  }
  for (const SchemaProperty& each : pack.properties(pack[schema])) {
    const auto sample = std::ranges::find_if(
        kSamples, [&](std::string_view value) { return fits(each.schema, std::string(value)); });
    if (sample == kSamples.end()) continue;
    const std::string map =
        "{" + std::string(pack.text(each.name)) + ": " + std::string(*sample) + "}";
    if (found.size() + 1 < kMostReadings && fits(schema, map)) found.push_back(map);
  }
  return found;
}

/// The outermost directories that the document names.
std::set<std::string> Readings::directories() const {
  std::set<std::string> paths;
  const Tree& tree = document_.tree;
  walk(tree, tree.root(), [&](NodeId, NodeId node) {
    const std::string_view text = tree[node].text;
    if (tree[node].key == "mountPath" || !text.starts_with('/')) return;
    if (text.find_first_of("'\n") != text.npos) return;
    paths.emplace(text.substr(0, text.find('/', 1)));
  });
  return paths;
}

/// Storage, or one part of it, at the directories that the document names: what refers to them may
/// be right.
std::vector<std::string> Readings::mounts(SchemaId schema) const {
  const auto mount = [](const std::string& path) {
    return "{claim: sample, mountPath: '" + path + "'}";
  };
  const bool is_one = fits(schema, mount("/sample"));
  if (!is_one && !fits(schema, "{sample: " + mount("/sample") + "}")) return {};
  std::vector<std::string> found;
  std::string all;
  for (const std::string& path : directories()) {
    found.push_back(mount(path));
    all += (all.empty() ? "" : ", ") + ("s" + std::to_string(found.size())) + ": " + mount(path);
  }
  if (!is_one && !all.empty()) found = {"{" + all + "}"};
  return found;
}

/// Values of a field whose values are names of what exists.
std::vector<std::string> Readings::names(std::string_view field) {
  std::vector<std::string> found;
  const ClusterSpec* cluster = cluster_ == nullptr ? nullptr : &*cluster_->cluster.spec;
  if (field == "target") {
    for (const TargetFacts* facts : session_.all_targets()) {
      if (facts->available && !facts->serves) found.emplace_back(facts->name);
    }
  } else if (field == "command") {
    found = {"[sample]", "[sh, -c, sample]"};
  } else if (field == "fabric") {
    found = {"none", "auto"};
  } else if (field == "uri") {
    for (const std::string& scheme : session_.transfers.names()) {
      found.push_back(scheme + "://sample/sample");
    }
  } else if (field == "mountPath") {
    for (const std::string& path : directories()) found.push_back("'" + path + "'");
  } else if (field == "pool" && cluster != nullptr) {
    for (const auto& pool : *cluster->pools) found.emplace_back(*pool->name);
  } else if (field == "queue" && cluster != nullptr) {
    for (const auto& queue : *cluster->queues) found.emplace_back(*queue->name);
  } else if (field == "machine") {
    if (cluster != nullptr) {
      for (const auto& pool : *cluster->pools) found.emplace_back(*pool->machine);
    }
    const std::vector<std::string> all = session_.machines.names();
    constexpr std::size_t kSome = 14;  // over all vendors
    for (std::size_t i = 0; i < kSome && !all.empty(); ++i) {
      found.push_back(all[i * all.size() / kSome]);
    }
  }
  if (found.size() >= kMostReadings) found.resize(kMostReadings - 1);
  return found;
}

bool Readings::fits(SchemaId schema, const Tree& tree, NodeId node) const {
  return schema == kNoLimit || session_.checker.check(schema, tree, node).empty();
}

bool Readings::fits(SchemaId schema, const std::string& text) const {
  const std::optional<Tree> value = parsed(text);
  return value && fits(schema, *value, value->root());
}

void Readings::apply(const Edit& edit, Tree& tree) {
  NodeId parent = kNoNode;
  NodeId node = kNoNode;
  walk(tree, tree.root(), [&](NodeId above, NodeId each) {
    const Node& at = tree[each];
    if (node != kNoNode || own_place(at) != edit.at || at.is_scalar() != edit.scalar) return;
    parent = above;
    node = each;
  });
  if (node == kNoNode) return;  // a part of what is left out
  const auto value = [&] {
    const std::optional<Tree> made = parsed(edit.text);
    const NodeId copy = made ? tree.copy(*made, made->root()) : tree.add(Kind::Null);
    put_at(tree, copy, tree[node].span);
    tree[copy].key_span = tree[node].key_span;
    return copy;
  };
  switch (edit.kind) {
    case Edit::Kind::Remove:
      return tree.remove(parent, node);
    case Edit::Kind::Replace:
      return tree.replace(parent, node, value());
    case Edit::Kind::Rename:
      tree[node].key = tree.intern(edit.key);
      tree[parent].keys |= key_bit(tree[node].key);
      return;
    case Edit::Kind::Add:
      return tree.append(node, tree.intern(edit.key), value());
  }
}

}  // namespace trainyard
