#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"
#include "driver/survey/survey.h"

namespace trainyard {

/// How a Cluster document and its cluster have drifted apart.
struct DocumentDrift {
  bool differs = false;
  std::vector<std::string> left_out;  // sections that the document does not have: `claims`
};

/// Compares as `doctor` does, and reports entries, too, that a list of the document lacks.
DocumentDrift compare_document(Session& session, const ClusterDocument& document,
                               const Survey& survey);

}  // namespace trainyard
