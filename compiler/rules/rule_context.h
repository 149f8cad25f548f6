#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "plan/named_index.h"
#include "plan/plan.h"
#include "plan/release.h"
#include "plan/target_facts.h"
#include "source/origin.h"
#include "spec/cluster.h"
#include "spec/fabric.h"
#include "spec/machine.h"
#include "spec/spec_places.h"
#include "spec/training_job.h"
#include "spec/transfer.h"

namespace trainyard {

/// A file that the spec stages, read by the driver before the rules run.
struct LoadedFile {
  std::string path;  // below the mount path
  std::string bytes;
  bool executable = false;
  Span span;              // where the spec asks for it
  std::string_view role;  // that has it for itself; "" for a file of the job
};

/// The machine catalogue, read as far as it is asked for.
class MachineSource {
 public:
  virtual ~MachineSource() = default;
  virtual const Machine* find(std::string_view name) = 0;
  virtual std::vector<std::string> names() = 0;
  /// The tree of a catalogue file; null when `file` is none.
  virtual const Tree* tree(FileId file) const = 0;
  /// What a catalogue file says of all its machines; null when `file` is none.
  virtual const MachineSpec* catalogue(FileId file) const = 0;
};

/// Documents of one kind, each read when it is asked for.
template <class Document>
class DocumentSource {
 public:
  virtual ~DocumentSource() = default;
  virtual const Document* find(std::string_view name) = 0;
  virtual std::vector<std::string> names() = 0;
  /// The tree of a document's file; null when `file` is none.
  virtual const Tree* tree(FileId file) const = 0;
};

/// All that the rules read.
struct RuleInput {
  const TrainingJob* job = nullptr;
  const TrainingJob* training = nullptr;  // set where `job` is what serves the trained model
  const Tree* job_tree = nullptr;
  const SpecPlaces* places = nullptr;  // null for a spec that is all of one text
  const Cluster* cluster = nullptr;    // null when none was given
  const Tree* cluster_tree = nullptr;
  MachineSource* machines = nullptr;
  DocumentSource<Fabric>* fabrics = nullptr;
  DocumentSource<Transfer>* transfers = nullptr;
  const TargetFacts* target = nullptr;
  std::optional<Release> release;  // of the target's operator, where the Cluster says it
  KnownTargets* targets = nullptr;
  std::span<const LoadedFile> files;  // by role

  /// Whether a place is in the user's spec.
  bool is_spec(Span span) const {
    return span.file == job->spec.span.file || (places != nullptr && places->has(span.file));
  }
};

/// The nodes that a role lands on, as far as they are known.
struct NodeShape {
  const Located<Pool>* pool = nullptr;
  const Machine* machine = nullptr;

  /// GPUs of one node; null when that is not known.
  const Integer* gpus() const;
};

/// A role of the plan together with what the spec says of it.
struct RoleInput {
  Role* role = nullptr;
  const RoleFields* own = nullptr;  // null for the one role of an even job
  bool is_coordinator = false;      // it starts the others
  NodeShape nodes;
};

class RoleProgram;

/// What a rule works with: the inputs, the plan, and the way to set a field.
class RuleContext {
 public:
  RuleContext(const RuleInput& input, Plan& a_plan, Origins& an_origins, Sink& a_sink);
  ~RuleContext();

  const RuleInput& in;
  const JobSpec& spec;
  Plan& plan;
  Origins& origins;
  Sink& sink;
  std::string_view rule;  // the one that is running
  std::vector<RoleInput> roles;
  std::vector<std::unique_ptr<RoleProgram>> programs;  // empty for a job of one program
  const RoleSpec* program = nullptr;  // set where the job is one program of several

  // --- origins
  /// Where a field was written: in the spec, the Cluster or a catalogue.
  OriginId from(Span span) const;
  template <class T>
  OriginId from(const Located<T>& field) const {
    return from(field.span);
  }
  /// This rule, on account of these.
  OriginId because(std::initializer_list<OriginId> inputs) const {
    return origins.add(OriginKind::Rule, {}, rule, inputs);
  }
  /// A documented default of the field `name`, set by this rule.
  OriginId by_default(std::string_view name) const {
    return because({origins.add(OriginKind::Default, {}, name)});
  }
  /// The place in the user's text that an origin leads back to; unknown when there is none.
  Span place(OriginId origin) const;

