#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/selection.h"
#include "policy/json_schema.h"
#include "source/origin.h"
#include "spec/cluster.h"
#include "tree/origin_span.h"

namespace trainyard {

struct ClusterDocument;
class PolicyChecks;
struct Session;

/// A rule of the organisation: a JSON Schema for documents of some kinds.
///
/// A file says for itself what it is for, in a map `x-trainyard` at the top of the schema: `name`,
/// `kinds` (`Job`, `batch/Job`, `batch/v1/Job`; all when left out), `appliesTo` (`objects` or
/// `specs`), `message` and `severity`. A Cluster says it in its `policies`. A part of the schema
/// can have a message of its own in `x-message`.
struct LoadedPolicy {
  std::string name;
  std::string path;
  std::vector<std::string> kinds;
  bool for_specs = false;
  std::string message;
  Severity severity = Severity::Error;
  std::unique_ptr<JsonSchema> schema;
  const Tree* tree = nullptr;  // of the schema
};

/// The policies of a run: JSON Schemas, and files of checks (kind Policy).
class Policies {
 public:
  Policies();
  Policies(Policies&&) noexcept;
  Policies& operator=(Policies&&) noexcept;
  ~Policies();

  /// Reads a policy file, once; what is wrong with it is an error in the session's sink.
  void load(Session& session, const std::string& path);
  /// Those of a Cluster that was read from `path`.
  void load(Session& session, const Cluster& cluster, const std::string& path);
  /// Whether there is no JSON Schema among them.
  bool empty() const { return policies_.empty(); }
  /// Our checks, and those of the policies.
  CheckTables checks() const;
  std::span<const std::unique_ptr<PolicyChecks>> files_of_checks() const { return checks_; }
  /// The same policies for another thread.
  Policies copy() const;

  /// Holds an object, or a spec, that the user wrote against the policies for its kind.
  void check(View document, bool is_spec, Sink& sink);
  /// The same for an object that we made: diagnostics stand at what caused its values.
  void check_ours(View object, const std::string& name, const Origins& origins, Documents documents,
                  Sink& sink);

 private:
  void read(Session& session, const std::string& path, Span asked_by, LoadedPolicy header,
            bool own_header);
  void add_schema(Session& session, const Tree& tree, LoadedPolicy policy, bool own_header,
                  const std::shared_ptr<PatternBudget>& budget);
  void add_checks(Session& session, const Tree& tree, const LoadedPolicy& header, Span asked_by);
  void keep(std::unique_ptr<PolicyChecks> checks);
  template <class Report>
  void each_breach(View document, bool is_spec, Sink& sink, const Report& report);

  std::set<std::string> loaded_;  // real paths
  std::vector<std::shared_ptr<const Tree>> trees_;
  std::vector<LoadedPolicy> policies_;
  std::vector<std::unique_ptr<PolicyChecks>> checks_;
  std::vector<std::span<const Check>> tables_;  // none without checks of policies
};

}  // namespace trainyard
