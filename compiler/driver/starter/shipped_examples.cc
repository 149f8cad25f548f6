#include "driver/starter/shipped_examples.h"

#include <algorithm>

#include "source/embedded_files.h"
#include "tree/embedded_tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::string_view embedded_examples();  // made by the build from examples/

namespace {

std::string text_or(View map, std::string_view key, std::string_view otherwise) {
  const std::string_view text = string_at(map, key);
  return std::string(text.empty() ? otherwise : text);
}

std::string_view first_comment(std::string_view text) {
  if (!text.starts_with("# ")) return {};
  return text.substr(2, text.find('\n') - 2);
}

/// Below examples/, as the comment in front says; "" where it names none.
std::string_view cluster_path(std::string_view text) {
  constexpr std::string_view kBegin = "examples/";
  constexpr std::string_view kEnd = ".yaml";
  const std::string_view comment = text.substr(0, text.find("apiVersion"));
  const std::size_t begin = comment.find("examples/clusters/");
  if (begin == std::string_view::npos) return {};
  const std::string_view path = comment.substr(begin + kBegin.size());
  return path.substr(0, path.find(kEnd) + kEnd.size());
}

std::vector<ShippedExample> read_examples() {
  std::vector<ShippedExample> all;
  const auto files = EmbeddedFiles::open(embedded_examples());
  if (!files) return all;
  constexpr std::string_view kEnd = "/spec.yaml";
  for (const EmbeddedFiles::File& file : files->list()) {
    if (!file.path.ends_with(kEnd)) continue;
    ShippedExample example;
    example.name = file.path.substr(0, file.path.size() - kEnd.size());
    example.spec = file.bytes;
    example.about = first_comment(file.bytes);
    example.cluster = files->find(cluster_path(file.bytes)).value_or("");
    const Tree tree = embedded_tree(embedded_examples(), file.path);
    const View spec = View(tree, tree.root())["spec"];
    example.framework = text_or(spec, "framework", "pytorch");
    example.target = text_or(spec, "target", "");
    example.nodes = integer_at(spec, "nodes").value_or(1);
    all.push_back(std::move(example));
  }
  return all;
}

}  // namespace

const std::vector<ShippedExample>& shipped_examples() {
  static const std::vector<ShippedExample> all = read_examples();
  return all;
}

const ShippedExample* find_example(std::string_view name) {
  const auto found = std::ranges::find(shipped_examples(), name, &ShippedExample::name);
  return found == shipped_examples().end() ? nullptr : &*found;
}

}  // namespace trainyard
