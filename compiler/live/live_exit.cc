#include "live/live_exit.h"

#include "driver/diagnose/read_dump.h"

namespace trainyard {

ExitCode exit_code_of(const ApiError& error) {
  if (error.trouble == Trouble::Interrupted) return kInterrupted;
  if (error.is_connection() || error.is_refused() || error.status == 429) return kNotReached;
  if (error.is_not_found()) return kNoSuchJob;
  if (error.is_conflict()) return kNotDone;
  // A 500 without a reason is the API server's word for an object that it cannot read.
  const bool is_about_the_object = error.status == 500 && error.reason.empty();
  return error.status >= 500 && !is_about_the_object ? kNotReached : ExitCode::InputWrong;
}

}  // namespace trainyard
