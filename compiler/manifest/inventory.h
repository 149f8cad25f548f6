#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
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
  std::size_t count(std::string_view group, std::string_view kind) const;
  /// Those of a name in any namespace, in the order in which they were added. None when there are
  /// more than kMostAlike: it cannot be told which is meant.
  std::vector<View> named(std::string_view group, std::string_view kind,
                          std::string_view name) const;
  /// The names of a kind that are given, each once. None when there are more than kMostNames: to
  /// guess among more costs too much.
  std::vector<std::string_view> names(std::string_view group, std::string_view kind) const;
  using Label = std::pair<std::string_view, std::string_view>;  // key and value
  /// Services of a namespace that select by one of these labels, and perhaps by others, in the
  /// order in which they were added: the first kMostAlike of each label.
  std::vector<View> services_by_label(std::string_view name_space,
                                      const std::vector<Label>& labels) const;

  static constexpr std::size_t kMostAlike = 256;
  static constexpr std::size_t kMostNames = 1500;

 private:
  /// What there is of one kind: each pod asks for a handful of kinds, and a fleet has many objects.
  struct OfKind {
    std::string_view group;
    std::string_view kind;
    std::vector<View> objects;
  };
  bool hides(View object) const;                  // of the base
  using Name = std::array<std::string_view, 3>;   // group, kind, name
  using Place = std::array<std::string_view, 4>;  // and namespace
  void add(std::string_view group, std::string_view kind, std::string_view name_space,
           std::string_view name, View object);
  const OfKind* of_kind(std::string_view group, std::string_view kind) const;
  /// The object, an empty view for one that is only stated, or nothing.
  std::optional<View> at(std::string_view group, std::string_view kind, std::string_view name_space,
                         std::string_view name) const;

  const Inventory* base_;
  std::vector<OfKind> kinds_;
  std::map<Place, View> by_place_;
  std::map<Name, std::vector<View>> by_name_;
  std::map<std::pair<std::string_view, Label>, std::vector<std::size_t>> services_;  // by namespace
};

}  // namespace trainyard
