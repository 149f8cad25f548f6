#include "lints/gitops/flux_unit.h"

#include "source/source_map.h"
#include "tree/typed_fields.h"

namespace trainyard {

bool flux_covers(View kustomization, std::string_view file) {
  std::string_view path = string_at(get(kustomization, "spec"), "path");
  while (path.starts_with("./") || path.starts_with('/')) path.remove_prefix(path.find('/') + 1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty() || path == ".") return true;
  for (std::size_t at = file.find(path); at != file.npos; at = file.find(path, at + 1)) {
    const bool begins = at == 0 || file[at - 1] == '/';
    if (begins && file.substr(at + path.size()).starts_with('/')) return true;
  }
  return false;
}

std::string_view file_of(View object, const CheckContext& context) {
  const SourceMap* sources = context.sources();
  const Span span = object->span;
  const bool is_known = sources != nullptr && span.known() && span.file < sources->size();
  return is_known ? sources->name(span.file) : std::string_view();
}

View flux_unit_of(View object, CheckContext& context, const std::function<bool(View)>& is_such) {
  if (context.is_ours()) return {};
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  const std::string_view file = file_of(object, context);
  if (file.empty()) return {};
  for (const View each : inventory->all("kustomize.toolkit.fluxcd.io", "Kustomization")) {
    if (flux_covers(each, file) && is_such(each)) return each;
  }
  return {};
}

}  // namespace trainyard
