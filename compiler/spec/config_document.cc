#include "spec/config_document.h"

#include "spec/shared_fields.h"

namespace trainyard {

static const FieldTable& field_table(const Config*) {
  static constexpr FieldRow rows[] = {
      field<Config, &Config::api_version>("apiVersion"),
      field<Config, &Config::kind>("kind"),
      field<Config, &Config::checks>("checks"),
      field<Config, &Config::cluster>("cluster"),
      field<Config, &Config::target>("target"),
      field<Config, &Config::schemas>("schemas"),
      field<Config, &Config::policies>("policies"),
      field<Config, &Config::kubernetes_version>("kubernetesVersion"),
      field<Config, &Config::ignore_unknown_kinds>("ignoreUnknownKinds"),
      field<Config, &Config::exclude>("exclude"),
      field<Config, &Config::strict>("strict"),
      field<Config, &Config::fail_on>("failOn"),
  };
  static constexpr FieldTable table{rows};
  return table;
}

const FieldTable& config_fields() {
  return field_table(static_cast<const Config*>(nullptr));
}

Config decode_config(const Tree& tree, NodeId root, Sink& sink) {
  Config document;
  if (root != kNoNode) read_value(Decoding{tree, sink, root}, root, document);
  return document;
}

}  // namespace trainyard
