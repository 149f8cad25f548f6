#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/formats.h"
#include "schema/names.h"
#include "schema/old_value_match.h"
#include "schema/rule_run.h"
#include "schema/schema_check.h"

namespace trainyard {

/// Where the walk is: a node on the stack, linked to the node above it. Paths are only written when
/// something is wrong.
struct Frame {
  const Frame* up = nullptr;
  NodeId node = kNoNode;
  std::uint32_t index = kNoLimit;      // in a list; kNoLimit for a map entry and for the root
  const SchemaNode* schema = nullptr;  // the structural schema of the node

  bool in_map() const { return up != nullptr && index == kNoLimit; }
  bool in_list() const { return index != kNoLimit; }
};

/// What holds for everything below a place.
struct Mode {
  bool structural = true;  // false inside allOf, anyOf, oneOf, not: unknown fields are fine there
  bool partial = false;    // nothing is required
  bool root = false;       // a whole object: apiVersion, kind and metadata are understood
  bool ratchets = true;    // what was wrong before may stay; not inside allOf, anyOf, oneOf, not
};

/// How strict the metadata of an object is.
struct MetadataRules {
  bool embedded = false;  // inside another object: no name needed
  bool namespaced = true;
  Fault (*why_not_name)(std::string_view) = nullptr;
};

/// What the values of metadata are, for schemas that leave it open.
enum class MetadataShape : std::uint8_t { Text, Time, Whole, Truth, Any, Texts, Labels, Maps };

/// One check of one value. The functions are spread over the `check_*.cc` files by subject.
class Walk {
 public:
  Walk(const SchemaPack& pack, Patterns& patterns, FieldCache& fields, Rules& rules,
       const Tree& tree, OldDocument old, std::vector<Violation>& violations)
      : pack_(pack),
        patterns_(patterns),
        fields_(fields),
        rules_(rules),
        tree_(tree),
        old_(old),
        violations_(violations) {}

  void value(SchemaId id, const Frame& at, Mode mode);
  void whole_object(const SchemaKind& kind, NodeId root);

 private:
  /// Whether a child is right without a look at its text.
  bool takes(SchemaId wanted, NodeId child) const;

  /// A value that stands by itself: not the same value under another part of its schema.
  void part(SchemaId id, const Frame& at, Mode mode) {
    const std::size_t before = violations_.size();
    value(id, at, mode);
    if (violations_.size() != before && old_.ratchets && mode.ratchets) let_be(id, at, before);
  }

  // check_ratcheting.cc
  void let_be(SchemaId id, const Frame& at, std::size_t from);
  bool is_kept(const Frame& at);
  void let_duplicates_be();
  void own_metadata(SchemaId id, const Frame& at, Mode mode);
  bool is_own_metadata(const Frame& at) const;

  // check_value.cc
  void typed_value(const SchemaNode& schema, const Frame& at, Mode mode);
  bool is_in_metadata(const Frame& at) const;
  void null_value(const SchemaNode& schema, const Frame& at, Mode mode);
  void wrong_type(const SchemaNode& schema, const Frame& at);
  void enumeration(const SchemaNode& schema, const Frame& at);

  // check_object.cc
  void object(const SchemaNode& schema, const Frame& at, Mode mode);
  const SchemaNode* property_of(const SchemaNode* schema, std::string_view key) const;
  void unknown_field(const SchemaNode& schema, const Frame& at);
  void required(const SchemaNode& schema, const Frame& at);
  bool is_present(const SchemaNode& schema, const Frame& at, std::string_view name) const;
  void property_count(const SchemaNode& schema, const Frame& at);
  void status(const SchemaNode& schema, const Frame& at, Mode mode);
  void map_in_status(Violation& violation) const;

  // check_defaults.cc
  void restricted_defaults(const SchemaNode& restriction, const Frame& at, Mode mode);
  void changed_defaults(const SchemaNode& schema, const Frame& at);
  const SchemaProperty* default_of(const Frame& at) const;
  bool lacks_generated(const SchemaNode& schema, NodeId node) const;

  // check_list.cc
  void list(const SchemaNode& schema, const Frame& at, Mode mode);
  void item_count(const SchemaNode& schema, const Frame& at);
  void unique_items(const SchemaNode& schema, const Frame& at);
  void unique_keys(const SchemaNode& schema, const Frame& at);
  /// Reports that an item of a list is the same as an earlier one; the message is left to say.
  Violation* duplicate(const Frame& list, NodeId first, NodeId second, std::uint32_t index,
                       bool lenient);

  // check_scalar.cc
  void text(const SchemaNode& schema, const Frame& at);
  void text_length(const SchemaNode& schema, const Frame& at);
  void text_pattern(const SchemaNode& schema, const Frame& at);
  void quantity(const Frame& at);
  void bad_quantity(const Frame& at);
  void number(const SchemaNode& schema, const Frame& at);
  void multiple(const SchemaNode& schema, const Frame& at, double value);
  void number_format(const SchemaNode& schema, const Frame& at, double value);

  // check_combination.cc
  void combinations(const SchemaNode& schema, const Frame& at, Mode mode);
  void any_of(const SchemaNode& schema, const Frame& at, Mode mode);
  void one_of(const SchemaNode& schema, const Frame& at, Mode mode);
  bool matches(SchemaId id, const Frame& at, Mode mode);
  std::string first_fault(SchemaId id, const Frame& at, Mode mode);
  std::string alternative(SchemaId id) const;
  std::vector<std::string> alternatives(std::span<const SchemaId> ids) const;

