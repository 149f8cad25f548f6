#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// Objects that other objects refer to by name, and that are among the inputs of a run, among
/// the objects of a build, or stated by the Cluster.
class Inventory {
 public:
  /// `base` is asked for what is not in here, and must outlive this; may be null.
  explicit Inventory(const Inventory* base = nullptr) : base_(base) {}

  /// Whether a kind is one that others refer to, so that its objects belong in here.
  static bool takes(std::string_view api_version, std::string_view kind);

  static bool takes_kind(std::string_view kind);  // of whatever group
  /// `object` is read where it stands: its tree must outlive the inventory and stay in place.
  /// Nothing happens when its kind is none that others refer to.
  void add(View object);
  /// An object that is known to be there, and no more. The texts must outlive the inventory.
  void state(std::string_view group, std::string_view kind, std::string_view name);

  /// The object; an empty view when it is not there, or is only stated. `name_space` is "" for
  /// objects without one; an object that names none is taken to be in the namespace asked for, as
  /// `kubectl apply -n` would put it there.
  View find(std::string_view group, std::string_view kind, std::string_view name_space,
            std::string_view name) const;
  /// Whether the object is there, even if it is only stated.
  bool has(std::string_view group, std::string_view kind, std::string_view name_space,
           std::string_view name) const;
  /// Whether anything of this kind is there: then who wrote the inputs tells us about this kind,
  /// and what is missing is very likely missing in the cluster.
  bool has_any(std::string_view group, std::string_view kind) const;
  /// All objects of a kind, in the order in which they were added.
  std::vector<View> all(std::string_view group, std::string_view kind) const;
  /// The Services that lead to a port by its name. Few do, and nothing else of a Service asks what
  /// every pod looks like.
  std::vector<View> services_by_port_name() const;

 private:
  struct Entry {
    std::string_view group;
    std::string_view kind;
    std::string_view name_space;
    std::string_view name;
    View object;  // empty when it is only stated
  };
  /// What there is of one kind: each pod asks for a handful of kinds, and a fleet has many objects.
  struct OfKind {
    std::string_view group;
    std::string_view kind;
    std::vector<std::size_t> entries;  // indices, rising
  };
  void add(const Entry& entry);
  bool hides(View object) const;  // of the base
  const OfKind* of_kind(std::string_view group, std::string_view kind) const;
  const Entry* entry(std::string_view group, std::string_view kind, std::string_view name_space,
                     std::string_view name) const;

  const Inventory* base_;
  std::vector<Entry> entries_;
  std::vector<OfKind> kinds_;
  std::vector<View> services_by_port_name_;
  std::unordered_multimap<std::string_view, std::size_t> by_name_;
};

}  // namespace trainyard
