#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/origin.h"
#include "tree/tree.h"

namespace trainyard {

/// What became of a value of the input.
enum class Fate : std::uint8_t {
  Open,      // not looked at yet
  Carried,   // stands in the spec
  Derived,   // a build makes it again, or a server or controller sets it
  Reported,  // cannot be carried; reported to the user
};

/// A part of the input that the spec does not have.
struct NotCarried {
  View at;
  std::string path;        // in its object: `spec.template.spec.hostPID`
  std::string reason;      // "a TrainingJob has no field for it"
  std::string advice;      // what the reader has to do
  bool is_secret = false;  // its text must not be shown
};

/// Keeps account of every value of the input, so that nothing is dropped silently: what
/// no reader has taken is reported in the end.
class Ledger {
 public:
  /// The places of values in trees that are made from the input, such as a folded TrainJob.
  explicit Ledger(const Origins& origins) : origins_(origins) {}

  /// From now on, all of `object` has to be accounted for. Its tree stays in place.
  void watch(View object);

  /// All below `part` that no reader has taken so far.
  void carried(View part) { mark(part, Fate::Carried); }
  void derived(View part) { mark(part, Fate::Derived); }
  void lost(View part, std::string reason, std::string advice);
  /// The same for a text that holds a credential, which is never shown.
  void withheld(View part, std::string advice);

  /// The fate of a scalar or an empty collection; of one that has no place in the input, Derived.
  Fate fate(View leaf) const;

  std::vector<View> watched() const;
  /// All that was not carried, in the order of the input, including what no reader has taken.
  std::vector<NotCarried> report();

 private:
  struct Watched {
    const Tree* tree = nullptr;
    NodeId root = kNoNode;
    std::vector<NodeId> parents;
    std::vector<Fate> fates;
  };
  struct Place {
    Watched* in = nullptr;
    NodeId node = kNoNode;
  };

  Watched* find(const Tree& tree, NodeId id) const;
  std::vector<Place> places(View part) const;
  std::vector<Place> first_places(View part) const;
  void mark(View part, Fate fate);
  bool is_untouched(const Watched& watched, NodeId id) const;
  static bool says_nothing(const Tree& tree, NodeId id);
  void report_open(Watched& watched, NodeId id, std::vector<NotCarried>& out);
  static std::string path(const Watched& watched, NodeId id);

  const Origins& origins_;
  std::deque<Watched> watched_;
  std::unordered_multimap<std::uint64_t, Place> by_span_;
  std::vector<NotCarried> lost_;
};

}  // namespace trainyard
