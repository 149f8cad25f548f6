#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/object_number.h"
#include "manifest/pod.h"
#include "policy/policy_path.h"
#include "tree/tree.h"

namespace trainyard {

/// The paths of many rules, followed in one pass over a document: each key is looked at once,
/// however many rules ask for it. Not for two threads at once.
class PolicyWalk {
 public:
  struct Found {
    View at;
    const PodContainer* container = nullptr;  // that the path is in
  };

  /// The number of a path; equal paths have the same.
  std::size_t add(const PolicyPath& path);

  /// From here on `subject` is asked about, which costs nothing if it was before. Where a `pod` is
  /// given, `containers[]` are all of its containers.
  void start(View subject, const Pod* pod) {
    const bool is_known =
        object_ == object_number() && walked_ == found_.size() && subject_.is_at(subject);
    if (!is_known) walk_all(subject, pod);
  }
  /// What is at a path, in the order of the document. A null is no value.
  std::span<const Found> values(std::size_t path) const { return found_[path]; }

 private:
  static constexpr std::uint32_t kNone = 0;  // no path ends, and nothing leads, at the root

  /// A place that some path passes or ends at.
  struct Place {
    std::vector<std::pair<std::string, std::uint32_t>> fields;
    std::uint64_t hints = 0;  // a bit for each name in `fields`, as `hint` has it
    std::uint32_t items = kNone;
    std::uint32_t entries = kNone;
    std::uint32_t path = kNone;  // that ends here: its number + 1
    bool is_end = true;          // no path goes on
  };

  std::uint32_t next(std::uint32_t place, const PolicyPath::Part& part);
  std::uint32_t field(const Place& place, std::string_view name) const;
  void walk(std::uint32_t id, View at, const PodContainer* container);
  void walk_all(View subject, const Pod* pod);

  std::vector<Place> places_ = std::vector<Place>(1);
  std::vector<std::vector<Found>> found_;  // by path
  std::vector<std::size_t> filled_;        // paths that have something in `found_`
  View subject_;                           // of `found_`
  std::uint64_t object_ = 0;               // its number
  std::size_t walked_ = 0;                 // paths that there were then
};

}  // namespace trainyard
