#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "driver/session/template_store.h"
#include "rules/rule_context.h"
#include "schema/pack.h"
#include "schema/schema_check.h"
#include "source/source_map.h"

namespace trainyard {

/// Documents of one kind among the templates, `<folder>/<name>.yaml`. One that the user adds is
/// held against its schema, with what is wrong in `sink`, and is then none.
template <class Document>
class DocumentLibrary : public DocumentSource<Document> {
 public:
  DocumentLibrary(const TemplateStore& files, SourceMap& sources, const SchemaPack& schemas,
                  Checker& checker, Sink& sink)
      : files_(files), sources_(sources), schemas_(schemas), checker_(checker), sink_(sink) {}

  const Document* find(std::string_view name) override;
  std::vector<std::string> names() override;
  const Tree* tree(FileId file) const override;

 private:
  struct Entry {
    FileId file = kNoFile;
    Tree tree;
    Document document;
    bool usable = false;
  };
  bool load(std::string_view name, Entry& entry);
  bool is_sound(const Entry& entry, std::string_view name);

  const TemplateStore& files_;
  SourceMap& sources_;
  const SchemaPack& schemas_;
  Checker& checker_;
  Sink& sink_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

using FabricLibrary = DocumentLibrary<Fabric>;
using TransferLibrary = DocumentLibrary<Transfer>;

}  // namespace trainyard
