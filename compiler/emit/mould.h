#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "target/object_set.h"
#include "tree/node_bits.h"

namespace trainyard {

/// The jobs of a fleet have objects of the same form: the same fields with other names, numbers and
/// arguments in a few places. What a job has in common with one that came before is taken from
/// there: the order of its fields, its canonical values and nearly all of its text.
///
/// The outcome is that of `into_written_form` and `write_objects`, byte for byte: every node is
/// compared, and what differs in more than the texts of scalars goes the long way. Bounded in
/// memory. Not for two threads at once.
class Mould {
 public:
  Mould();
  ~Mould();
  Mould(Mould&&) noexcept;
  Mould& operator=(Mould&&) noexcept;

  /// Puts objects as they were filled into their written form.
  void into_written_form(ObjectSet& objects);
  /// Appends the text of these objects, which have been put into their written form last and not
  /// been changed since.
  void write(const ObjectSet& objects, std::string& out);

  /// Which form these objects have: never the same number for two; 0 for none that is known.
  std::uint64_t form() const { return form_; }
  /// Whether the form was learnt from them.
  bool is_first() const { return is_first_; }
  /// The scalars in which they differ from the first ones, with the nodes that these are in.
  const NodeBits& open() const { return open_; }

 private:
  struct Form;

  Form* find(const ObjectSet& objects);
  bool is_worth_keeping(const Tree& tree);
  void learn(ObjectSet& objects);

  std::vector<std::unique_ptr<Form>> forms_;  // the one that was used last in front
  std::vector<std::uint64_t> seen_;           // what forms look like that came once
  std::size_t next_seen_ = 0;
  std::uint64_t form_ = 0;
  std::uint64_t last_form_ = 0;
  bool is_first_ = false;
  NodeBits open_;
  Form* current_ = nullptr;             // of the objects at hand; null when there is none
  std::vector<NodeId> different_;       // their scalars that have other texts than the form's
  std::vector<std::uint64_t> changed_;  // the same, a bit for each scalar in the order of the text
};

}  // namespace trainyard
