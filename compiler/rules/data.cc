#include <algorithm>
#include <string>

#include "rules/data_address.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// What an address of a scheme looks like, where this one does not; empty when it is sound.
std::string_view right_form(const DataAddress& address) {
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
bool is_other_kind(const DataItem& item, const DataAddress& address) {
  if (address.scheme != "hf" || !item.kind || *item.kind == DataKind::Artifact) return false;
  return (*item.kind == DataKind::Dataset) != address.is_dataset;
}

constexpr std::string_view kForms[][2] = {{"hf", "hf://org/name"},
                                          {"ngc", "ngc://org/name:version"}};

/// What Python unpacks everywhere, and what the TAO SDK unpacks.
constexpr std::string_view kArchives[] = {".tar", ".tar.gz", ".tgz", ".zip"};

/// Who moves data by tools of its own moves whole repositories, and so do outputs.
bool takes_inner(const RuleContext& context, const DataItem& item) {
  const auto is_item = [&](const auto& other) { return &*other == &item; };
  if (std::ranges::any_of(*context.spec.data->outputs, is_item)) return false;
  const TargetFacts& target = *context.in.target;
  return !target.own_transfers && target.pod_template && !context.spec.runtime;
}

/// Whether an item is one file, or an archive that is unpacked, where it cannot be one.
bool is_wrong_file(RuleContext& context, const DataItem& item, const DataAddress& address) {
  // Of `unpack` a target with tools of its own speaks itself.
  const bool unpacks = item.unpack.value_or(false) && !context.in.target->own_transfers;
  if ((address.inner.empty() && !unpacks) || takes_inner(context, item)) return false;
  Diagnostic& report =
      context.report(DiagnosticKind::DataAddress, unpacks ? item.unpack.span : item.uri.span,
                     code(*item.uri) + (unpacks ? " is unpacked" : " is a single file") +
                         ", which can only be an input that a container of the pod fetches");
  for (const auto& [scheme, form] : kForms) {
    if (scheme == address.scheme && !unpacks) report.note("all of it is " + code(form));
  }
  return true;
}

bool is_archive(std::string_view name) {
  return std::ranges::any_of(kArchives, [&](std::string_view end) { return name.ends_with(end); });
}

/// The content of an archive comes into a directory, and the archive has one of a few formats.
bool is_unpacked_well(RuleContext& context, const DataItem& item, const DataAddress& address) {
  if (!item.unpack.value_or(false)) return true;
  const bool is_one_file =
      !address.inner.empty() || (address.version.empty() && address.scheme != "hf");
  if (!is_one_file || address.is_prefix || !is_archive(*item.uri)) {
    context
        .report(DiagnosticKind::DataAddress, item.uri.span,
                code(*item.uri) + " is no archive that can be unpacked")
        .also(item.unpack.span, "wants its content")
        .note("expected one object or file that ends with `.tar`, `.tar.gz`, `.tgz` or `.zip`");
    return false;
  }
  if (!is_archive(*item.path)) return true;
  context
      .report(DiagnosticKind::DataPlace, item.path.span,
              code(*item.path) + " names an archive, and `unpack` brings its content")
      .also(item.unpack.span, "wants the content")
      .note("name the directory into which the content comes");
  return false;
}

bool is_sound(RuleContext& context, const DataItem& item, const DataAddress& address) {
  if (is_wrong_file(context, item, address)) return false;
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
        .also(item.kind.span, "the kind that the spec states")
        .note("a model of a hub is `hf://org/name`, a dataset `hf://datasets/org/name`");
    return false;
  }
  return is_unpacked_well(context, item, address);
}

/// As the spec says, else as the address does.
void set_kind(RuleContext& context, const DataItem& item, const DataAddress& address,
              DataPlan& plan) {
  if (item.kind) {
    return context.set(plan.kind, spelling(*item.kind), context.from(item.kind));
  }
  if (address.scheme != "hf") return;
  context.set(plan.kind, std::string_view(address.is_dataset ? "dataset" : "model"),
              context.because({plan.uri.origin}));
}

void add(RuleContext& context, const DataItem& item, std::vector<DataPlan>& list) {
  const DataAddress address = split_address(*item.uri);
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
  const auto flag = [&](Field<bool>& field, const Flag& value) {
    if (value.value_or(false)) context.set(field, true, context.from(value));
  };
  flag(plan.after_failure, item.after_failure);
  flag(plan.unpack, item.unpack);
  list.push_back(plan);
}

/// Two directories that are stored at one place are one directory there.
void check_places(RuleContext& context) {
  const auto& outputs = *context.spec.data->outputs;
  for (auto second = outputs.begin(); second != outputs.end(); ++second) {
    const auto first = std::find_if(outputs.begin(), second, [&](const auto& each) {
      return *each->uri == *(*second)->uri &&
             each->endpoint.value_or("") == (*second)->endpoint.value_or("");
    });
    if (first == second) continue;
    context
        .report(
            DiagnosticKind::DataPlace, (*second)->uri.span,
            "two outputs go to " + code(*(*second)->uri) + ": files of one name replace each other")
        .also((*first)->uri.span, "the first one")
        .note("give each output an address of its own");
  }
}

void run(RuleContext& context) {
  check_places(context);
  for (const auto& item : *context.spec.data->inputs) {
    add(context, *item, context.plan.inputs);
    if (!item->after_failure) continue;
    context
        .report(DiagnosticKind::NoEffect, item->after_failure.span,
                "`afterFailure` has no effect here")
        .note("an input comes before the program starts; only an output is stored after it");
  }
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
