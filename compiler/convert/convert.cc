#include "convert/convert.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/conversion.h"
#include "convert/convertible_kinds.h"
#include "convert/host_name_check.h"
#include "convert/isolation.h"
#include "convert/job_metadata.h"
#include "convert/launcher.h"
#include "convert/pod_template_reader.h"
#include "convert/read_job_set.h"
#include "convert/read_tf_config.h"
#include "convert/rendezvous.h"
#include "convert/role_values.h"
#include "diag/words.h"
#include "manifest/pod_templates.h"
#include "manifest/program_jobs.h"
#include "manifest/workload.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Puts roles and shared fields together to a spec.
class Assembly {
 public:
  explicit Assembly(Conversion& job) : job_(job), maker_(job.maker) {}

  NodeId make() {
    merge_even_roles();
    const NodeId spec = job_.map();
    const bool named = job_.roles_are_named || is_more_than_a_rank(job_.roles.front());
    if (job_.roles.size() == 1 && !named) {
      one_role(spec, job_.roles.front());
    } else {
      several_roles(spec);
    }
    for (const auto& [name, fields] : job_.further_roles) {
      maker_.put(job_.map_at(spec, "roles"), name, fields);
    }
    for (NodeId each : children(job_.shared)) maker_.put(spec, maker_.tree[each].key, each);
    if (!job_.framework.empty()) maker_.put(spec, "framework", job_.text(job_.framework));
    const NodeId root = job_.map();
    maker_.put(root, "apiVersion", "trainyard/v1alpha1", kNoOrigin);
    maker_.put(root, "kind", "TrainingJob", kNoOrigin);
    maker_.put(root, "metadata", job_.metadata);
    maker_.put(root, "spec", spec);
    return root;
  }

 private:
  /// A role that is more than one of equal pods.
  static bool is_more_than_a_rank(const ConvertedRole& role) {
    const std::string& name = role.name;
    return !name.empty() && name != "worker" && name != "master" && name != "chief";
  }

  void merge_even_roles() {
    std::vector<ConvertedRole>& roles = job_.roles;
    if (!job_.roles_are_even || roles.size() < 2) return;
    if (std::ranges::any_of(roles, is_more_than_a_rank)) return;
    for (std::size_t i = 1; i < roles.size(); ++i) {
      if (!equal(maker_.tree, roles[i].fields, maker_.tree, roles[0].fields)) return;
    }
    for (std::size_t i = 1; i < roles.size(); ++i) roles[0].pods += roles[i].pods;
    roles.resize(1);
  }

  void one_role(NodeId spec, const ConvertedRole& role) {
    for (NodeId each : children(role.fields)) maker_.put(spec, maker_.tree[each].key, each);
    maker_.put(spec, "nodes", job_.number(role.pods));
  }

  /// The spec states once what all roles have; `image` is always in it.
  void several_roles(NodeId spec) {
    const ConvertedRole& first = job_.roles.front();
    for (NodeId each : children(first.fields)) {
      const std::string_view key = maker_.tree[each].key;
      if (!all_have(key, each) && key != "image") continue;
      maker_.put(spec, key, maker_.tree.copy(maker_.tree, each));
    }
    const NodeId roles = job_.map_at(spec, "roles");
    for (const ConvertedRole& role : job_.roles) {
      const NodeId own = job_.map_at(roles, role.name);
      maker_.put(own, "nodes", job_.number(role.pods));
      for (NodeId each : children(role.fields)) {
        const std::string_view key = maker_.tree[each].key;
        const NodeId common = maker_.tree.find(spec, key);
        const bool same = common != kNoNode && equal(maker_.tree, common, maker_.tree, each);
        const bool said =
            key == "gpusPerNode" && (role.says_gpus || (starts(role) && role.gpus > 0));
        if (same && !said && !(key == "resources" && starts(role))) continue;
        maker_.put(own, key, each);
      }
    }
  }

