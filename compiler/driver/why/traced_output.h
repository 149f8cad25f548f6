#pragma once

#include <cstdint>
#include <string>

#include "emit/provenance.h"

namespace trainyard {

/// The text that a build of some objects writes, and why each value of it is as it is.
class TracedOutput {
 public:
  TracedOutput();

  void add(const ObjectSet& objects, const Origins& origins, const SourceMap& sources);
  /// Comments that are known when all objects are there already.
  void put_below_header(const std::string& comments);

  std::string text;
  Provenance causes;

 private:
  std::uint32_t lines_ = 0;  // of the text
};

}  // namespace trainyard
