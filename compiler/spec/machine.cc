#include "spec/machine.h"

#include "spec/field_table.h"
#include "spec/shared_fields.h"

namespace trainyard {

static const FieldTable& field_table(const MachineGpu*) {
  static constexpr FieldRow rows[] = {
      field<MachineGpu, &MachineGpu::model>("model"),
      field<MachineGpu, &MachineGpu::product>("product"),
      field<MachineGpu, &MachineGpu::count>("count"),
      field<MachineGpu, &MachineGpu::memory>("memory"),
      field<MachineGpu, &MachineGpu::resource>("resource"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Allocatable*) {
  static constexpr FieldRow rows[] = {
      field<Allocatable, &Allocatable::cpu>("cpu"),
      field<Allocatable, &Allocatable::memory>("memory"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Machine*) {
  static constexpr FieldRow rows[] = {
      field<Machine, &Machine::name>("name"),
      field<Machine, &Machine::aliases>("aliases"),
      field<Machine, &Machine::gpu>("gpu"),
      field<Machine, &Machine::cpu>("cpu"),
      field<Machine, &Machine::memory>("memory"),
      field<Machine, &Machine::allocatable>("allocatable"),
      field<Machine, &Machine::architecture>("architecture"),
      field<Machine, &Machine::fabric>("fabric"),
      field<Machine, &Machine::underlay>("underlay"),
      field<Machine, &Machine::nics>("nics"),
      field<Machine, &Machine::gbps>("gbps"),
      field<Machine, &Machine::resources>("resources"),
      field<Machine, &Machine::claims>("claims"),
      field<Machine, &Machine::whole_node>("wholeNode"),
      field<Machine, &Machine::nvlink_nodes>("nvlinkNodes"),
      field<Machine, &Machine::node_selector>("nodeSelector"),
      field<Machine, &Machine::taints>("taints"),
      field<Machine, &Machine::remarks>("remarks"),
      field<Machine, &Machine::source>("source"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const MachineCapacity*) {
  static constexpr FieldRow rows[] = {
      field<MachineCapacity, &MachineCapacity::kind>("kind"),
      field<MachineCapacity, &MachineCapacity::labels>("labels"),
      field<MachineCapacity, &MachineCapacity::taints>("taints"),
      field<MachineCapacity, &MachineCapacity::reservation_label>("reservationLabel"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const MachineSpec*) {
  static constexpr FieldRow rows[] = {
      field<MachineSpec, &MachineSpec::source>("source"),
      field<MachineSpec, &MachineSpec::topology>("topology"),
      field<MachineSpec, &MachineSpec::taints>("taints"),
      field<MachineSpec, &MachineSpec::capacity>("capacity"),
      field<MachineSpec, &MachineSpec::machines>("machines"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const MachineCatalogue*) {
  static constexpr FieldRow rows[] = {
      field<MachineCatalogue, &MachineCatalogue::api_version>("apiVersion"),
      field<MachineCatalogue, &MachineCatalogue::kind>("kind"),
      field<MachineCatalogue, &MachineCatalogue::metadata>("metadata"),
      field<MachineCatalogue, &MachineCatalogue::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& machine_catalogue_fields() {
  return field_table(static_cast<const MachineCatalogue*>(nullptr));
}

MachineCatalogue decode_machine_catalogue(const Tree& tree, NodeId root, Sink& sink) {
  MachineCatalogue document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

const Machine* find_machine(const MachineCatalogue& catalogue, std::string_view name) {
  for (const Located<Machine>& machine : *catalogue.spec->machines) {
    if (*machine->name == name) return &machine.value;
    for (const Text& alias : *machine->aliases) {
      if (*alias == name) return &machine.value;
    }
  }
  return nullptr;
}

}  // namespace trainyard
