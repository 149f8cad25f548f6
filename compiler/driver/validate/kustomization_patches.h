#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/checks/overlays_check.h"
#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "driver/validate/kustomized_object.h"
#include "tree/tree.h"

namespace trainyard {

/// Holds what kustomizations lay over objects against the objects that they list: kustomize refuses
/// a patch for an object that is not among them. Says nothing where a kustomization takes objects
/// from elsewhere, or where another program makes or renames some of them. Lays the patches over
/// the objects, as far as they are merges, JSON patches of `add`, `replace` and `remove`, and
/// replicas. kubernetes-sigs/kustomize api/internal/target/kusttarget.go, api/internal/builtins
class KustomizationPatches {
 public:
  /// `inputs` must outlive it: their texts are there already.
  KustomizationPatches(const std::vector<InputPart>& inputs, Session& session);

  /// Whether all its patches could be laid over objects.
  bool check(View kustomization, const std::string& folder);

  /// What the kustomizations that were checked make of objects; they are forgotten here.
  Overlays take();

 private:
  struct Resources {
    std::vector<KustomizedObject> all;
    bool is_whole = true;  // there are no others, and no other names
  };
  /// The sort and name by which a patch or a generator calls an object.
  struct Called {
    std::string_view api_version;
    std::string_view kind;
    std::string_view name;
    std::string_view name_space;
  };

  struct Read {
    std::deque<Document> documents;
    bool is_read = false;  // whole and without fault
  };

  /// What a base has when it leaves its folder.
  const Resources& of_folder(const std::string& folder);
  Resources listed(View kustomization, const std::string& folder);
  void add(std::string_view name, const std::string& folder, Resources& to);
  static void add_object(View object, Resources& to);
  static void add_generated(View kustomization, Resources& to);
  static void rename(View kustomization, Resources& all);
  /// Null for what cannot be read, or may not be on behalf of `reader`.
  const std::deque<Document>* documents(const std::string& path, const std::string& reader);

  void lose_all(Resources& resources);
  void lay_all_over(View kustomization, const std::string& folder, Resources& resources);
  void lay_text_over(View text, View target, Resources& resources);
  void lay_file_over(View path, View target, const std::string& folder, Resources& resources);
  void lay_over(View patch, View target, Span place, Resources& resources);
  void merge_patch(View patch, Span place, Resources& resources);
  bool tell_unknown_operation(View patch, Span place);
  void json_patch(View patch, View target, Span place, Resources& resources);
  void set_replicas(View kustomization, Resources& resources);
  void report_all(const std::vector<Diagnostic>& found);
  /// Whether there is something to check.
  bool keep(View kustomization, const std::string& folder, const Resources& resources);
  void check_generators(View kustomization, const Resources& resources);
  bool is_called(const KustomizedObject& resource, const Called& called) const;
  static void note_alike(const Called& called, const Resources& resources, Diagnostic& told);
  void tell(Span place, std::string message, const Called& called, const Resources& resources);

  std::map<std::string, FileId> files_;  // of the inputs, by their paths
  Session& session_;
  Sink unheard_;  // of what the check of the kustomization itself reports
  Sink* sink_;    // for what kustomize refuses
  Sink fields_;   // for fields that a kind does not have
  PatchLayer layer_;
  std::vector<Overlay> overlays_;
  std::set<FileId> patch_files_;          // of the kustomization
  std::set<std::string> listed_folders_;  // by other kustomizations
  std::map<std::string, Resources> folders_;
  std::map<std::string, Read> documents_;  // of each file that was asked for
};

}  // namespace trainyard
