#include "spec/fleet_document.h"

namespace trainyard {

static const FieldTable& field_table(const FleetMetadata*);
static const FieldTable& field_table(const FleetCluster*);
static const FieldTable& field_table(const Chain*);
static const FieldTable& field_table(const Team*);
static const FieldTable& field_table(const FleetSpec*);
static const FieldTable& field_table(const Fleet*);

static const FieldTable& field_table(const FleetMetadata*) {
  static constexpr FieldRow rows[] = {
      field<FleetMetadata, &FleetMetadata::name>("name"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FleetCluster*) {
  static constexpr FieldRow rows[] = {
      field<FleetCluster, &FleetCluster::file>("file"),
      field<FleetCluster, &FleetCluster::specs>("specs"),
      field<FleetCluster, &FleetCluster::overlays>("overlays"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Chain*) {
  static constexpr FieldRow rows[] = {
      field<Chain, &Chain::name>("name"),
      field<Chain, &Chain::steps>("steps"),
      field<Chain, &Chain::timeout>("timeout"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Team*) {
  static constexpr FieldRow rows[] = {
      field<Team, &Team::name>("name"),
      field<Team, &Team::namespaces>("namespaces"),
      field<Team, &Team::specs>("specs"),
      field<Team, &Team::overlays>("overlays"),
      field<Team, &Team::policies>("policies"),
      field<Team, &Team::service_account>("serviceAccount"),
      field<Team, &Team::chains>("chains"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FleetSpec*) {
  static constexpr FieldRow rows[] = {
      field<FleetSpec, &FleetSpec::rendered>("rendered"),
      field<FleetSpec, &FleetSpec::clusters>("clusters"),
      field<FleetSpec, &FleetSpec::teams>("teams"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Fleet*) {
  static constexpr FieldRow rows[] = {
      field<Fleet, &Fleet::api_version>("apiVersion"),
      field<Fleet, &Fleet::kind>("kind"),
      field<Fleet, &Fleet::metadata>("metadata"),
      field<Fleet, &Fleet::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& fleet_fields() {
  return field_table(static_cast<const Fleet*>(nullptr));
}

Fleet decode_fleet(const Tree& tree, NodeId root, Sink& sink) {
  Fleet document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

}  // namespace trainyard
