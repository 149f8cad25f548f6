#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A program that tells what another reader makes of a text.
struct Oracle {
  std::string command;  // reads standard input, writes one line per answer
  std::string missing;  // why it cannot be asked; empty when it can
};

Oracle go_oracle(std::string_view mode);
/// The API server's own CEL.
Oracle cel_oracle(std::string_view mode);
/// The Go module in a folder of tests/oracles.
Oracle module_oracle(std::string_view folder, std::string_view mode = "");
Oracle python_oracle(bool libyaml);

/// What the oracle answers to `input`, line by line. Failing to run is one line saying so.
std::vector<std::string> ask(const Oracle& oracle, std::string_view name, const std::string& input);

/// One line of JSON in which every scalar has a letter in front for what it is, as the oracles
/// print it. go-yaml has integers up to 64 bits and takes larger ones for floats.
enum class BigInts { Kept, Floats };
std::string typed_json(const Tree& tree, NodeId root, BigInts big = BigInts::Kept);

/// True when two such lines hold the same value, whatever their escapes and the order of keys.
bool same_value(const std::string& expected, const std::string& got);

}  // namespace trainyard
