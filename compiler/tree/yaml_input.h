#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "source/span.h"
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
  std::size_t nodes_before = 0;  // of the same file, read already
};

}  // namespace trainyard
