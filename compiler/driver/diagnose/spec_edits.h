#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/diagnose.h"
#include "driver/diagnose/finding_lines.h"
#include "driver/session/session.h"
#include "driver/why/known_causes.h"

namespace trainyard {

/// A change of a spec that a finding proposes.
struct SpecEdit {
  std::string field;       // `spec.resources.memory`
  std::string now;         // what the spec says there
  std::string proposed;    // as YAML
  std::string file;        // of the spec
  std::uint32_t line = 0;  // of `now`; 0 where the spec says nothing there
  std::uint32_t column = 0;
};

/// `change `spec.resources.memory` from `64Gi` to `128Gi` at spec.yaml:11:13`
std::string text_of(const SpecEdit& edit);

/// Proposes changes of one spec. Each has been built: what the compiler refuses is not proposed.
class SpecEdits {
 public:
  SpecEdits() = default;
  /// Of a spec that builds, in the file of the request. An output with a map of causes, or standard
  /// input, has no edits.
  SpecEdits(const Session& session, const CausesRequest& request);

  /// `place` is where the spec sets what the finding is about, if that is known.
  std::optional<SpecEdit> find(View job, const Finding& finding,
                               const std::optional<SpecPlace>& place) const;

 private:
  bool builds(const Document& spec, const SpecEdit& edit) const;

  std::unique_ptr<Session> session_;  // of its own: builds report what is wrong
  std::unique_ptr<ClusterDocument> cluster_;
  std::string target_;
  std::vector<Document> specs_;
};

}  // namespace trainyard
