#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "tree/tree.h"

namespace trainyard {

/// An object of a tree of manifests, or of a dump.
struct TreeObject {
  View object;
  std::string_view path;  // of its file
  std::string key;        // group, kind, namespace and name: what a cluster tells it apart by
  std::string unit;       // the directory of its file, which Argo CD or Flux syncs as one

  std::string_view kind() const { return object["kind"].text(); }
  std::string_view name() const { return object["metadata"]["name"].text(); }
  std::string_view name_space() const { return object["metadata"]["namespace"].text(); }
};

/// Where objects come from.
enum class ObjectSource {
  Tree,  // files, where an object that stands twice is an error
  Dump,  // what `kubectl get` printed, where the last one counts
};

/// How the directory of an earlier state is called in the new one: `old/` is `rendered/`.
struct UnitNames {
  std::string from;
  std::string to;
};

/// Objects with the documents that hold them.
class ObjectTree {
 public:
  ObjectTree() = default;
  ObjectTree(ObjectTree&&) = default;
  ObjectTree& operator=(ObjectTree&&) = default;

  /// Reads inputs. What is no object of a cluster is passed over: our own documents,
  /// kustomizations, files of other programs. Reports what cannot be read, objects without a name,
  /// and objects that stand twice.
  void read(Session& session, const std::vector<InputPart>& inputs, ObjectSource source,
            const UnitNames& names = {});

  /// In the order of the inputs.
  const std::vector<TreeObject>& objects() const { return objects_; }
  /// Null where it is not there.
  const TreeObject* find(const std::string& key) const;

 private:
  void take(Session& session, View object, const Document& document, ObjectSource source,
            const UnitNames& names);

  std::deque<Document> documents_;
  std::vector<TreeObject> objects_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// The key of an object; `name_space` counts where it names none.
std::string object_key(View object, std::string_view name_space);

}  // namespace trainyard
