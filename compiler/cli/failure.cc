#include "cli/failure.h"

#include <new>
#include <system_error>

#include "diag/foreign_text.h"

namespace trainyard {

ExitCode tell_failure(const std::exception_ptr& failure, void (*say)(std::string_view text)) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    // Texts that need no memory.
    say("trainyard: out of memory; Trainyard stopped, and its output is not complete\n"
        "note: raise the limit of memory (`ulimit -v`, the container's), or pass fewer or smaller "
        "files at a time\n");
    return ExitCode::WorldFailed;
  } catch (const std::system_error& error) {
    say("trainyard: ");
    say(foreign_text(error.what()));
    say("\n");
    return ExitCode::WorldFailed;
  } catch (const std::exception& error) {
    say("trainyard: internal error: ");
    say(foreign_text(error.what()));  // some libraries quote what they read
    say("\nthis is a fault in trainyard; please report it with the input that leads to it\n");
  }
  return ExitCode::OurFault;
}

}  // namespace trainyard
