#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "driver/session/template_store.h"
#include "rules/rule_context.h"
#include "source/source_map.h"

namespace trainyard {

/// The machine catalogue of `machines/*.yaml`. A file is parsed when a machine of it is asked for.
class MachineLibrary : public MachineSource {
 public:
  MachineLibrary(const TemplateStore& files, SourceMap& sources, Sink& sink)
      : files_(files), sources_(sources), sink_(sink) {}

  const Machine* find(std::string_view name) override;
  std::vector<std::string> names() override;
  const Tree* tree(FileId file) const override;
  const MachineSpec* catalogue(FileId file) const override;

  /// Every catalogue, read in full.
  const std::vector<std::unique_ptr<MachineCatalogue>>& all();

 private:
  struct Catalogue {
    std::string path;
    bool loaded = false;
    FileId file = kNoFile;
    Tree tree;
    MachineCatalogue* machines = nullptr;
  };
  void index();
  const MachineCatalogue* load(Catalogue& catalogue);

  const TemplateStore& files_;
  SourceMap& sources_;
  Sink& sink_;
  bool indexed_ = false;
  std::vector<Catalogue> catalogues_;
  std::vector<std::unique_ptr<MachineCatalogue>> decoded_;
};

}  // namespace trainyard
