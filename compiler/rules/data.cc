#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kDatasets = "datasets/";

/// An address behind its scheme: `owner/item`, where the scheme has them `:version`.
struct Address {
  std::string_view scheme, owner, item, version;
  bool is_dataset = false;  // as a hub says it
};

Address split(std::string_view uri) {
  Address result;
  const std::size_t colon = uri.find("://");
  result.scheme = uri.substr(0, colon);
  std::string_view rest = uri.substr(colon + 3);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (result.scheme == "hf" && rest.starts_with(kDatasets)) {
    result.is_dataset = true;
    rest.remove_prefix(kDatasets.size());
  }
  const std::size_t slash = rest.find('/');
  result.owner = rest.substr(0, slash);
  if (slash != std::string_view::npos) result.item = rest.substr(slash + 1);
  if (result.scheme != "ngc") return result;
  const std::size_t version = result.item.rfind(':');
  if (version == std::string_view::npos) return result;
  result.version = result.item.substr(version + 1);
  result.item = result.item.substr(0, version);
  return result;
}

/// What an address of a scheme looks like, where this one does not; empty when it is sound.
std::string_view right_form(const Address& address) {
  const std::string_view item = address.item;
  const bool one_name = !item.empty() && item.find('/') == std::string_view::npos;
  if (address.owner.empty()) return "a bucket, an organisation or a namespace follows `://`";
  if (address.scheme == "hf") {
    const bool good = one_name && item.find('@') == std::string_view::npos;
    return good ? "" : "a model of a hub is `hf://org/name`, a dataset `hf://datasets/org/name`";
  }
  if (address.scheme == "ngc") {
    const bool good = !item.empty() && !address.version.empty();
    return good ? ""
                : "an address of NGC is `ngc://org/name:version` or `ngc://org/team/name:version`";
  }
  if (address.scheme == "nemo")
    return one_name ? "" : "an entity of NeMo is `nemo://namespace/name`";
  return "";
}

/// A hub keeps datasets and models apart by their addresses.
bool is_other_kind(const DataItem& item, const Address& address) {
  if (address.scheme != "hf" || !item.kind || *item.kind == DataKind::Artifact) return false;
  return (*item.kind == DataKind::Dataset) != address.is_dataset;
}

bool is_sound(RuleContext& context, const DataItem& item, const Address& address) {
  if (const std::string_view form = right_form(address); !form.empty()) {
    context
        .report(DiagnosticKind::DataAddress, item.uri.span,
                code(*item.uri) + " is no address of the scheme " + code(address.scheme))
        .note(std::string(form));
    return false;
  }
  if (is_other_kind(item, address)) {
    context
        .report(
            DiagnosticKind::DataAddress, item.uri.span,
            code(*item.uri) + " is the address of a " + (address.is_dataset ? "dataset" : "model"))
        .also(item.kind.span, "the kind that it is said to be")
        .note("a model of a hub is `hf://org/name`, a dataset `hf://datasets/org/name`");
    return false;
  }
  return true;
}

/// As the spec says, else as the address does.
void set_kind(RuleContext& context, const DataItem& item, const Address& address, DataPlan& plan) {
  if (item.kind) {
    return context.set(plan.kind, spelling(*item.kind), context.from(item.kind));
  }
  if (address.scheme != "hf") return;
  context.set(plan.kind, std::string_view(address.is_dataset ? "dataset" : "model"),
              context.because({plan.uri.origin}));
}

void add(RuleContext& context, const DataItem& item, std::vector<DataPlan>& list) {
  const Address address = split(*item.uri);
  if (!is_sound(context, item, address)) return;
  DataPlan plan;
  const auto said = [&](Field<std::string_view>& field, const Text& value) {
    if (value) context.set(field, *value, context.from(value));
  };
  said(plan.uri, item.uri);
  const OriginId split_off = context.because({plan.uri.origin});
  const auto part = [&](Field<std::string_view>& field, std::string_view value) {
    if (!value.empty()) context.set(field, value, split_off);
  };
  part(plan.scheme, address.scheme);
  part(plan.owner, address.owner);
  part(plan.item, address.item);
  part(plan.version, address.version);
  set_kind(context, item, address, plan);
  said(plan.path, item.path);
  said(plan.credentials, item.credentials);
  said(plan.endpoint, item.endpoint);
  said(plan.revision, item.revision);
  said(plan.handler, item.handler);
  list.push_back(plan);
}

void run(RuleContext& context) {
  for (const auto& item : *context.spec.data->inputs) add(context, *item, context.plan.inputs);
  for (const auto& item : *context.spec.data->outputs) add(context, *item, context.plan.outputs);
}

}  // namespace

extern const Rule data_rule{
    "data",
    Rule::Phase::Infer,
    "Addresses of data are taken apart as their scheme has them.",
    "A hub has repositories of two names and keeps datasets apart (huggingface/huggingface_hub "
    "src/huggingface_hub/hf_file_system.py), NGC has versions; a wrong address would only show in "
    "a running job.",
    "spec.data",
    "plan.inputs plan.outputs",
    run};

}  // namespace trainyard
