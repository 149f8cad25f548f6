#pragma once

#include <memory>
#include <vector>

#include "shell/word_view.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// YAML that stands in a field as a text.
class TextYaml {
 public:
  explicit TextYaml(View text);

  /// Empty where the text is not one document without fault.
  View root() const;
  /// Where a scalar of it stands.
  WordView place(View inner) const { return place(inner->span); }
  WordView place(Span inner) const { return {text_, inner.begin, inner.end}; }
  /// What its spans point into; null for an empty text.
  const SourceMap* sources() const { return sources_.get(); }

 private:
  View text_;
  std::unique_ptr<SourceMap> sources_;  // that the documents point into
  std::vector<Tree> documents_;
};

}  // namespace trainyard