  // --- setting
  /// Sets a field. One that is set to something else already is a conflict, shown with both
  /// origins: there is no last one that wins.
  template <class T>
  void set(Field<T>& field, T value, OriginId origin) {
    if (field.is_set && !(field.value == value)) return conflict(field.origin, origin);
    if (!field.is_set) field = {value, origin, true};
  }
  void add_env(Role& role, const EnvVar& variable);
  /// The same for many of them; `known` is an index of the role's variables.
  void add_env(Role& role, const EnvVar& variable, NamedIndex<EnvVar>& known);
  /// Labels, annotations, selectors, amounts: one value for each name.
  void add(std::vector<NamedValue>& list, std::string_view name, std::string_view value,
           OriginId origin);
  /// The same for many of them; `known` is an index of the list.
  void add(std::vector<NamedValue>& list, const NamedValue& wanted, NamedIndex<NamedValue>& known);
  /// Adds every value of a map that the user wrote.
  void add_all(std::vector<NamedValue>& list, const TextMap& values);
  void add_all(std::vector<NamedValue>& list, const std::vector<NamedValue>& values);
  /// A volume, whose source is already in the plan's tree: `{name: <name>, <key>: <source>}`.
  void add_volume(Role& role, std::string_view name, std::string_view key, NodeId source,
                  OriginId origin);
  void add_mount(Role& role, const VolumeMount& mount);

  // --- reading
  /// A field of the role, or of the job where the role says nothing.
  template <class T>
  const Located<T>& of(const RoleInput& role, Located<T> RoleFields::* field) const {
    if (role.own != nullptr && (role.own->*field).given()) return role.own->*field;
    return spec.*field;
  }
  /// The same for what training needs: a role that only starts the others has no more of it than it
  /// says itself.
  template <class T>
  const Located<T>& of_training(const RoleInput& role, Located<T> RoleFields::* field) const {
    static const RoleFields kNothing{};
    if (role.role->trains) return of(role, field);
    return (role.own == nullptr ? kNothing : *role.own).*field;
  }
  /// Where the user's text names the machine of a role, itself or by its pool.
  Span machine_place(const RoleInput& input) const;
  /// Where the role's pods may land: what it says, and for the rest what the job says.
  Placement placement_of(const RoleInput& role) const;
  /// The Pod Security level that the job or the Cluster asks for; empty means `restricted`.
  const Located<SecurityLevel>& security_level() const;

  /// What the spec says of one of several programs; null for a part of one program.
  const RoleSpec* program_spec(const Role& role) const;
  bool has_role(std::string_view name) const;
  /// Whether the program of these pods runs on several nodes.
  bool spans_nodes(const RoleInput& role) const;
  /// Whether the target's controller sets the variable in this job's pods.
  bool injects(std::string_view variable) const;

  // --- building
  Tree& tree() { return plan.tree; }
  template <class... Parts>
  std::string_view text(const Parts&... parts) {
    return plan.tree.arena().join(parts...);
  }
  std::string_view number(std::int64_t value);
  /// A copy of a part in Kubernetes' shape, each node with its own place as its origin.
  NodeId shape(const Shape& part);
  NodeId shape(const Tree& from_tree, NodeId id);
  /// A copy of the items of a list in Kubernetes' shape.
  std::vector<Fragment> shapes(const Shape& list);
  const Tree& tree_of(Span span) const;

  [[gnu::cold]] Diagnostic& report(DiagnosticKind kind, Span span, std::string message) {
    return sink.report(kind, span, std::move(message));
  }

 private:
  void add_env(Role& role, const EnvVar& variable, const EnvVar* found);
  void add(std::vector<NamedValue>& list, const NamedValue& wanted, const NamedValue* found);
  /// A report that shows both origins.
  [[gnu::cold]] Diagnostic& both(DiagnosticKind kind, OriginId first, OriginId second,
                                 std::string message);
  void conflict(OriginId first, OriginId second);
  void volume_conflict(const Volume& known, OriginId origin);
};

/// "`" + text + "`", as messages mark code.
[[gnu::cold]] std::string code(std::string_view text);

}  // namespace trainyard
