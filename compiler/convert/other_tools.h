#pragma once

#include <span>

#include "diag/sink.h"
#include "tree/tree.h"

namespace trainyard {

/// Notes which other tool made the objects of a file, and the page that compares it with
/// Trainyard: once for each file. Files of Trainyard, and those of unknown tools, get no note.
void tell_other_tools(std::span<const View> objects, Sink& sink);

}  // namespace trainyard
