#include "driver/validate/test_policies.h"

#include "diag/words.h"

namespace trainyard {

PoliciesTested test_policies(Session& session, const std::vector<std::string>& files) {
  PoliciesTested result;
  for (const std::string& file : files) session.policies.load(session, file);
  for (const auto& each : session.policies.files_of_checks()) {
    result.checks += each->rows().size();
    const PolicyTest tested = test_policy(*each);
    result.examples += tested.examples;
    for (const PolicyFault& fault : tested.faults) {
      session.sink.report(DiagnosticKind::BadPolicy, fault.at->span, fault.message);
    }
  }
  if (result.examples == 0 && !session.sink.has_errors()) {
    session.sink.report(
        DiagnosticKind::BadPolicy, {},
        "there are no examples to try: give files of checks that have `wrong` and `right`");
  }
  return result;
}

}  // namespace trainyard
