#pragma once

#include <memory>
#include <vector>

#include "schema/form_checker.h"
#include "tree/node_bits.h"
#include "tree/seen_before.h"
#include "tree/tree_form.h"

namespace trainyard {

/// Forms of the specs of a run. Those of a fleet differ in the texts of a few scalars, and of the
/// schema of the language only these are looked at. Bounded; not for two threads at once.
class SpecForms {
 public:
  /// Whether the schema, of `pack`, surely has nothing to say of a document. False where the form
  /// is not known yet, or there is something.
  bool is_sound(const SchemaPack& pack, SchemaId schema, const Tree& document);
  /// Nothing had to be said of the document that was asked about last, by rules either.
  void note_quiet();
  /// Where the one that was asked about last differs from one of its form of which nothing had to
  /// be said; null when none is known.
  const NodeBits* new_texts() const;

 private:
  struct Form {
    explicit Form(const Tree& document) : nodes(document) {}

    TreeForm nodes;
    SoundForm as_schema_has_it;
    bool is_sound = false;
    bool is_quiet = false;
  };

  Form* find(const Tree& document);
  bool learn(SchemaId schema, const Tree& document);

  std::unique_ptr<FormChecker> checker_;
  std::vector<std::unique_ptr<Form>> forms_;  // the one that was used last in front
  SeenBefore seen_;                           // what forms look like that came once
  NodeBits different_;                        // of the document that was compared last
  Form* current_ = nullptr;                   // of the document that was asked about last
  bool is_first_ = false;                     // of that form
};

}  // namespace trainyard
