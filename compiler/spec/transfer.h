#pragma once

#include "diag/sink.h"
#include "spec/cluster.h"
#include "spec/located.h"
#include "spec/training_job.h"
#include "tree/tree.h"

/// A way to move data: schemas/trainyard/v1alpha1/Transfer.yaml says what each field means,
/// templates/data/ holds the data.
namespace trainyard {

struct TransferSpec {
  Text summary;
  Text source;
  Text tool;
  Text image;
  Integer user;
  TextMap kinds;
  Text default_kind;
  TextList fetch;
  TextList fetch_file;
  TextList store;
  TextList revision;
  Text endpoint;
  TextMap env;
  QuantityText cpu;
  QuantityText memory;
};

struct Transfer {
  Text api_version;
  Text kind;
  Located<Metadata> metadata;
  Located<TransferSpec> spec;
};

/// As decode_training_job.
Transfer decode_transfer(const Tree& tree, NodeId root, Sink& sink);

/// The fields that are decoded, for the comparison with the schema.
const FieldTable& transfer_fields();

}  // namespace trainyard
