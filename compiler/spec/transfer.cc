#include "spec/transfer.h"

#include "spec/field_table.h"
#include "spec/shared_fields.h"

namespace trainyard {

static const FieldTable& field_table(const TransferSpec*) {
  static constexpr FieldRow rows[] = {
      field<TransferSpec, &TransferSpec::summary>("summary"),
      field<TransferSpec, &TransferSpec::source>("source"),
      field<TransferSpec, &TransferSpec::tool>("tool"),
      field<TransferSpec, &TransferSpec::image>("image"),
      field<TransferSpec, &TransferSpec::user>("user"),
      field<TransferSpec, &TransferSpec::kinds>("kinds"),
      field<TransferSpec, &TransferSpec::default_kind>("defaultKind"),
      field<TransferSpec, &TransferSpec::fetch>("fetch"),
      field<TransferSpec, &TransferSpec::fetch_file>("fetchFile"),
      field<TransferSpec, &TransferSpec::store>("store"),
      field<TransferSpec, &TransferSpec::revision>("revision"),
      field<TransferSpec, &TransferSpec::endpoint>("endpoint"),
      field<TransferSpec, &TransferSpec::env>("env"),
      field<TransferSpec, &TransferSpec::cpu>("cpu"),
      field<TransferSpec, &TransferSpec::memory>("memory"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

static const FieldTable& field_table(const Transfer*) {
  static constexpr FieldRow rows[] = {
      field<Transfer, &Transfer::api_version>("apiVersion"),
      field<Transfer, &Transfer::kind>("kind"),
      field<Transfer, &Transfer::metadata>("metadata"),
      field<Transfer, &Transfer::spec>("spec"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& transfer_fields() {
  return field_table(static_cast<const Transfer*>(nullptr));
}

Transfer decode_transfer(const Tree& tree, NodeId root, Sink& sink) {
  Transfer document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

}  // namespace trainyard
