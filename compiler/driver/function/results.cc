#include "driver/function/results.h"

#include <algorithm>

#include "diag/fix_preview.h"
#include "diag/redaction.h"
#include "source/number_text.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

class Results {
 public:
  Results(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
          const ResourceList& list)
      : diagnostics_(diagnostics),
        sources_(sources),
        list_(list),
        redaction_(diagnostics, sources) {}

  std::string run() {
    const NodeId all = tree_.add_seq();
    for (const Diagnostic& each : diagnostics_) tree_.append(all, result(each));
    std::string text;
    write_yaml(tree_, all, text);
    return text;
  }

 private:
  NodeId result(const Diagnostic& diagnostic) {
    const NodeId map = tree_.add_map();
    std::string message = diagnostic.message;
    for (const std::string& note : diagnostic.notes) message += "\n" + note;
    add(map, "message", redaction_.words(message));
    add(map, "severity",
        diagnostic.severity == Severity::Error     ? "error"
        : diagnostic.severity == Severity::Warning ? "warning"
                                                   : "info");
    const FunctionItem* item = item_of(diagnostic.span);
    if (item != nullptr) tree_.append(map, "resourceRef", reference(*item));
    if (const NodeId found = field(diagnostic); found != kNoNode) {
      tree_.append(map, "field", found);
    }
    if (const NodeId found = file(diagnostic.span, item); found != kNoNode) {
      tree_.append(map, "file", found);
    }
    const NodeId tags = tree_.add_map();
    add(tags, "check", std::string(diagnostic.rule()));
    tree_.append(map, "tags", tags);
    return map;
  }

  NodeId reference(const FunctionItem& item) {
    const NodeId map = tree_.add_map();
    add(map, "apiVersion", std::string(item.api_version));
    add(map, "kind", std::string(item.kind));
    add(map, "name", std::string(item.name));
    add(map, "namespace", std::string(item.ns));
    return map;
  }

  NodeId field(const Diagnostic& diagnostic) {
    if (diagnostic.path.empty()) return kNoNode;
    const NodeId map = tree_.add_map();
    add(map, "path", redaction_.words(diagnostic.path));
    if (!diagnostic.fixes.empty()) {
      add(map, "proposedValue", redaction_.words(new_text(diagnostic.fixes.front(), sources_)));
    }
    return map;
  }

  NodeId file(Span span, const FunctionItem* item) {
    const std::string_view path = item != nullptr ? item->file
                                  : span.known()  ? sources_.name(span.file)
                                                  : std::string_view();
    if (path.empty() || path == "<stdin>") return kNoNode;
    const NodeId map = tree_.add_map();
    add(map, "path", redaction_.words(path));
    const auto index = read_number<int>(item != nullptr ? item->index : std::string_view());
    if (index) tree_.append(map, "index", tree_.add_int(*index));
    return map;
  }

  const FunctionItem* item_of(Span span) const {
    if (!span.known()) return nullptr;
    const std::string_view name = sources_.name(span.file);
    const auto found = std::ranges::find_if(
        list_.items, [&](const FunctionItem& each) { return each.input == name; });
    if (found != list_.items.end()) return &*found;
    return list_.config && list_.config->input == name ? &*list_.config : nullptr;
  }

  void add(NodeId map, std::string_view key, const std::string& text) {
    if (!text.empty()) tree_.append(map, key, tree_.add_string(tree_.intern(text)));
  }

  std::span<const Diagnostic> diagnostics_;
  const SourceMap& sources_;
  const ResourceList& list_;
  Redaction redaction_;
  Tree tree_;
};

}  // namespace

std::string results_yaml(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                         const ResourceList& list) {
  return Results(diagnostics, sources, list).run();
}

}  // namespace trainyard
