#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "source/origin.h"
#include "source/span.h"

namespace trainyard {

/// What led to a value of a spec besides the text at its own place.
struct PlaceBehind {
  Span value;                          // the value's own place
  OriginKind kind = OriginKind::None;  // Replaced, Parameter, or Spec for where a parameter is used
  Span place;                          // of what led to it
  std::string_view parameter = {};     // its name; lives as long as the document's tree
};

/// Where the values of one spec come from that was put together of several files, or has
/// parameters.
class SpecPlaces {
 public:
  std::vector<FileId> files;  // of all parts

  bool has(FileId file) const;
  void add(PlaceBehind behind);
  /// The value of a parameter, wherever it is used.
  void add_parameter(Span value, std::string_view name) { parameters_.emplace_back(value, name); }
  /// To be called when all have been added, before `origin`.
  void finish();

  /// Where a value was written, led to by what is behind it.
  OriginId origin(Origins& origins, Span value) const;

 private:
  std::vector<PlaceBehind> behind_;  // by place of the value; of one value in the order of `add`
  std::vector<std::pair<Span, std::string_view>> parameters_;
};

}  // namespace trainyard
