#pragma once

#include "spec/cluster.h"
#include "spec/field_table.h"

/// Tables of structs that several documents have, or that have a file of their own.
namespace trainyard {

const FieldTable& field_table(const Metadata*);
const FieldTable& field_table(const TopologyLevel*);
const FieldTable& field_table(const RayRequest*);
const FieldTable& field_table(const RunaiRequest*);
const FieldTable& field_table(const ServedModel*);
const FieldTable& field_table(const ModelCache*);
const FieldTable& field_table(const Autoscale*);
const FieldTable& field_table(const Exposure*);

}  // namespace trainyard
