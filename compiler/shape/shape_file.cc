#include "shape/shape_file.h"

#include <string_view>

#include "tree/embedded_tree.h"

namespace trainyard {

std::string_view embedded_shapes();  // made by the build from templates/shapes.yaml

const Tree& shape_file() {
  static const Tree tree = embedded_tree(embedded_shapes(), "shapes.yaml");
  return tree;
}

}  // namespace trainyard
