#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/data_command.h"
#include "rules/data_move.h"
#include "rules/rule_context.h"

namespace trainyard {

/// Builds the containers that move data.
class DataContainers {
 public:
  explicit DataContainers(RuleContext& context) : context_(context), tree_(context.tree()) {}

  /// Of the Cluster before that of the scheme; null where neither says one.
  const Text* image(const DataMove& move) const;
  /// The command that moves the data, its holes filled.
  std::vector<std::string> words(const DataMove& move) const;
  /// A map of one entry.
  NodeId pair(std::string_view key, std::string_view value, OriginId origin);
  /// One that only waits needs nothing of what the others get.
  NodeId container(const Role& role, const DataMove& move, const std::vector<std::string>& command,
                   Turn::Who who);

 private:
  NodeId variable(std::string_view name, std::string_view value, OriginId origin);
  NodeId variables(const DataMove& move, bool asks_for_name);
  /// The Secret's keys as variables, in this container alone.
  NodeId credentials(const DataMove& move);
  NodeId resources(const DataMove& move);
  bool says(const Fragment& security, std::string_view key, std::string_view value) const;
  /// No more rights than the program has, and as few as do; root may need its own to write where
  /// others do.
  NodeId security(const Role& role, const DataMove& move);
  NodeId mount_list(const Role& role, const DataMove& move);

  template <class... Values>
  OriginId because(const Values&... values) const {
    return context_.because({values.origin...});
  }
  NodeId string(std::string_view value, OriginId origin) { return tree_.add_string(value, origin); }

  RuleContext& context_;
  Tree& tree_;
};

/// A value as an argument of a container, in which `$(NAME)` would be the variable's value.
std::string literal_argument(std::string_view value);

}  // namespace trainyard