  /// A role that starts the others has no resources but those that it names.
  bool starts(const ConvertedRole& role) const {
    if (job_.has_programs) return false;
    return role.name == "head" || (role.name == "launcher" && job_.framework == "mpi");
  }

  bool all_have(std::string_view key, NodeId value) const {
    return std::ranges::all_of(job_.roles, [&](const ConvertedRole& role) {
      const NodeId other = maker_.tree.find(role.fields, key);
      return other != kNoNode && equal(maker_.tree, other, maker_.tree, value);
    });
  }

  std::vector<NodeId> children(NodeId map) const {
    std::vector<NodeId> result;
    for (NodeId each : maker_.tree.children(map)) result.push_back(each);
    return result;
  }

  Conversion& job_;
  PodBuilder& maker_;
};

bool is_ours(View object) {
  const View labels = get(get(object, "metadata"), "labels");
  return string_at(labels, "app.kubernetes.io/managed-by") == "trainyard";
}

/// What is lost begins with why there is no spec: what the reader of the kind said last.
ConvertedJob without_pods(View object, Ledger& ledger) {
  ConvertedJob result;
  result.from = object;
  result.used = ledger.watched();
  ledger.lost(
      object,
      "it has no pods where this kind has them in " + shown(string_at(object, "apiVersion")),
      "complete it first, as `kubectl kustomize` does for a base; or write it for the API "
      "version that `trainyard validate` names");
  result.lost = ledger.report();
  std::vector<NotCarried>& lost = result.lost;
  const auto of_reader = [](const NotCarried& each) {
    return each.path.starts_with("spec") && each.reason != "a TrainingJob has no field for it";
  };
  const auto of_object = [](const NotCarried& each) { return each.path.empty(); };
  auto why = std::find_if(lost.rbegin(), lost.rend(), of_reader);
  if (why == lost.rend()) why = std::find_if(lost.rbegin(), lost.rend(), of_object);
  if (why != lost.rend()) std::rotate(lost.begin(), why.base() - 1, why.base());
  return result;
}

}  // namespace

bool is_convertible(View object) {
  return find_converted_kind(object) != nullptr;
}

std::vector<std::string> convertible_kinds() {
  std::vector<std::string> names;
  for (const ConvertedKind* each : converted_kinds()) {
    if (std::ranges::find(names, each->kind) == names.end()) names.emplace_back(each->kind);
  }
  return names;
}

ConvertedJob convert_object(const ConvertInput& input, View object, Tree& tree, Origins& origins,
                            Sink& sink) {
  PodBuilder maker(tree, origins);
  Ledger ledger(origins);
  Conversion job(ledger, maker, input);
  job.sink = &sink;
  job.job = object;
  const auto program = program_of(object);
  job.name = program ? program->job : string_at(get(object, "metadata"), "name");
  job.ours = is_ours(object);
  job.metadata = job.map();
  job.shared = job.map();
  ledger.watch(object);
  read_metadata(job);
  find_converted_kind(object)->read(job);
  if (job.roles.empty()) return without_pods(object, ledger);
  settle_security(job);
  merge_role_values(job);
  settle_least_pods(job);
  settle_tf_configs(job);
  settle_worker_counts(job);
  read_isolation(job);
  if (job.framework == "mpi" || job.by_mpirun) join_launcher(job);
  if (job.fabrics.size() > 1) {
    // A spec has one fabric for all roles.
    ConvertInput parts = input;
    parts.fabrics = nullptr;
    ConvertedJob result = convert_object(parts, object, tree, origins, sink);
    result.looks = std::move(job.looks);
    return result;
  }
  report_host_names(job);
  ConvertedJob result;
  result.from = object;
  result.looks = std::move(job.looks);
  result.root = Assembly(job).make();
  result.used = ledger.watched();
  result.lost = ledger.report();
  return result;
}

}  // namespace trainyard
