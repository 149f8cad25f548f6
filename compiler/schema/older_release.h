#pragma once

#include "schema/subject.h"

namespace trainyard {

/// Says, of a field that is unknown or of another type, which older releases have it.
void note_older_release(const Subject& subject, Violation& violation, const Frame& at);

}  // namespace trainyard
