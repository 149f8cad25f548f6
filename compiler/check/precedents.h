#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/objects.h"
#include "check/questions.h"
#include "schema/form_checker.h"
#include "tree/node_bits.h"

namespace trainyard {

/// Sets of objects that were sound by their schemas, for others of the same form: the same nodes,
/// of which only scalars have other texts. Of these it is enough to look at what differs. Bounded;
/// not for two threads at once.
class Precedents {
 public:
  /// The next objects have the form of this number, 0 for none. `is_first` when it is theirs, and
  /// others are compared with them; `open` are the scalars in which they differ from the first
  /// ones, with the nodes that these are in. It outlives the questions.
  void begin(std::uint64_t form, bool is_first, const NodeBits& open);

  /// Whether there surely is nothing to say of the schema of the object with this number in its
  /// set. Where it is not known, or there is something, false.
  bool is_sound(std::size_t number, const SchemaKind& kind, const SchemaPack& pack,
                const Tree& tree, NodeId root);

  /// Runs the checks of that object, which is without fault by its schema: those that surely have
  /// nothing to say are left out.
  void run_checks(std::size_t number, View root, std::string name, const ObjectSet& objects,
                  const Surroundings& surroundings, CheckContext& context);

 private:
  struct Known {
    const SchemaKind* kind = nullptr;  // null when it was not sound
    SoundForm form;
    Questions questions;
    QuietAnswers quiet;
  };
  /// What all objects of a run are checked against.
  struct Around {
    const Cluster* cluster = nullptr;
    const Severities* severities = nullptr;

    friend bool operator==(const Around&, const Around&) = default;
  };
  /// The nodes by which an inventory knows an object; kNoNode for what it does not have.
  struct Head {
    NodeId api_version = kNoNode;
    NodeId kind = kNoNode;
    NodeId name = kNoNode;
  };
  struct Set {
    std::uint64_t form = 0;
    Around around;
    std::vector<Head> heads;
    std::vector<Known> objects;
  };

  FormChecker& checker(const SchemaPack& pack);
  /// Whether an inventory has the same objects of a set as it had for the first ones, names aside:
  /// what is in it by kind and name was read before a check asked for it.
  bool are_known_alike(const ObjectSet& objects);

  std::vector<Set> sets_;
  std::size_t next_ = 0;  // that makes room
  std::vector<std::unique_ptr<FormChecker>> checkers_;
  Set* current_ = nullptr;
  bool is_first_ = false;
  const NodeBits* open_ = nullptr;
  Questions::Due due_;
};

/// As without precedents, and faster.
void check_objects(const ObjectSet& objects, SchemaSources schemas,
                   const Surroundings& surroundings, const Origins& origins, Documents documents,
                   Precedents& precedents, Sink& sink);

}  // namespace trainyard
