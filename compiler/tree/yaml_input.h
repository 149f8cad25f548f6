#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "source/span.h"
#include "tree/anchored_text.h"
#include "tree/yaml_reader.h"

namespace trainyard {

/// Where and how one file is read.
struct YamlInput {
  std::string_view text;
  FileId file = kNoFile;
  std::uint32_t begin = 0;  // of the text that the reader sees: yaml-cpp's marks count from here
  ReadLimits limits;
  Ambiguity ambiguity = Ambiguity::Refuse;
  bool want_text_spans = false;
  std::size_t nodes_before = 0;         // of the same file, read already
  const AnchoredText* given = nullptr;  // the text for yaml-cpp, where it gets another one

  std::size_t place(std::size_t at) const {
    return std::min(given == nullptr ? at : given->place(at), text.size());
  }
};

}  // namespace trainyard
