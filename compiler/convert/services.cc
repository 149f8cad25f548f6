#include "convert/services.h"

#include "convert/job_metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether each label that the Service selects by is one of these pods, or names their job.
bool selects(View service, View pod_template, std::string_view job) {
  const View selector = get(get(service, "spec"), "selector");
  if (!has_items(selector)) return false;
  const View labels = get(get(pod_template, "metadata"), "labels");
  for (View each : Items(selector)) {
    const View own = get(labels, each->key);
    const bool is_own = own && own->text == each->text;
    const bool names_job = each->text == job && each->key.ends_with("-name");
    if (!is_own && !names_job) return false;
  }
  return true;
}

}  // namespace

void settle_services(Conversion& job, View pod_template, std::string_view name) {
  const View subdomain = get(get(pod_template, "spec"), "subdomain");
  for (View each : job.objects) {
    if (string_at(each, "apiVersion") != "v1" || string_at(each, "kind") != "Service") continue;
    const View spec = get(each, "spec");
    const bool headless = string_at(spec, "clusterIP") == "None";
    if (!headless || !selects(each, pod_template, name)) continue;
    settle_metadata_of_part(job, each);
    job.ledger.derived(spec);
  }
  if (subdomain && (job.several_pods() || job.has_programs)) job.ledger.derived(subdomain);
}

}  // namespace trainyard
