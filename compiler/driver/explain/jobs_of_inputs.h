#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/build/compile.h"
#include "driver/session/session.h"
#include "driver/session/strict_documents.h"
#include "effective/pods.h"
#include "manifest/inventory.h"
#include "manifest/versions.h"

namespace trainyard {

struct JobsRequest {
  std::vector<std::string> inputs;    // files, directories, `-`
  std::string cluster;                // its versions and runtimes count; "" for none
  bool or_cluster_of_inputs = false;  // where none is named, the one that the inputs have
  std::string target;                 // overrides that of specs; "" for none
  std::string kubernetes;             // has the form of a version; "" for the Cluster's
  bool keeps_sound = false;           // leave out what cannot be read or compiled, and go on
  /// Changes each spec before it is compiled; empty for none.
  std::function<void(Document&)> change = {};
};

/// A job whose pods are known: of a spec, once it is compiled, or of a manifest.
struct InputJob {
  View object;
  Origins* origins = nullptr;  // that its values have
  FileId file = kNoFile;       // of its spec, or that it stands in
};

/// A TrainingJob with the objects of its build.
struct CompiledSpec {
  Document document;
  Compilation compiled;
};

/// `PyTorchJob/train`
std::string job_label(View job);

/// The jobs of some inputs, and the objects beside them. Views live as long as this.
class JobsOfInputs {
 public:
  explicit JobsOfInputs(Session& session) : session_(session) {}

  /// False, with errors in the session's sink, where an input cannot be read or compiled.
  bool read(const JobsRequest& request);

  const std::vector<InputJob>& jobs() const { return jobs_; }
  /// The files that have specs, also those that do not compile, in the order of the inputs.
  const std::vector<FileId>& spec_files() const { return spec_files_; }
  /// The specs that were compiled: one for each combination of a matrix.
  const std::deque<CompiledSpec>& specs() const { return specs_; }
  /// Objects that come to pods which are not known.
  const std::vector<View>& unknown() const { return unknown_; }
  const Versions& versions() const { return versions_; }
  /// The objects that others refer to by name.
  const Inventory& inventory() const { return inventory_; }
  /// Null where there is none.
  const ClusterDocument* cluster() const { return cluster_.get(); }
  /// The file of the Cluster; "" where there is none.
  const std::string& cluster_path() const { return cluster_path_; }

  Span place(const InputJob& job) const;
  /// The object from which the pods are made: the job, or the JobSet that the Trainer makes of a
  /// TrainJob and its runtime. Empty, with an error, where the Trainer makes none. What it does
  /// that does not show is appended to `notes`.
  View maker_of_pods(PodBuilder& maker, const InputJob& job, std::vector<std::string>& notes) const;
  /// False, with an error, where a role has so many pods that lists of their names are of no use.
  bool has_few_pods(const InputJob& job, const std::vector<PodRole>& roles) const;

 private:
  bool take_cluster(const JobsRequest& request);
  void take(Document& document);
  void take_spec(Document& document);
  void take_object(View object, Origins& origins, FileId file);
  Diagnostic& refuse(const InputJob& job, std::string message) const;

  Session& session_;
  std::string target_;
  std::function<void(Document&)> change_;
  std::string cluster_path_;
  std::unique_ptr<ClusterDocument> cluster_;
  Versions versions_;
  std::vector<Document> documents_;
  std::vector<FileId> spec_files_;
  std::deque<CompiledSpec> specs_;
  StrictDocuments strict_;
  Origins origins_;  // of values of foreign objects
  Inventory inventory_;
  std::vector<InputJob> jobs_;
  std::vector<View> unknown_;
};

}  // namespace trainyard
