#include <array>

#include "spec/field_table.h"
#include "spec/shared_fields.h"
#include "spec/training_job.h"

// What `spec.serve` says of the model and of who reaches it.

namespace trainyard {

const FieldTable& field_table(const ServedModel*) {
  static constexpr FieldRow rows[] = {
      field<ServedModel, &ServedModel::path>("path").or_else(),
      field<ServedModel, &ServedModel::uri>("uri").or_else(),
      field<ServedModel, &ServedModel::revision>("revision"),
      field<ServedModel, &ServedModel::endpoint>("endpoint"),
      field<ServedModel, &ServedModel::profile>("profile"),
  };
  static constexpr FieldTable table{rows, Choice::AtMostOne};
  return table;
}

const FieldTable& field_table(const ModelCache*) {
  static constexpr FieldRow rows[] = {
      field<ModelCache, &ModelCache::claim>("claim").or_else(),
      field<ModelCache, &ModelCache::size>("size").or_else(),
      field<ModelCache, &ModelCache::storage_class_name>("storageClassName"),
      field<ModelCache, &ModelCache::access_mode>("accessMode"),
      field<ModelCache, &ModelCache::image>("image"),
  };
  static constexpr FieldTable table{rows, Choice::ExactlyOne};
  return table;
}

const FieldTable& field_table(const Autoscale*) {
  static constexpr FieldRow rows[] = {
      field<Autoscale, &Autoscale::min_replicas>("minReplicas"),
      field<Autoscale, &Autoscale::max_replicas>("maxReplicas"),
      field<Autoscale, &Autoscale::metrics>("metrics"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& field_table(const Exposure*) {
  static constexpr FieldRow rows[] = {
      field<Exposure, &Exposure::port>("port"),
      field<Exposure, &Exposure::type>("type"),
      field<Exposure, &Exposure::domain>("domain"),
      field<Exposure, &Exposure::ingress_class>("ingressClass"),
      field<Exposure, &Exposure::tls_secret>("tlsSecret"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

}  // namespace trainyard
