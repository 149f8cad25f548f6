#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trainyard {

/// Index of a schema node in a SchemaPack; node 0 accepts anything.
using SchemaId = std::uint32_t;
inline constexpr SchemaId kAnySchema = 0;
inline constexpr std::uint32_t kNoLimit = 0xffffffff;

/// A text in the pack: an offset into its string area and a length.
struct PackText {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// `count` records of some table, from `first`.
struct PackRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Bits of SchemaNode::types; none set means that the schema does not ask for a type.
enum SchemaType : std::uint8_t {
  kObject = 1,
  kArray = 2,
  kString = 4,
  kInteger = 8,
  kNumber = 16,
  kBoolean = 32,
};

/// Bits of SchemaNode::flags.
enum SchemaFlag : std::uint16_t {
  kNullable = 1,
  kIntOrString = 2,       // x-kubernetes-int-or-string, or core format int-or-string
  kPreserveUnknown = 4,   // x-kubernetes-preserve-unknown-fields
  kEmbeddedResource = 8,  // x-kubernetes-embedded-resource
  kHasMinimum = 16,
  kHasMaximum = 32,
  kExclusiveMinimum = 64,
  kExclusiveMaximum = 128,
  kUniqueItems = 256,
  kClosed = 512,      // an object whose properties and `additional` are all there is: others are
                      // unknown. Not below allOf, anyOf, oneOf and not, which only restrict.
  kQuantity = 1024,   // a Kubernetes quantity
  kPartial = 2048,    // below here nothing is required (our `pod` and `patches`)
  kGenerated = 4096,  // made up for each object when it is left out
};

enum class ListType : std::uint8_t { None, Atomic, Set, Map };
enum class MapType : std::uint8_t { None, Atomic, Granular };

/// One node of a structural schema. Plain data: the pack is used in place, without parsing.
/// Equal subtrees are stored once, so a node does not know its parent.
struct SchemaNode {
  std::uint8_t types = 0;
  ListType list_type = ListType::None;
  MapType map_type = MapType::None;
  std::uint8_t unused = 0;
  std::uint16_t flags = 0;
  std::uint16_t unused2 = 0;
  PackRange properties;              // of SchemaProperty, sorted by name (byte order)
  PackRange required;                // of PackText, in the order of the source
  PackRange enum_values;             // of PackText, each a JSON value
  PackRange list_keys;               // of PackText, x-kubernetes-list-map-keys
  PackRange merge_keys;              // of PackText, x-kubernetes-patch-merge-key (core only)
  PackRange all_of, any_of, one_of;  // of SchemaId
  PackRange rules;                   // of SchemaRule
  SchemaId negated = kNoLimit;       // `not`; kNoLimit when there is none
  SchemaId items = kNoLimit;
  SchemaId additional = kNoLimit;  // the value schema of a map
  PackText pattern;
  PackText format;
  PackText default_value;  // JSON; size 0 when there is none
  PackText description;    // only our own documents have it
  std::uint32_t unused3 = 0;
  double minimum = 0;
  double maximum = 0;
  double multiple_of = 0;                               // 0 when there is none
  std::uint32_t min_length = 0, max_length = kNoLimit;  // code points
  std::uint32_t min_items = 0, max_items = kNoLimit;
  std::uint32_t min_properties = 0, max_properties = kNoLimit;
};

struct SchemaProperty {
  PackText name;
  SchemaId schema = kAnySchema;
};

/// An x-kubernetes-validations rule, verbatim.
struct SchemaRule {
  PackText rule, message, message_expression, reason, field_path;
  std::uint32_t optional_old_self = 0;
};

/// A kind that the pack describes.
struct SchemaKind {
  PackText group;  // "" for the core group
  PackText version;
  PackText kind;
  PackText source;         // "kubernetes-sigs/jobset v0.12.0 config/...": project, version, path
  PackText replicas_path;  // see SchemaFacts
  PackText before;         // see SchemaFacts
  SchemaId schema = kAnySchema;
  std::uint16_t namespaced = 1;
  std::uint16_t has_status = 0;
};

/// A read-only view of a packed set of schemas, used in place.
class SchemaPack {
 public:
  SchemaPack() = default;
  /// `image` must stay in place, aligned for a double. Nothing when it is not a pack of this
  /// version, or is damaged: every index in it is checked once, so that using it needs no checks.
  static std::optional<SchemaPack> open(std::string_view image);
  /// As `open`, for an image that was checked when it was made: looks at the header only.
  static std::optional<SchemaPack> open_trusted(std::string_view image);
  /// The pack inside the binary; opening it costs nothing.
  static const SchemaPack& builtin();

  const SchemaNode& operator[](SchemaId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  std::string_view text(PackText t) const { return strings_.substr(t.offset, t.size); }
  std::span<const SchemaProperty> properties(const SchemaNode& node) const {
    return properties_.subspan(node.properties.first, node.properties.count);
  }
  std::span<const PackText> texts(PackRange range) const {
    return texts_.subspan(range.first, range.count);
  }
  std::span<const SchemaId> ids(PackRange range) const {
    return ids_.subspan(range.first, range.count);
  }
  std::span<const SchemaRule> rules(const SchemaNode& node) const {
    return rules_.subspan(node.rules.first, node.rules.count);
  }
  /// The schema of a property, by binary search.
  std::optional<SchemaId> property(const SchemaNode& node, std::string_view name) const;

  /// All kinds, sorted by group, version and kind; of one kind first the newest, then its
  /// schemas before releases of its operator, latest first.
  std::span<const SchemaKind> kinds() const { return kinds_; }
  /// What a kind was before the releases that it has a schema for.
  std::span<const SchemaKind> older(const SchemaKind& newest) const;
  /// The newest schema of a kind.
  const SchemaKind* find(std::string_view group, std::string_view version,
                         std::string_view kind) const;
  /// By the object's own words: `batch/v1`, `Job`.
  const SchemaKind* find(std::string_view api_version, std::string_view kind) const;

  /// Named parts of kinds (`core/v1/PodSpec`), sorted in the same way; not kinds themselves. The
  /// core group is "" here too.
  std::span<const SchemaKind> definitions() const { return definitions_; }
  const SchemaKind* find_definition(std::string_view group, std::string_view version,
                                    std::string_view name) const;

 private:
  bool indices_in_bounds() const;
  const SchemaKind* find_in(std::span<const SchemaKind> kinds, std::string_view group,
                            std::string_view version, std::string_view kind) const;

  std::span<const SchemaNode> nodes_;
  std::span<const SchemaProperty> properties_;
  std::span<const PackText> texts_;
  std::span<const SchemaId> ids_;
  std::span<const SchemaRule> rules_;
  std::span<const SchemaKind> kinds_;
  std::span<const SchemaKind> definitions_;
  std::string_view strings_;
};

}  // namespace trainyard
