#include "shape/shape.h"

#include <bit>

#include "shape/shape_file.h"
#include "source/text_equal.h"

namespace trainyard {
namespace {

// In the order of FieldShape.
constexpr std::string_view kNamed[] = {"Generic",      "Quantity", "Mode",        "UserMap",
                                       "ResourceList", "Object",   "PodTemplate", "PodSpec"};

std::string_view text_of(const Tree& tree, NodeId map, std::string_view key) {
  const NodeId id = tree.find(map, key);
  return id == kNoNode ? std::string_view() : tree[id].text;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_pod_spec(const Tree& tree, NodeId id) {
  const NodeId containers = tree.find(id, "containers");
  return containers != kNoNode && tree[containers].is_seq();
}

bool has_text(const Tree& tree, NodeId map, std::string_view key) {
  const NodeId id = tree.find(map, key);
  return id != kNoNode && tree[id].kind == Kind::String;
}

}  // namespace

void ShapeTable::add(ShapedField field) {
  std::uint16_t* place = &first_[place_of(field.name)];
  while (*place != kNone) place = &fields_[*place].next;
  *place = static_cast<std::uint16_t>(fields_.size());
  fields_.push_back(field);
}

std::size_t ShapeTable::place_of(std::string_view name) {
  return static_cast<std::size_t>(std::countr_zero(key_bit(name)));
}

const ShapedField* ShapeTable::find(std::string_view name) const {
  if (fields_.empty()) return nullptr;  // keys are the user's
  const ShapedField* const fields = fields_.data();
  for (std::uint16_t at = first_[place_of(name)]; at != kNone; at = fields[at].next) {
    if (same_text(fields[at].name, name)) return fields + at;
  }
  return nullptr;
}

const Shapes& Shapes::builtin() {
  static const Shapes shapes(shape_file());
  return shapes;
}

Shapes::Shapes(const Tree& file) {
  const View root(file, file.root());
  const View shapes = root["shapes"];
  const View kinds = root["kinds"];
  if (!shapes || !kinds) faults_.emplace_back("`shapes` or `kinds` is missing");
  add_names(shapes);
  if (shapes) add_fields(shapes);
  if (kinds) add_kinds(kinds);
}

void Shapes::add_names(View shapes) {
  if (shapes) names_.reserve(std::size(kNamed) + shapes->size);
  for (const std::string_view name : kNamed) {
    names_.emplace(name, static_cast<FieldShape>(names_.size()));
  }
  for (View each = shapes ? shapes.first() : View(); each; each = each.next()) {
    names_.emplace(each.key(), static_cast<FieldShape>(names_.size()));
  }
  tables_.resize(names_.size());
}

void Shapes::add_fields(View shapes) {
  for (View each = shapes.first(); each; each = each.next()) {
    ShapeTable& table = tables_[static_cast<std::size_t>(named(each.key()))];
    for (View field = each.first(); field; field = field.next()) {
      const View of_shape = field->is_map() ? field.first() : View();
      table.add(of_shape ? ShapedField{of_shape.key(), named(of_shape.text())}
                         : ShapedField{field.text()});
    }
  }
}

void Shapes::add_kinds(View kinds) {
  for (View each = kinds.first(); each; each = each.next()) {
    KindRow row{each["group"].text(), each["kind"].text(), {}};
    if (const View object = each["object"]) row.shape.object = named(object.text());
    if (const View spec = each["spec"]) row.shape.spec = named(spec.text());
    kinds_.push_back(row);
  }
}

FieldShape Shapes::named(std::string_view name) {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  faults_.push_back("no shape is named `" + std::string(name) + "`");
  return FieldShape::Generic;
}

ObjectShape Shapes::of_object(std::string_view group, std::string_view kind) const {
  for (const KindRow& row : kinds_) {
    if (row.kind == kind && row.group == group) return row.shape;
  }
  return {};
}

FieldShape recognise(const Tree& tree, NodeId id) {
  if (is_pod_spec(tree, id)) return FieldShape::PodSpec;
  if (is_pod_spec(tree, tree.find(id, "spec"))) {
    const bool is_object = has_text(tree, id, "apiVersion") && has_text(tree, id, "kind");
    return is_object ? FieldShape::Object : FieldShape::PodTemplate;
  }
  const NodeId metadata = tree.find(id, "metadata");
  const bool is_object = metadata != kNoNode && has_text(tree, id, "kind");
  return is_object ? FieldShape::Object : FieldShape::Generic;
}

FieldFinder::FieldFinder(const Tree& tree, NodeId id, FieldShape shape)
    : shape_(shape == FieldShape::Generic ? recognise(tree, id) : shape) {
  const Shapes& shapes = Shapes::builtin();
  if (shape_ == FieldShape::Object) {
    const ObjectShape object =
        shapes.of_object(group_of(text_of(tree, id, "apiVersion")), text_of(tree, id, "kind"));
    shape_ = object.object;
    spec_ = object.spec;
  }
  if (shape_ == FieldShape::ResourceList) of_unknown_ = FieldShape::Quantity;
  table_ = &shapes.table_of(shape_);
}

[[gnu::flatten]] FieldFinder::Found FieldFinder::find(std::string_view name) const {
  const ShapedField* const field = table_->find(name);
  if (field == nullptr) return {kUnknown, of_unknown_};
  const bool is_spec = shape_ == FieldShape::Object && field->name == "spec";
  return {static_cast<std::uint32_t>(field - table_->fields().data()),
          is_spec ? spec_ : field->shape};
}

}  // namespace trainyard
