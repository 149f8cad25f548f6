#include "spec/fabric.h"

#include "spec/field_table.h"
#include "spec/shared_fields.h"

namespace trainyard {

static const FieldTable& field_table(const FabricNeeds*) {
  static constexpr FieldRow rows[] = {
      field<FabricNeeds, &FabricNeeds::whole_node>("wholeNode"),
      field<FabricNeeds, &FabricNeeds::gpus>("gpus"),
      field<FabricNeeds, &FabricNeeds::kubernetes>("kubernetes"),
      field<FabricNeeds, &FabricNeeds::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricVersion*) {
  static constexpr FieldRow rows[] = {
      field<FabricVersion, &FabricVersion::version>("version"),
      field<FabricVersion, &FabricVersion::sidecar_tag>("sidecarTag"),
      field<FabricVersion, &FabricVersion::sidecar_args>("sidecarArgs"),
      field<FabricVersion, &FabricVersion::nccl>("nccl"),
      field<FabricVersion, &FabricVersion::remarks>("remarks"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricVersions*) {
  static constexpr FieldRow rows[] = {
      field<FabricVersions, &FabricVersions::known>("known"),
      field<FabricVersions, &FabricVersions::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const RefusedVariable*) {
  static constexpr FieldRow rows[] = {
      field<RefusedVariable, &RefusedVariable::name>("name"),
      field<RefusedVariable, &RefusedVariable::value>("value"),
      field<RefusedVariable, &RefusedVariable::because>("because"),
      field<RefusedVariable, &RefusedVariable::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricNetworks*) {
  static constexpr FieldRow rows[] = {
      field<FabricNetworks, &FabricNetworks::annotation>("annotation"),
      field<FabricNetworks, &FabricNetworks::format>("format"),
      field<FabricNetworks, &FabricNetworks::default_annotation>("defaultAnnotation"),
      field<FabricNetworks, &FabricNetworks::default_interface>("defaultInterface"),
      field<FabricNetworks, &FabricNetworks::default_network>("defaultNetwork"),
      field<FabricNetworks, &FabricNetworks::first>("first"),
      field<FabricNetworks, &FabricNetworks::extra>("extra"),
      field<FabricNetworks, &FabricNetworks::count>("count"),
      field<FabricNetworks, &FabricNetworks::required>("required"),
      field<FabricNetworks, &FabricNetworks::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricResource*) {
  static constexpr FieldRow rows[] = {
      field<FabricResource, &FabricResource::name>("name"),
      field<FabricResource, &FabricResource::count>("count"),
      field<FabricResource, &FabricResource::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricDeviceClaim*) {
  static constexpr FieldRow rows[] = {
      field<FabricDeviceClaim, &FabricDeviceClaim::name>("name"),
      field<FabricDeviceClaim, &FabricDeviceClaim::device_class>("deviceClass"),
      field<FabricDeviceClaim, &FabricDeviceClaim::count>("count"),
      field<FabricDeviceClaim, &FabricDeviceClaim::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricDevices*) {
  static constexpr FieldRow rows[] = {
      field<FabricDevices, &FabricDevices::annotation>("annotation"),
      field<FabricDevices, &FabricDevices::paths>("paths"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricSidecar*) {
  static constexpr FieldRow rows[] = {
      field<FabricSidecar, &FabricSidecar::name>("name"),
      field<FabricSidecar, &FabricSidecar::image>("image"),
      field<FabricSidecar, &FabricSidecar::image_pull_policy>("imagePullPolicy"),
      field<FabricSidecar, &FabricSidecar::command>("command"),
      field<FabricSidecar, &FabricSidecar::args>("args"),
      field<FabricSidecar, &FabricSidecar::env>("env"),
      field<FabricSidecar, &FabricSidecar::capabilities>("capabilities"),
      field<FabricSidecar, &FabricSidecar::privileged>("privileged"),
      field<FabricSidecar, &FabricSidecar::devices>("devices"),
      field<FabricSidecar, &FabricSidecar::mounts>("mounts"),
      field<FabricSidecar, &FabricSidecar::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricProfile*) {
  static constexpr FieldRow rows[] = {
      field<FabricProfile, &FabricProfile::name>("name"),
      field<FabricProfile, &FabricProfile::machines>("machines"),
      field<FabricProfile, &FabricProfile::host_network>("hostNetwork"),
      field<FabricProfile, &FabricProfile::claims>("claims"),
      field<FabricProfile, &FabricProfile::builds>("builds"),
      field<FabricProfile, &FabricProfile::networks>("networks"),
      field<FabricProfile, &FabricProfile::resource>("resource"),
      field<FabricProfile, &FabricProfile::device_claims>("deviceClaims"),
      field<FabricProfile, &FabricProfile::nvlink_domain>("nvlinkDomain"),
      field<FabricProfile, &FabricProfile::sidecar>("sidecar"),
      field<FabricProfile, &FabricProfile::volumes>("volumes"),
      field<FabricProfile, &FabricProfile::mounts>("mounts"),
      field<FabricProfile, &FabricProfile::library_path>("libraryPath"),
      field<FabricProfile, &FabricProfile::env>("env"),
      field<FabricProfile, &FabricProfile::tuning>("tuning"),
      field<FabricProfile, &FabricProfile::interface>("interface"),
      field<FabricProfile, &FabricProfile::capabilities>("capabilities"),
      field<FabricProfile, &FabricProfile::privileged>("privileged"),
      field<FabricProfile, &FabricProfile::nccl_profile>("ncclProfile"),
      field<FabricProfile, &FabricProfile::remarks>("remarks"),
      field<FabricProfile, &FabricProfile::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const FabricSpec*) {
  static constexpr FieldRow rows[] = {
      field<FabricSpec, &FabricSpec::summary>("summary"),
      field<FabricSpec, &FabricSpec::source>("source"),
      field<FabricSpec, &FabricSpec::nccl_network>("ncclNetwork"),
      field<FabricSpec, &FabricSpec::needs>("needs"),
      field<FabricSpec, &FabricSpec::versions>("versions"),
      field<FabricSpec, &FabricSpec::refuses>("refuses"),
      field<FabricSpec, &FabricSpec::profiles>("profiles"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Fabric*) {
  static constexpr FieldRow rows[] = {
      field<Fabric, &Fabric::api_version>("apiVersion"),
      field<Fabric, &Fabric::kind>("kind"),
      field<Fabric, &Fabric::metadata>("metadata"),
      field<Fabric, &Fabric::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& fabric_fields() {
  return field_table(static_cast<const Fabric*>(nullptr));
}

Fabric decode_fabric(const Tree& tree, NodeId root, Sink& sink) {
  Fabric document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

}  // namespace trainyard
