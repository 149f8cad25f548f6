#pragma once

#include <string_view>

#include "convert/conversion.h"

namespace trainyard {

/// A pod template that is put together from the fields of a kind which has none. Values are copies
/// that know their places, so that the one reader of templates takes them.
class SynthesizedPod {
 public:
  explicit SynthesizedPod(Conversion& job);

  NodeId root = kNoNode;
  NodeId metadata = kNoNode;
  NodeId spec = kNoNode;
  NodeId container = kNoNode;

  void copy(NodeId map, std::string_view key, View value) { job_.maker.put_copy(map, key, value); }
  /// A variable with this value.
  void variable(std::string_view name, NodeId value);
  void resource(std::string_view list, std::string_view name, NodeId amount);
  /// A volume and its mount in the container.
  void volume(std::string_view name, std::string_view source, NodeId value, NodeId path,
              bool read_only);
  /// Splits a command line into the words of `key`.
  void words(std::string_view key, View line);

  View view() const { return job_.maker.view(root); }

 private:
  Conversion& job_;
};

}  // namespace trainyard
