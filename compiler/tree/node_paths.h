#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "tree/tree.h"

namespace trainyard {

/// The paths of what is reported of one object: `spec.containers[0].env[1].name`. The
/// first few are searched for; for more, the parent of each node is recorded.
class FindingPaths {
 public:
  /// Of another object.
  void start(View root);
  /// Appends the path of `to`. False, with nothing done, when that is not below the root.
  bool find(NodeId to, std::string& path);

 private:
  struct Up {
    NodeId parent;
    std::uint32_t index;  // among its children
  };

  bool search(NodeId to, std::string& path) const;
  void append(NodeId step, const Up& up, std::string& path) const;
  void write_down(NodeId parent);

  View root_;
  std::size_t asked_ = 0;
  std::unordered_map<NodeId, Up> up_;
};

}  // namespace trainyard
