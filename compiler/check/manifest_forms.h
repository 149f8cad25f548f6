#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "check/deferred_checks.h"
#include "check/questions.h"
#include "manifest/kinds.h"
#include "schema/form_checker.h"
#include "tree/node_bits.h"
#include "tree/seen_before.h"
#include "tree/tree_form.h"

namespace trainyard {

/// Forms of the manifests of a run: a program prints many objects that differ in the texts of a few
/// scalars. Of these it is enough to look at what these scalars may change. Bounded; not for two
/// threads at once, nor for two sets of schemas.
class ManifestForms {
 public:
  /// As check_manifest_alone for a new object, and faster. Nothing when it has to be asked, for the
  /// form is not known yet or there is something to say of the schema.
  std::optional<Unfinished> check(const Tree& tree, SchemaSources schemas,
                                  const Surroundings& surroundings, Sink& sink);

 private:
  struct Form {
    explicit Form(const Tree& tree) : nodes(tree) {}

    TreeForm nodes;
    const SchemaKind* kind = nullptr;  // null when it was not sound
    const SchemaPack* pack = nullptr;
    SoundForm as_schema_has_it;
    const Inventory* inventory = nullptr;
    const Cluster* cluster = nullptr;
    const Severities* severities = nullptr;
    Questions questions;
    QuietAnswers quiet;
  };

  Form* find(const Tree& tree);
  bool is_worth_keeping(const Tree& tree);
  std::optional<Unfinished> learn(const Tree& tree, SchemaSources schemas,
                                  const Surroundings& surroundings, Sink& sink);
  FormChecker& checker(const SchemaPack& pack);

  std::vector<std::unique_ptr<Form>> forms_;  // the one that was used last in front
  SeenBefore seen_;                           // what forms look like that came once
  std::vector<std::unique_ptr<FormChecker>> checkers_;
  NodeBits open_;  // of the tree that was compared last
  Questions::Due due_;
};

}  // namespace trainyard
