#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "schema/pack.h"
#include "spec/spec_places.h"
#include "tree/tree.h"

namespace trainyard {

/// As many jobs come out of one matrix. Who needs more wants a search, which decides as it goes.
inline constexpr std::size_t kMostCombinations = 1000;

/// A parameter and its value, a scalar of the document.
struct ParameterValue {
  std::string_view name;
  NodeId value = kNoNode;
};
/// What one job of a matrix has: its parameters in the order of the document, then those that
/// `include` adds.
using Combination = std::vector<ParameterValue>;

/// The combinations of a `matrix` that has the form of its schema: those of the lists, the last one
/// changing fastest, without those of `exclude`; then each entry of `include` is added to all of
/// them that it does not contradict, or is one of its own. Values are distinguished by their text.
///
/// Nothing, with errors in `sink`, when there is none or too many, or a part has no effect.
/// What `exclude` and `include` mean is what they mean to GitHub Actions:
/// github/docs content/actions/reference/workflows-and-actions/workflow-syntax.md
std::optional<std::vector<Combination>> combinations(const Tree& tree, NodeId matrix, Sink& sink);

/// Checks all `${{ matrix.NAME }}` of a document: they name parameters, and stand in values.
/// `matrix` may be kNoNode; then `${{` means something only where `matrix.` follows. With a matrix
/// every parameter is used. False, with errors in `sink`, when something is wrong.
bool check_references(const Tree& tree, NodeId matrix, Sink& sink);
/// Whether a text may hold such a reference.
bool may_refer_to_matrix(std::string_view text);

/// What the names of the jobs end with, `-lr3e-4-bs64`: different for each. Empty texts when the
/// name of the document refers to parameters itself.
std::vector<std::string> name_endings(const Tree& tree, const std::vector<Combination>& all);

/// The document of one combination, without `matrix`: a value that is nothing but a reference
/// becomes that of the parameter, of its type and at its place; its text where `schema` has nothing
/// but texts. Inside a text its text is put in. The job is labelled with its parameters. False,
/// with errors in `sink`, when it refers to a parameter that the combination does not have.
bool make_variant(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                  const Combination& combination, std::string_view name_ending, Tree& out,
                  SpecPlaces& places, Sink& sink);

}  // namespace trainyard
