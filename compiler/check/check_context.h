#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/selection.h"
#include "check/severities.h"
#include "diag/sink.h"
#include "manifest/inventory.h"
#include "manifest/versions.h"
#include "schema/names.h"
#include "shell/word_view.h"
#include "source/origin.h"
#include "tree/node_paths.h"
#include "tree/origin_span.h"
#include "tree/tree.h"

namespace trainyard {

struct Check;
class SourceMap;
struct Cluster;
struct Workload;

/// What objects are checked against, besides themselves.
struct CheckInputs {
  Versions versions;
  const Inventory* inventory = nullptr;    // null while it is not known yet
  CheckSelection* selection = nullptr;     // for these versions, where there are many objects
  const Cluster* cluster = nullptr;        // null when none is given
  const Tree* cluster_tree = nullptr;      // that it was read from
  const SourceMap* sources = nullptr;      // that the objects were read from
  const Severities* severities = nullptr;  // that the user asks for; null for those of the checks
  CheckTables checks = {};                 // where `selection` is null
  bool from_spec = false;   // the objects are made from a spec, which the rules have checked
  bool own_launch = false;  // which says how ranks start, and no rule checks that
};

/// What one case of a check has for itself; nothing for what the check says.
struct FindingCase {
  std::optional<Severity> severity = {};
  std::optional<Effect> effect = {};
};

/// What checks are given, and where they report.
class CheckContext {
 public:
  /// For an object that a user wrote: diagnostics stand at its lines.
  CheckContext(const CheckInputs& surroundings, Sink& sink);
  /// For an object that we made: diagnostics stand at what caused its values.
  CheckContext(const CheckInputs& surroundings, const Origins& origins, Documents documents,
               Sink& sink);

  /// The Cluster that the objects are for; null when none is given.
  const Cluster* cluster() const { return surroundings_.cluster; }
  const Tree* cluster_tree() const { return surroundings_.cluster_tree; }
  /// Where the objects were read from; null if unknown.
  const SourceMap* sources() const { return surroundings_.sources; }
  /// Whether the object is one that we made.
  bool is_ours() const { return origins_ != nullptr; }
  const Versions& versions() const { return surroundings_.versions; }
  KubernetesVersion version() const { return versions().kubernetes; }
  bool before(int minor) const { return version() < KubernetesVersion{1, minor}; }

  CheckSelection& selection() { return *selection_; }
  CheckTables checks() const { return selection_->tables(); }

  /// The object that is checked.
  View object() const { return root_; }

  /// The workload that it is; without roles when it is none.
  const Workload& workload();

  /// The objects around this one. Null where they are not known: the check should then do nothing,
  /// for its findings do not count.
  const Inventory* inventory() {
    needs_inventory_ = needs_inventory_ || surroundings_.inventory == nullptr;
    return surroundings_.inventory;
  }
  /// Whether a check has asked for what is not known, since the last call.
  bool take_inventory_wish() { return std::exchange(needs_inventory_, false); }

  /// The object that this one is to replace; an empty view for a new one.
  View old() const { return old_; }
  void replaces(View old) { old_ = old; }

  /// From here on the object is `root`; nodes in `flagged` have been complained about already and
  /// are not reported again. `name` is that of an object we made: `Job/train`.
  void start(View root, std::string name, std::vector<NodeId> flagged);
  /// What stands at `span` has been complained about, so nothing that is made from it is again.
  void mark_reported(Span span) { reported_.push_back({span, {}}); }
  /// Whose findings the next ones are. False when they are not wanted for this object.
  bool use(const Check& check);  // in check/check.h
  /// The one that was used last.
  const Check& check() const { return *check_; }
  /// How often checks have found something, heard or not.
  std::size_t findings() const { return findings_; }

  /// Something at `at` that the API server will not have, or a controller will not get past it.
  [[gnu::cold]] Diagnostic& refuse(View at, std::string message);
  /// The same for a key.
  [[gnu::cold]] Diagnostic& refuse_key(View at, std::string message);
  /// Something that is taken, and then surely goes wrong.
  [[gnu::cold]] Diagnostic& warn(View at, std::string message);
  /// Something that makes a job run wrong, with the severity of the lint or with one for this case.
  [[gnu::cold]] Diagnostic& lint(View at, std::string message);
  [[gnu::cold]] Diagnostic& lint(View at, std::string message, Severity severity);
  /// The same for a word of a script.
  [[gnu::cold]] Diagnostic& lint(const WordView& at, std::string message);
  [[gnu::cold]] Diagnostic& lint(const WordView& at, std::string message, Severity severity);
  /// What a check of the user's organisation says of a value, or of its key: PolicyBroken, or
  /// BadPolicy if it cannot tell.
  [[gnu::cold]] Diagnostic& policy(DiagnosticKind kind, View at, std::string message, bool at_key);
  /// Text at `at` that looks like `what`, a sort of credential, and is never shown.
  [[gnu::cold]] Diagnostic& credential(View at, std::string_view what, Severity severity);
  /// A name inside a pod that `why_not` finds fault with; `what` says whose it is.
  void name(View at, std::string_view what, Fault (*why_not)(std::string_view));
  /// As `name`, for a name that no component checks before the pod waits in vain for its object: a
  /// warning in a user's manifest.
  void check_pending_reference(View at, std::string_view what, Fault (*why_not)(std::string_view));
  /// The field `at`, which this version of Kubernetes does not have yet.
  [[gnu::cold]] Diagnostic& report_dropped_field(View at, std::string message);

  /// A note that checks are not asked about `at`, which is too large for them.
  [[gnu::cold]] void left_out(View at, std::string message);

  /// `at` holds a word that is none of `allowed`: nothing when it is one of them, or is not set.
  void allow(View at, std::string_view what, std::span<const std::string_view> allowed);
  /// As `allow`, for a field that has no default if it is empty: then an empty text is an error,
  /// too.
  void allow_written(View at, std::string_view what, std::span<const std::string_view> allowed);

  /// Where `at` stands, for a second place of a diagnostic.
  Span place(View at) const;
  Span place(const WordView& at) const;
  bool is_flagged(View at) const;
  bool has_flags() const { return !flagged_.empty(); }

 private:
  bool is_turned_off(const Check& check) const;
  bool repeats(Span span, const std::string& message);
  std::optional<Severity> asked_severity() const;
  void judge(Diagnostic& diagnostic, const FindingCase& found) const;
  [[gnu::cold]] Diagnostic& report(DiagnosticKind kind, View at, std::string message, bool at_key,
                                   FindingCase found = {});

  const CheckInputs& surroundings_;
  std::optional<CheckSelection> own_selection_;
  CheckSelection* selection_;
  bool needs_inventory_ = false;
  View old_;
  const Origins* origins_ = nullptr;
  Documents documents_;  // that the origins are in
  Sink& sink_;
  View root_;
  std::shared_ptr<const Workload> workload_;  // read when it is first asked for
  std::string name_;
  std::vector<NodeId> flagged_;
  Severities own_;           // that the object asks for
  bool may_be_off_ = false;  // the user has asked for severities
  std::size_t findings_ = 0;
  struct ReportedSpan {
    Span span;
    std::string message;  // empty for any finding
  };
  std::vector<ReportedSpan> reported_;  // of objects that we made
  FindingPaths paths_;
  const Check* check_ = nullptr;
  Diagnostic suppressed_{DiagnosticKind::RefusedPod, {}, {}};
};

}  // namespace trainyard
