#include "driver/build/readings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tree/heading.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// More readings cost time and find little.
constexpr std::size_t kMostReadings = 12;

/// A value for each sort of field of our own documents.
constexpr auto kSamples =
    std::to_array<std::string_view>({"sample", "/sample", "s3://sample/sample", "1", "8", "1Gi",
                                     "1h", "true", "[]", "[sample]", "{}", "{sample: sample}"});

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

Readings::Readings(Session& session, const Document& document)
    : session_(session), document_(document) {
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
    if (is_lack && finding.span == part.above) return true;
    const auto is_in = [&](Span span) {
      if (!span.known()) return false;
      if (holds(part.key, span) || holds(part.value, span)) return true;
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
  const auto known = std::ranges::find_if(parts_, [&](const Part& part) {
    return part.key == node.key_span && part.value == node.span;
  });
  const bool is_new = known == parts_.end();
  if (!is_new && !known->mended) return false;
  std::vector<Edit> choices;
  if (is_new) choices = fix_of(error);
  const bool mended = !choices.empty();
  if (!mended) choices = alternatives(error, place);
  const Span above = heading(document_.tree[place.parent]);
  Part part{node.key_span, node.span, above, std::move(choices), mended};
  if (is_new) {
    parts_.push_back(std::move(part));
  } else {
    *known = std::move(part);
  }
  return true;
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
    const auto schema =
        session_.schemas.property(session_.schemas[place.parent_schema], fix.replacement);
    if (!schema || !fits(*schema, tree, place.node)) return {};
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
    return choices;
  }
  if (kind == DiagnosticKind::UnknownField) {
    std::ranges::move(other_keys(place), std::back_inserter(choices));
    return choices;
  }
  for (std::string& each : samples(kind, place.schema)) {
    choices.push_back(edit(Edit::Kind::Replace, place.node, {}, std::move(each)));
  }
  return choices;
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
    const std::vector<std::string> values = samples(DiagnosticKind::MissingField, each.schema);
    if (values.empty()) continue;
    found.push_back(edit(Edit::Kind::Add, place.node, std::string(name), values.front()));
  }
  return found;
}

std::vector<std::string> Readings::samples(DiagnosticKind kind, SchemaId schema) {
  if (schema == kNoLimit) return {};
  std::vector<std::string> found = names(kind);
  if (!found.empty()) return found;
  const SchemaPack& pack = session_.schemas;
  for (PackText word : pack.texts(pack[schema].enum_values)) found.emplace_back(pack.text(word));
  for (std::string_view each : kSamples) {
    if (found.size() + 1 < kMostReadings && fits(schema, std::string(each)))
      found.emplace_back(each);
  }
  return found;
}

/// What exists of a sort of name.
std::vector<std::string> Readings::names(DiagnosticKind kind) {
  std::vector<std::string> found;
  if (kind == DiagnosticKind::UnknownTarget) {
    for (const TargetFacts* facts : session_.all_targets()) {
      if (facts->available && !facts->serves) found.emplace_back(facts->name);
    }
  } else if (kind == DiagnosticKind::UnknownMachine) {
    found = session_.machines.names();
  }
  constexpr std::size_t kSome = kMostReadings - 1;
  if (found.size() <= kSome) return found;
  std::vector<std::string> spread;  // over all vendors
  for (std::size_t i = 0; i < kSome; ++i) spread.push_back(found[i * found.size() / kSome]);
  return spread;
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
