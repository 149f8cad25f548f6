#include "schema/metadata_shape.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "schema/format_parsers.h"
#include "schema/formats.h"
#include "schema/type_words.h"

namespace trainyard {
namespace {

/// What the values of metadata are.
enum class Shape : std::uint8_t { Text, Time, Whole, Truth, Any, Texts, Labels, Maps };

/// The fields of ObjectMeta, for schemas that leave `metadata` open as those of CRDs do.
/// kubernetes/apimachinery pkg/apis/meta/v1/types.go
struct MetadataField {
  std::string_view name;
  Shape shape;
};
constexpr auto kMetadataFields = std::to_array<MetadataField>({
    {"annotations", Shape::Labels},
    {"creationTimestamp", Shape::Time},
    {"deletionGracePeriodSeconds", Shape::Whole},
    {"deletionTimestamp", Shape::Time},
    {"finalizers", Shape::Texts},
    {"generateName", Shape::Text},
    {"generation", Shape::Whole},
    {"labels", Shape::Labels},
    {"managedFields", Shape::Maps},
    {"name", Shape::Text},
    {"namespace", Shape::Text},
    {"ownerReferences", Shape::Maps},
    {"resourceVersion", Shape::Text},
    {"selfLink", Shape::Text},
    {"uid", Shape::Text},
});

/// Of the items of its lists.
struct PartField {
  std::string_view list;
  MetadataField field;
  bool required = false;
};
constexpr auto kPartFields = std::to_array<PartField>({
    {"managedFields", {"apiVersion", Shape::Text}},
    {"managedFields", {"fieldsType", Shape::Text}},
    {"managedFields", {"fieldsV1", Shape::Any}},
    {"managedFields", {"manager", Shape::Text}},
    {"managedFields", {"operation", Shape::Text}},
    {"managedFields", {"subresource", Shape::Text}},
    {"managedFields", {"time", Shape::Time}},
    {"ownerReferences", {"apiVersion", Shape::Text}, true},
    {"ownerReferences", {"blockOwnerDeletion", Shape::Truth}},
    {"ownerReferences", {"controller", Shape::Truth}},
    {"ownerReferences", {"kind", Shape::Text}, true},
    {"ownerReferences", {"name", Shape::Text}, true},
    {"ownerReferences", {"uid", Shape::Text}, true},
});

bool shape_fits(Shape shape, const Node& node) {
  switch (shape) {
    case Shape::Text:
    case Shape::Time:
      return node.kind == Kind::String;
    case Shape::Truth:
      return node.kind == Kind::Bool;
    case Shape::Any:
      return true;
    case Shape::Whole:
      return node.kind == Kind::Int;
    case Shape::Texts:
    case Shape::Maps:
      return node.is_seq();
    case Shape::Labels:
      return node.is_map();
  }
  return false;
}

std::string_view shape_word(Shape shape) {
  switch (shape) {
    case Shape::Text:
    case Shape::Time:
      return "a string";
    case Shape::Truth:
      return "a boolean";
    case Shape::Whole:
      return "an integer";
    case Shape::Texts:
    case Shape::Maps:
      return "a list";
    case Shape::Labels:
      return "a map";
    case Shape::Any:
      break;
  }
  return "a value";
}

void unknown_metadata(const Subject& subject, const Frame& at,
                      std::span<const std::string_view> names) {
  Violation* found = subject.fail(DiagnosticKind::UnknownField, at);
  if (found == nullptr) return;
  const std::string_view key = subject.tree[at.node].key;
  found->at_key = true;
  found->suggestion = suggest(key, names).value_or("");
  found->message = "unknown field " + shown(key);
  if (!found->suggestion.empty()) {
    found->message += ": did you mean " + shown(found->suggestion) + "?";
  }
}

/// False when the value has another shape, which is then reported.
bool metadata_shape(const Subject& subject, const Frame& at, Shape shape) {
  const Node& node = subject.tree[at.node];
  if (!shape_fits(shape, node)) {
    if (Violation* found = subject.fail(DiagnosticKind::WrongType, at)) {
      found->message = "found " + described(node) + ", wanted " + std::string(shape_word(shape));
      const bool scalar = node.is_scalar() && shape == Shape::Text;
      if (scalar) found->replacement = quoted(node.text);
      if (scalar) found->message += ": write `" + found->replacement + "`";
    }
    return false;
  }
  if (shape != Shape::Time || is_date_time(node.text)) return true;
  if (Violation* found = subject.fail(DiagnosticKind::BadFormat, at)) {
    found->message =
        shown(node) + " is no time, wanted " + std::string(example_of(Format::DateTime));
  }
  return false;
}

/// The items of a list of the metadata, such as its owners.
void metadata_parts(const Subject& subject, const Frame& at) {
  const std::string_view list = subject.tree[at.node].key;
  std::vector<std::string_view> names;
  for (const PartField& each : kPartFields) {
    if (each.list == list) names.push_back(each.field.name);
  }
  std::uint32_t index = 0;
  for (NodeId item : subject.tree.children(at.node)) {
    const Frame part{&at, item, index++, nullptr};
    if (!metadata_shape(subject, part, Shape::Labels)) continue;
    for (NodeId child : subject.tree.children(item)) {
      const Frame below{&part, child, kNoLimit, nullptr};
      const auto field = std::ranges::find_if(kPartFields, [&](const PartField& each) {
        return each.list == list && each.field.name == subject.tree[child].key;
      });
      if (field == kPartFields.end()) {
        unknown_metadata(subject, below, names);
      } else if (subject.tree[child].kind != Kind::Null) {
        (void)metadata_shape(subject, below, field->field.shape);
      }
    }
    for (const PartField& each : kPartFields) {
      if (each.list != list || !each.required) continue;
      const NodeId child = subject.tree.find(item, each.field.name);
      if (child != kNoNode && subject.tree[child].kind != Kind::Null) continue;
      if (Violation* found = subject.fail(DiagnosticKind::MissingField, part)) {
        found->message = "missing field " + shown(each.field.name);
      }
    }
  }
}

/// Every entry or item is a text.
void metadata_texts(const Subject& subject, const Frame& at) {
  const bool list = subject.tree[at.node].is_seq();
  std::uint32_t index = 0;
  for (NodeId entry : subject.tree.children(at.node)) {
    const std::uint32_t place = list ? index++ : kNoLimit;
    const Node& value = subject.tree[entry];
    if (value.kind == Kind::String || (value.kind == Kind::Null && !list)) continue;
    Violation* found = subject.fail(DiagnosticKind::WrongType, {&at, entry, place, nullptr});
    if (found == nullptr) continue;
    found->message = "found " + described(value) + ", wanted a string";
    if (!value.is_scalar() || value.kind == Kind::Null) continue;
    found->replacement = quoted(value.text);
    found->message += ": write `" + found->replacement + "`";
  }
}

}  // namespace

void check_metadata_shape(const Subject& subject, const Frame& meta) {
  for (NodeId child : subject.tree.children(meta.node)) {
    const Node& node = subject.tree[child];
    const Frame at{&meta, child, kNoLimit, nullptr};
    const auto field = std::ranges::find(kMetadataFields, node.key, &MetadataField::name);
    if (field == kMetadataFields.end()) {
      std::vector<std::string_view> names;
      for (const MetadataField& each : kMetadataFields) names.push_back(each.name);
      unknown_metadata(subject, at, names);
      continue;
    }
    if (node.kind == Kind::Null || !metadata_shape(subject, at, field->shape)) continue;
    if (field->shape == Shape::Maps) metadata_parts(subject, at);
    const bool texts = field->shape == Shape::Labels || field->shape == Shape::Texts;
    if (texts) metadata_texts(subject, at);
  }
}

}  // namespace trainyard
