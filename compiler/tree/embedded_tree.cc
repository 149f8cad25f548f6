#include "tree/embedded_tree.h"

#include <string>

#include "source/embedded_files.h"
#include "tree/tree_image.h"

namespace trainyard {

Tree embedded_tree(std::string_view archive, std::string_view name) {
  const auto files = EmbeddedFiles::open(archive);
  if (!files) return {};
  const auto text = files->find(name);
  const auto image = files->find(std::string(name) + ".tree");
  return text && image ? load_tree_image(*image, *text, kNoFile) : Tree();
}

}  // namespace trainyard
