#include "shape/shape_file.h"

#include <string_view>

#include "source/embedded_files.h"
#include "tree/tree_image.h"

namespace trainyard {

std::string_view embedded_shapes();  // made by the build from templates/shapes.yaml

namespace {

Tree load() {
  const auto files = EmbeddedFiles::open(embedded_shapes());
  if (!files) return {};
  const auto text = files->find("shapes.yaml");
  const auto image = files->find("shapes.yaml.tree");
  return text && image ? load_tree_image(*image, *text, kNoFile) : Tree();
}

}  // namespace

const Tree& shape_file() {
  static const Tree tree = load();
  return tree;
}

}  // namespace trainyard
