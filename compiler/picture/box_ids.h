#pragma once

#include <map>
#include <string>
#include <string_view>

#include "picture/picture.h"

namespace trainyard {

/// Plain names of boxes, `b0`, `b1`, in the order of the picture: the ids of boxes are texts of
/// users, which languages of graphs would not take.
class BoxIds {
 public:
  explicit BoxIds(const Picture& picture);

  const std::string& of(const Box& box) const { return names_.at(&box); }
  /// The box of an id; null for none.
  const Box* box(std::string_view id) const;

 private:
  void add(const std::vector<Box>& boxes);

  std::map<const Box*, std::string> names_;
  std::map<std::string_view, const Box*> boxes_;
};

}  // namespace trainyard
