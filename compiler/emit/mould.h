#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/moulded_text.h"
#include "target/fill_trace.h"
#include "target/object_set.h"
#include "tree/node_bits.h"
#include "tree/seen_before.h"

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

  /// Fills the templates of a target, and puts the objects into their written form, by what an
  /// earlier job has left: where the plan gives the same answers but for texts, the same nodes and
  /// origins come out. False, with nothing done, when no such job is known. The objects belong to
  /// this from then on, until `take_back`.
  bool fill(const Plan& plan, const TargetPack& target, const std::optional<Release>& release,
            Origins& origins, ObjectSet& objects);
  /// Takes back what `fill` has put into `objects`; leaves anything else there alone.
  void take_back(ObjectSet& objects);
  /// For what is asked of the next plan, where it may be of use; else null. `origins` as they are
  /// before anything is filled.
  FillTrace* trace(const Origins& origins);
  /// Keeps that trace, for objects which have been put into their written form last and which
  /// nothing but templates has made.
  void keep_trace(const Plan& plan, const TargetPack& target, const std::optional<Release>& release,
                  const Origins& origins, const ObjectSet& objects);

  /// Puts objects as they were filled into their written form.
  void into_written_form(ObjectSet& objects);
  /// Appends the text of these objects, which have been put into their written form last and not
  /// been changed since.
  void write(const ObjectSet& objects, std::string& out);
  /// The same, as one part.
  void write(const ObjectSet& objects, MouldedText& out);

  /// Which form these objects have: never the same number for two; 0 for none that is known.
  std::uint64_t form() const { return form_; }
  /// Whether they came from `fill`.
  bool is_refilled() const { return lent_ != nullptr; }
  /// Whether the form was learnt from them.
  bool is_first() const { return is_first_; }
  /// The scalars in which they differ from the first ones, with the nodes that these are in.
  const NodeBits& open() const { return open_; }

 private:
  struct Form;
  struct Filling;

  Form* find(const ObjectSet& objects);
  bool is_worth_keeping(const Tree& tree);
  void use(Form& form);
  void learn(ObjectSet& objects);
  void write_different(const Tree& tree);

  std::vector<std::unique_ptr<Form>> forms_;        // the one that was used last in front
  SeenBefore seen_;                                 // what forms look like that came once
  std::vector<std::unique_ptr<Filling>> fillings_;  // the one that was used last in front
  SeenBefore seen_fillings_;
  Filling* lent_ = nullptr;  // whose objects somebody has
  FillTrace trace_;
  std::size_t first_origin_ = 0;  // of what is traced
  std::vector<OtherText> others_;
  std::vector<std::string_view> pods_;
  std::uint64_t form_ = 0;
  std::uint64_t last_form_ = 0;
  bool is_first_ = false;
  NodeBits open_;
  Form* current_ = nullptr;             // of the objects at hand; null when there is none
  std::vector<NodeId> different_;       // their scalars that have other texts than the form's
  std::vector<std::uint64_t> changed_;  // the same, a bit for each scalar in the order of the text
  std::vector<OtherScalar> others_written_;  // the same as they are written
  std::string texts_written_;
};

}  // namespace trainyard
