#pragma once

#include "schema/subject.h"

namespace trainyard {

void check_finalizers(const Subject& subject, const Frame& meta);
void check_owners(const Subject& subject, const Frame& meta);

}  // namespace trainyard
