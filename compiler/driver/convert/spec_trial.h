#pragma once

#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/convert/trial_build.h"
#include "source/origin.h"
#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// A value of a spec that is yet to be filled in, such as `${QUEUE}`.
struct ValueToFill {
  std::string text;
  std::string stand_in;  // for it in the build
  Span at;               // in the input; may be unknown
};

/// Builds the spec of one job, and finds the places of the input where a build refuses it.
class SpecTrial {
 public:
  /// `made` is what the text of the spec was written from.
  SpecTrial(TrialBuilds& builds, View made, const Origins& origins)
      : builds_(builds), made_(made), origins_(origins) {}

  /// Whether it builds, with other values for those that are yet to be filled in.
  bool run(std::string text);
  const std::vector<ValueToFill>& to_fill() const { return to_fill_; }
  /// Why not, after `run` has failed.
  const Diagnostic& refusal() const { return refusals_.front(); }
  /// Where the input has what stands at a place of the spec; unknown for what is in no input.
  Span place_in_input(Span in_spec) const;
  /// The field of the spec that stands at a place: `spec.roles.head`; "" for none.
  std::string field_of_spec(Span in_spec) const;

 private:
  struct Step {
    View parsed;
    View made;
  };

  Step narrowest(Span in_spec) const;
  bool fill_in(std::string& text);
  const std::string& stand_in_for(const Step& value);

  TrialBuilds& builds_;
  View made_;
  const Origins& origins_;
  std::vector<Diagnostic> refusals_;
  std::vector<ValueToFill> to_fill_;
};

}  // namespace trainyard
