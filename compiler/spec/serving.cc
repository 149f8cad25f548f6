#include "spec/serving.h"

namespace trainyard {
namespace {

template <class T>
void give(Located<T>& field, const T& value, const Located<Serve>& from) {
  field.value = value;
  field.span = from.span;
  field.node = from.node;
}

/// The model that is fetched, as data that comes to the service.
void fetch_model(const Serve& serve, JobSpec& spec) {
  const ServedModel& model = *serve.model;
  if (!model.uri) return;
  Located<DataItem> item;
  item.span = serve.model.span;
  item.node = serve.model.node;
  item.value.uri = model.uri;
  item.value.credentials = serve.credentials;
  item.value.endpoint = model.endpoint;
  item.value.revision = model.revision;
  auto& inputs = spec.data.value.inputs;
  inputs.value.push_back(item);
  inputs.span = item.span;
  inputs.node = item.node;
}

}  // namespace

TrainingJob serving_job(const TrainingJob& training) {
  const JobSpec& whole = *training.spec;
  const Serve& serve = *whole.serve;
  TrainingJob result;
  result.api_version = training.api_version;
  result.kind = training.kind;
  result.metadata = training.metadata;
  result.metadata.value.name = serve.name;
  result.spec.span = training.spec.span;
  result.spec.node = training.spec.node;

  JobSpec& spec = result.spec.value;
  spec.serve = whole.serve;
  spec.target = whole.target;
  spec.patches = whole.patches;
  spec.rerun = whole.rerun;
  spec.image_pull_secrets = whole.image_pull_secrets;
  spec.image = serve.image;
  spec.image_pull_policy = serve.image_pull_policy;
  spec.gpus_per_node = serve.gpus_per_replica;
  spec.machine = serve.machine;
  spec.pool = serve.pool;
  spec.gpu = serve.gpu;
  spec.resources = serve.resources;
  spec.placement = serve.placement;
  spec.env = serve.env;
  spec.secret_env = serve.secret_env;
  if (serve.priority || serve.scheduler_name) {
    give(spec.scheduling, {}, whole.serve);
    spec.scheduling.value.priority = serve.priority;
    spec.scheduling.value.scheduler_name = serve.scheduler_name;
  }
  if (serve.run_as_user || serve.run_as_group) {
    give(spec.security, {}, whole.serve);
    spec.security.value.run_as_user = serve.run_as_user;
    spec.security.value.run_as_group = serve.run_as_group;
  }
  fetch_model(serve, spec);
  return result;
}

}  // namespace trainyard
