#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// What a map or scalar is, as far as writing it goes: which fields in which order, and which
/// values have a canonical form. A list has the shape of its items.
enum class FieldShape : std::uint8_t {
  Generic,  // nothing is known; what it holds may tell
#define TRAINYARD_SHAPE(name) name,
#include "emit/shapes.def"
#undef TRAINYARD_SHAPE
};

/// A field of a shape; the place in its table is its place in the text.
struct ShapedField {
  std::string_view name;
  FieldShape shape = FieldShape::Generic;
};

/// The fields of a shape in the order in which people write them.
std::span<const ShapedField> fields_of(FieldShape shape);

/// What an object is, by its group and kind.
struct ObjectShape {
  FieldShape object = FieldShape::Object;
  FieldShape spec = FieldShape::Generic;  // of its field `spec`
};
ObjectShape shape_of_object(const Tree& tree, NodeId id);

/// What a map of unknown shape is, by what it holds: a pod specification nested in a resource that
/// no table describes is known by its containers.
FieldShape recognise(const Tree& tree, NodeId id);

/// Finds the entries of one map in the table of its shape. Objects have the same few fields again
/// and again, so where a name stands in a table is remembered.
class FieldFinder {
 public:
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  struct Found {
    std::uint32_t rank = kUnknown;  // unknown fields come after all known ones
    FieldShape shape = FieldShape::Generic;
  };

  /// For the map at `id`, of which `shape` is known from where it stands.
  FieldFinder(const Tree& tree, NodeId id, FieldShape shape);
  Found find(std::string_view name);

 private:
  static constexpr unsigned kSlotBits = 10;
  std::size_t slot(std::string_view name) const;
  Found found(std::size_t at) const;

  FieldShape shape_;
  FieldShape spec_ = FieldShape::Generic;
  std::span<const ShapedField> fields_;
};

}  // namespace trainyard