  // check_metadata.cc
  void object_head(const SchemaNode& schema, const Frame& at, const MetadataRules& rules);
  void type_word(const Frame& at, std::string_view key, bool embedded);
  void metadata(const SchemaNode& schema, const Frame& at, const MetadataRules& rules);
  void metadata_structure(const Frame& at);
  void metadata_parts(const Frame& at);
  void unknown_metadata(const Frame& at, std::span<const std::string_view> names);
  bool metadata_shape(const Frame& at, MetadataShape shape);
  void metadata_text(const Frame& meta, std::string_view key, Fault (*fault)(std::string_view));
  bool requires_field(const SchemaNode& schema, std::string_view name) const;
  void metadata_name(const Frame& meta, const MetadataRules& rules, bool required);
  void metadata_keys(const Frame& meta, std::string_view key, Fault (*fault)(std::string_view));

  // check_metadata_lists.cc
  void finalizers(const Frame& meta);
  void owners(const Frame& meta);
  void owner(const Frame& at);

  // check_older.cc
  void note_older(Violation& violation, const Frame& at) const;
  SchemaId schema_at(SchemaId root, const Frame& at) const;

  // check_replicas.cc
  void replicas(std::string_view path, NodeId root);

  // check_rules.cc
  void rules(const SchemaNode& schema, const Frame& at);
  void broken_rule(const SchemaRule& rule, RuleResult&& result, bool kept, const Frame& at);
  RuleRun& rule_run();
  void place_at_field(const SchemaRule& rule, Violation& violation) const;
  NodeId old_value(const Frame& at) const;
  NodeId old_node(const Frame& at) const;
  bool is_sound_since(std::size_t violations) const;
  bool is_as_in(NodeId twin, NodeId child) const;
  bool is_sound_alone(std::size_t violations, std::size_t rules_asked) const;

  /// Notes that something is wrong at a place. The violation to fill in, or nothing when only the
  /// fact is wanted.
  [[gnu::cold]] Violation* fail(DiagnosticKind kind, const Frame& at);
  /// As `fail`, for something that the API server would let through.
  [[gnu::cold]] Violation* warn(DiagnosticKind kind, const Frame& at);
  /// Of the whole object; "" for the core group.
  std::string_view group() const {
    return kind_ == nullptr ? std::string_view() : pack_.text(kind_->group);
  }
  bool is_of_kubernetes(const SchemaKind& kind) const {
    return pack_.text(kind.source).starts_with("kubernetes ");
  }
  SchemaId id_of(const SchemaNode& schema) const {
    return static_cast<SchemaId>(&schema - &pack_[0]);
  }

  const SchemaPack& pack_;
  Patterns& patterns_;
  FieldCache& fields_;
  Rules& rules_;
  const Tree& tree_;
  OldDocument old_;
  std::vector<Violation>& violations_;
  NodeId object_ = kNoNode;                // the root of a whole object
  const SchemaKind* kind_ = nullptr;       // of the whole object
  bool has_status_ = false;                // its `status` is set through a subresource alone
  bool is_builtin_ = false;                // it is a kind of Kubernetes, which Go types hold
  std::unique_ptr<RuleRun> rule_run_;      // once a rule was met
  std::size_t rules_asked_ = 0;            // values that rules were asked of
  NodeId twin_ = kNoNode;                  // a sound map beside the one that comes next
  std::unordered_map<NodeId, bool> kept_;  // what `is_kept` has found
  bool in_head_ = false;                   // in what makes a map an object of its own
  bool quiet_ = false;                     // inside a question: only whether it fails counts
  bool failed_ = false;                    // the answer to the question
};

std::string path_of(const Tree& tree, const Frame& at);
/// Whether a field of an object is one that every object has.
inline bool is_head_field(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}
/// Makes a warning of what is wrong and was so before.
void let_stay(Violation& violation);
/// Appends a step into a map: `.name`, or `["a.b"]`.
void append_key(std::string_view key, std::string& path);

/// Deep equality as JSON knows it: the order of map entries does not count.
bool same_value(const Tree& tree, NodeId a, NodeId b);
/// Equal values have equal hashes.
std::uint64_t value_hash(const Tree& tree, NodeId id);
/// Whether a node has the value of a JSON text of the schema.
bool is_json(const Tree& tree, NodeId id, std::string_view json);

/// Whether a value that is not null has a type that the schema allows.
bool type_fits(const SchemaNode& schema, const Node& node);

/// Whether a scalar of this kind is right for the schema without a look at its text: nothing but
/// the type is asked for. Most scalars are.
inline bool takes_any(const SchemaNode& schema, Kind kind) {
  if (kind != Kind::String && kind != Kind::Bool) return false;
  const std::uint32_t wanted = kind == Kind::String ? kString : kBoolean;
  if ((schema.types & wanted) == 0 || (schema.flags & (kIntOrString | kQuantity)) != 0)
    return false;
  const std::uint32_t more = schema.enum_values.count | schema.rules.count | schema.all_of.count |
                             schema.any_of.count | schema.one_of.count;
  if (more != 0 || schema.negated != kNoLimit) return false;
  if (kind == Kind::Bool) return true;
  return schema.min_length == 0 && schema.max_length == kNoLimit &&
         (schema.pattern.size | schema.format.size) == 0;
}

/// The value of an Int or Float node; an Int beyond 64 bits is rounded.
double number_of(const Node& node);
bool is_integral(const Node& node);

}  // namespace trainyard
