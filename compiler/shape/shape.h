#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// What a map or scalar is, as far as writing it goes: which fields in which order, and which
/// values have a canonical form. A list has the shape of its items. All but these are numbers that
/// `Shapes` gives.
enum class FieldShape : std::uint16_t {
  Generic,   // nothing is known; what it holds may tell
  Quantity,  // a scalar: `500m`
  Mode,      // a scalar: permission bits of a file
  UserMap,   // keys are the user's
  ResourceList,
  Object,
  PodTemplate,
  PodSpec,
};

/// A field of a shape; the place in its table is its place in the text.
struct ShapedField {
  std::string_view name;
  FieldShape shape = FieldShape::Generic;
  std::uint16_t next = 0xffff;  // the next one in the same place of ShapeTable
};

/// The fields of one shape.
class ShapeTable {
 public:
  ShapeTable() { first_.fill(kNone); }
  void add(ShapedField field);
  const ShapedField* find(std::string_view name) const;  // null when there is none
  std::span<const ShapedField> fields() const { return fields_; }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  static std::size_t place_of(std::string_view name);

  std::vector<ShapedField> fields_;
  std::array<std::uint16_t, 64> first_;  // by the place of a name
};

/// What an object is, by its group and kind.
struct ObjectShape {
  FieldShape object = FieldShape::Object;
  FieldShape spec = FieldShape::Generic;  // of its field `spec`
};

/// The shapes of a file such as `templates/shapes.yaml`.
class Shapes {
 public:
  /// Those of the program.
  static const Shapes& builtin();
  /// The tree must outlive this.
  explicit Shapes(const Tree& file);

  /// The fields of a shape in the order in which people write them.
  std::span<const ShapedField> fields_of(FieldShape shape) const {
    return table_of(shape).fields();
  }
  const ShapeTable& table_of(FieldShape shape) const {
    return tables_[static_cast<std::size_t>(shape)];
  }
  ObjectShape of_object(std::string_view group, std::string_view kind) const;
  std::size_t size() const { return tables_.size(); }
  /// What is wrong with the file: names of shapes that it has not.
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct KindRow {
    std::string_view group;
    std::string_view kind;
    ObjectShape shape;
  };
  void add_names(View shapes);
  void add_fields(View shapes);
  void add_kinds(View kinds);
  FieldShape named(std::string_view name);

  std::unordered_map<std::string_view, FieldShape> names_;
  std::vector<ShapeTable> tables_;  // by shape
  std::vector<KindRow> kinds_;
  std::vector<std::string> faults_;
};

/// What a map of unknown shape is, by what it holds: a pod specification nested in a resource that
/// no table describes is known by its containers.
FieldShape recognise(const Tree& tree, NodeId id);

/// Finds the entries of one map in the table of its shape.
class FieldFinder {
 public:
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  struct Found {
    std::uint32_t rank = kUnknown;  // unknown fields come after all known ones
    FieldShape shape = FieldShape::Generic;
  };

  /// For the map at `id`, whose `shape` is known from where it stands.
  FieldFinder(const Tree& tree, NodeId id, FieldShape shape);
  Found find(std::string_view name) const;

 private:
  FieldShape shape_;
  FieldShape spec_ = FieldShape::Generic;
  FieldShape of_unknown_ = FieldShape::Generic;
  const ShapeTable* table_;
};

}  // namespace trainyard
