#include <array>

#include "spec/field_table.h"
#include "spec/shared_fields.h"
#include "spec/training_job.h"

// `spec.ray`, and the same for a Cluster.

namespace trainyard {

// Declared before any table, since tables refer to each other.
static const FieldTable& field_table(const RedisPassword*);
static const FieldTable& field_table(const Redis*);

static const FieldTable& field_table(const RedisPassword*) {
  static constexpr FieldRow rows[] = {
      field<RedisPassword, &RedisPassword::name>("name"),
      field<RedisPassword, &RedisPassword::key>("key"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Redis*) {
  static constexpr FieldRow rows[] = {
      field<Redis, &Redis::address>("address"),
      field<Redis, &Redis::username>("username"),
      field<Redis, &Redis::password>("password"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& field_table(const RayRequest*) {
  static constexpr FieldRow rows[] = {
      field<RayRequest, &RayRequest::redis>("redis"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

}  // namespace trainyard
