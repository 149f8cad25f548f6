#pragma once

#include "schema/subject.h"

namespace trainyard {

/// The fields of ObjectMeta and their types, for schemas that leave `metadata` open as those of
/// CRDs do.
void check_metadata_shape(const Subject& subject, const Frame& meta);

}  // namespace trainyard
