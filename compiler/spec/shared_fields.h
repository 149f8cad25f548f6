#pragma once

#include "spec/cluster.h"
#include "spec/field_table.h"

/// Tables of structs that several documents have.
namespace trainyard {

const FieldTable& field_table(const Metadata*);
const FieldTable& field_table(const TopologyLevel*);
const FieldTable& field_table(const RayRequest*);

}  // namespace trainyard
