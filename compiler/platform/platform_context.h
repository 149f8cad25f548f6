#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "plan/platform_plan.h"
#include "plan/release.h"
#include "rules/rule_context.h"
#include "source/origin.h"
#include "spec/cluster.h"

namespace trainyard {

/// All that the steps read.
struct PlatformInput {
  const Cluster* cluster = nullptr;
  const Tree* cluster_tree = nullptr;  // that it was read from
  MachineSource* machines = nullptr;
  std::span<const ApiVersion> apis;  // oldest first
};

/// What a step works with: the Cluster, the plan, and the way to say why.
class PlatformContext {
 public:
  PlatformContext(const PlatformInput& input, PlatformPlan& a_plan, Origins& an_origins,
                  Sink& a_sink)
      : in(input), cluster(*input.cluster->spec), plan(a_plan), origins(an_origins), sink(a_sink) {}

  const PlatformInput& in;
  const ClusterSpec& cluster;
  PlatformPlan& plan;
  Origins& origins;
  Sink& sink;
  std::string_view step;  // the one that is running

  /// Where something was written, in the Cluster or in a catalogue.
  OriginId from(Span span) const;
  /// This step, on account of these.
  OriginId because(std::initializer_list<OriginId> inputs) const {
    return origins.add(OriginKind::Rule, {}, step, inputs);
  }
  /// A field of the Cluster as it stands; unset when it is not given.
  template <class T>
  Field<T> given(const Located<T>& field) const {
    if (!field.given()) return {};
    return {*field, from(field.span), true};
  }
  template <class T>
  Field<T> computed(T value, std::initializer_list<Span> places) const {
    std::vector<OriginId> inputs;
    for (Span place : places) inputs.push_back(from(place));
    return {value, origins.add(OriginKind::Rule, {}, step, inputs), true};
  }
  std::vector<NamedValue> given(const TextMap& map) const;
  /// A list in a shape of Kubernetes, as it stands in the Cluster or a catalogue.
  View shape(const Shape& part) const;

  /// A text that lives as long as the plan.
  std::string_view text(std::string_view computed) { return plan.tree.intern(computed); }

  /// Whether an operator is there: where the Cluster lists any, only those that it lists are.
  bool has(Operator which) const;
  /// The release of an operator; nothing when the Cluster does not name it.
  std::optional<Release> release_of(Operator which) const;
  /// The version of an operator's objects; unset, with an error at `asked`, where its release is
  /// too old for any that we write.
  Field<std::string_view> api(Operator which, Span asked);

  [[gnu::cold]] Diagnostic& report(DiagnosticKind kind, Span span, std::string message) {
    return sink.report(kind, span, std::move(message));
  }

 private:
  std::vector<Operator> too_old_;  // as has been said
};

}  // namespace trainyard
