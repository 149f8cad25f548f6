#include "manifest/embedded_yaml.h"

#include <string>

#include "diag/sink.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {

TextYaml::TextYaml(View text) : text_(text) {
  if (string_of(text).empty()) return;
  sources_ = std::make_unique<SourceMap>();
  Sink sink;
  const FileId file = sources_->add(std::string(text.key()), std::string(text->text));
  documents_ = read_yaml(*sources_, file, sink, {}, Ambiguity::Kubernetes);
  if (sink.has_errors()) documents_.clear();
}

View TextYaml::root() const {
  return documents_.size() == 1 ? View(documents_.front(), documents_.front().root()) : View();
}

}  // namespace trainyard
