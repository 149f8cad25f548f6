#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/build/build.h"
#include "driver/build/compile.h"
#include "driver/build/job_units.h"
#include "driver/build/object_identity.h"
#include "driver/build/output_directory.h"
#include "driver/build/run_sources.h"
#include "driver/build/synced_job.h"
#include "driver/session/default_releases.h"
#include "emit/artifact.h"

namespace trainyard {

/// A job, or a platform.
struct MadeJob {
  std::string key;  // what tells the jobs of one run apart
  std::string name;
  Span place;             // of the name in the spec
  ObjectsText text = {};  // its objects in the stream
};

/// What some documents were compiled to.
struct Made {
  std::vector<MadeJob> jobs;              // and platforms
  std::vector<JobOutput> outputs;         // for a directory
  std::vector<IdentifiedObject> objects;  // of all jobs
  std::vector<SyncedJob> synced;          // of units
  DefaultReleases releases;               // that the objects in the stream are for, unless stated
  std::size_t documents = 0;              // that are jobs or Clusters, be they good or not
};

/// Puts digests into the texts for the stream.
void put_digests(std::span<MadeJob> jobs);

/// Compiles documents, each for itself.
class JobMaker {
 public:
  /// What is not there, `cluster` or `units`, is null. All must outlive this.
  JobMaker(Session& session, const BuildRequest& request, const ClusterDocument* cluster,
           const JobUnits* units = nullptr);

  /// A TrainingJob, or a Cluster that was named.
  void one(Document& document, Made& made);
  /// A Cluster, whose file is `file` below the output directory, without `.yaml`; "" to name it by
  /// the Cluster.
  void platform(Document& document, const std::string& file, Made& made);

 private:
  bool enter_unit(const Document& document);
  bool is_in_its_namespace();
  void job(const Document& document, Made& made);
  bool may_name_a_file(const Text& name);
  void take_job(const Document& document, Made& made);
  const std::string& folder_of_object(const ObjectSet& objects, const Object& object) const;
  void keep(MadeJob& job, std::string file, std::string ns, const std::string& source,
            ObjectSet& objects, const Origins& origins, const Cluster* cluster, Made& made);
  bool is_training_job(const Document& document);
  JobOutput output(std::string file, std::string ns, std::string source, const ObjectSet& objects,
                   const Origins& origins, const Cluster* cluster);

  Session& session_;
  const BuildRequest& request_;
  const ClusterDocument* cluster_;
  const JobUnits* units_;
  const JobUnit* unit_ = nullptr;     // for which the session is ready
  std::optional<SourceNames> names_;  // when there is an output directory
  Compilation compilation_;
};

/// Whether a name can be that of one file or folder: without `/`, and not hidden.
bool is_plain_file_name(std::string_view name);

}  // namespace trainyard
