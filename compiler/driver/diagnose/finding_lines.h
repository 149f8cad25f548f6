#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"
#include "driver/why/known_causes.h"
#include "tree/tree.h"

namespace trainyard {

/// A place in a spec.
struct SpecPlace {
  std::string field;  // `spec.resources.memory`; "" where it is not known
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// `spec.resources.memory at spec.yaml:12:11`
std::string text_of(const SpecPlace& place);

/// Which lines of a spec the fields of pods come from.
class FindingLines {
 public:
  FindingLines() = default;
  /// Reports what is wrong with the spec, or with the map of causes.
  FindingLines(Session& session, const CausesRequest& request);

  /// Of a field of the pod template of a job, as `about` of a finding says it. Nothing where the
  /// spec does not set it.
  std::optional<SpecPlace> find(View job, std::string_view container, std::string_view about) const;

 private:
  const Cause* cause_of(std::string_view object, std::string_view path) const;
  std::string field_at(std::uint32_t line, std::uint32_t column) const;

  struct Field {
    std::string path;
    std::uint32_t line;
    std::uint32_t column;
  };
  Provenance causes_;
  std::vector<Field> fields_;  // of the spec
};

}  // namespace trainyard
