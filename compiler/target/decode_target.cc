#include "target/decode_target.h"

#include <algorithm>
#include <array>
#include <string>

#include "diag/suggest.h"
#include "plan/fields.h"
#include "plan/release.h"
#include "source/word_table.h"

namespace trainyard {
namespace {

using Names = std::span<const std::string_view>;

/// The bit of the first key of a field behind `spec.` or `cluster.`; each bit for `*`, any key.
KeyBits first_key(std::string_view field) {
  const std::size_t begin = field.find('.') + 1;
  const std::string_view key = field.substr(begin, field.find_first_of(".[", begin) - begin);
  return key == "*" ? ~KeyBits{0} : key_bit(key);
}

constexpr auto kPackKeys = word_table<
    "name status summary containerName names pod documents cannot notYet rendezvous operator "
    "kubernetes roles injects failures queueing launch project nodes inferred limits security "
    "operatorSince exclusiveTopology runtimes cannotByReference mpirun framework entrypoint data "
    "exclusiveAcrossRoles serves runtimeKind lacking programs">;
constexpr std::array<std::string_view, 14> kRendezvousKeys = {
    "master",     "rank",    "rankVariables",      "byMpirun",           "port",
    "portName",   "service", "rankOfSeveralRoles", "coordinator",        "rankWithin",
    "masterTold", "host",    "hostOfSeveralRoles", "indexOfSeveralRoles"};
constexpr std::array<std::string_view, 5> kMpirunKeys = {"hostFile", "sshPath", "sshPathOfUser",
                                                         "keyGroup", "launcherWaits"};
constexpr std::array<std::string_view, 3> kNamesKeys = {"limit", "derived", "derivedOfSeveral"};
constexpr std::array<std::string_view, 9> kRoleKeys = {
    "framework", "even", "elastic", "coordinator", "ranked", "whole", "ends", "leads", "byMpirun"};
constexpr std::array<std::string_view, 5> kInjectKeys = {"framework", "role", "elastic",
                                                         "variables", "without"};
constexpr std::array<std::string_view, 10> kQueueingKeys = {
    "system",   "group",      "scheduler",     "minMemberAnnotation", "always",
    "topology", "queueLabel", "priorityLabel", "elasticAnnotation",   "kubernetes"};
constexpr std::array<std::string_view, 6> kFailureKeys = {"restartPolicy",   "podFailurePolicy",
                                                          "endless",         "deadlineOfEachStart",
                                                          "restartPolicyOf", "exitCodes"};
constexpr std::array<std::string_view, 2> kEntrypoints = {"pod", "job"};
constexpr std::array<std::string_view, 2> kRankSpaces = {"job", "role"};
constexpr std::array<std::string_view, 3> kRestartPlaces = {"pod", "replica", "operator"};
constexpr std::array<std::string_view, 13> kProgramKeys = {
    "after", "afterSince", "ends", "expendable", "failures", "groups",      "host",
    "names", "mostAfter",  "own",  "queueing",   "restarts", "severalSince"};
constexpr std::array<std::string_view, 2> kExpendable = {"comes-back", "stays-failed"};
constexpr std::array<std::string_view, 2> kFailures = {"job", "role"};
constexpr std::array<std::string_view, 3> kProgramRestarts = {"job", "alone", "both"};
// In the order of EndsWith.
constexpr std::array<std::string_view, 3> kEnds = {"all", "one", "several"};
constexpr std::array<std::string_view, 1> kSecurityKeys = {"rootContainersWith"};
constexpr std::array<std::string_view, 2> kLimitKeys = {"cannot", "notYet"};
constexpr std::array<std::string_view, 3> kLaunchKeys = {"processes", "launcher", "launcherFiles"};
constexpr std::array<std::string_view, 2> kProjectKeys = {"system", "namespace"};
constexpr std::array<std::string_view, 2> kNodesKeys = {"pool", "type"};
constexpr std::array<std::string_view, 3> kInferredKeys = {"field", "value", "because"};
constexpr std::array<std::string_view, 2> kProcessForms = {"variable", "option"};
constexpr std::array<std::string_view, 6> kRowKeys = {"field",   "value", "above",
                                                      "because", "since", "before"};
constexpr std::array<std::string_view, 2> kMakers = {"ours", "controller"};
constexpr std::array<std::string_view, 2> kStatuses = {"available", "planned"};
constexpr std::array<std::string_view, 6> kDataKeys = {
    "moved", "fetchingRole", "fetchingSince", "storingRole", "storingSince", "workspace"};
// In the order of TopologyWay.
constexpr std::array<std::string_view, 7> kTopologyWays = {"none",    "pods",     "group", "job",
                                                           "runtime", "affinity", "labels"};

class Decoder {
 public:
  explicit Decoder(Sink& sink) : sink_(sink) {}

  TargetFacts facts(View pack) {
    known_keys(pack, kPackKeys);
    TargetFacts result;
    result.span = pack->span;
    result.name = required(pack, "name");
    result.summary = required(pack, "summary");
    result.available = one_of(pack, "status", kStatuses) == "available";
    result.op = text(pack["operator"]);
    result.op_since = release_text(pack["operatorSince"]);
    result.kubernetes = text(pack["kubernetes"]);
    result.exclusive_topology = text(pack["exclusiveTopology"]);
    result.exclusive_across_roles = flag(pack["exclusiveAcrossRoles"], false);
    result.container_name = text(pack["containerName"]);
    result.default_framework = text(pack["framework"]);
    if (const View place = pack["entrypoint"]) {
      result.entrypoint = one_of(pack, "entrypoint", kEntrypoints) == "job";
      if (!place->is_scalar()) bad(place->span, "expected `job` or `pod`");
    }
    if (const View names = pack["names"]) name_budget(names, result);
    if (const View starter = pack["mpirun"]) mpirun(starter, result.mpirun);
    if (const View meeting = pack["rendezvous"]) rendezvous(meeting, result);
    for (View row : maps(pack["roles"], kRoleKeys)) result.role_shapes.push_back(role_shape(row));
    for (View row : maps(pack["injects"], kInjectKeys)) {
      result.injected.push_back({texts(row["framework"]), texts(row["variables"]),
                                 text(row["role"]), text(row["without"]),
                                 flag(row["elastic"], false)});
    }
    for (View row : maps(pack["queueing"], kQueueingKeys)) {
      result.queueing.push_back(queueing(row));
    }
    if (const View failing = pack["failures"]) failures(failing, result);
    if (const View launch = pack["launch"]) {
      known_keys(launch, kLaunchKeys);
      result.launcher = text(launch["launcher"]);
      result.launcher_files = text(launch["launcherFiles"]);
      if (launch["processes"]) {
        result.process_option = one_of(launch, "processes", kProcessForms) == "option";
      }
    }
    if (const View project = pack["project"]) {
      known_keys(project, kProjectKeys);
      result.project_system = required(project, "system");
      result.project_namespace = text(project["namespace"]);
    }
    if (const View nodes = pack["nodes"]) {
      known_keys(nodes, kNodesKeys);
      result.pool_label = required(nodes, "pool");
      result.type_label = required(nodes, "type");
    }
    for (View row : maps(pack["inferred"], kInferredKeys)) {
      result.inferred.push_back(
          {required(row, "field"), text(row["value"]), required(row, "because")});
    }
    if (const View data = pack["data"]) {
      known_keys(data, kDataKeys);
      if (data["moved"]) result.own_transfers = one_of(data, "moved", kMakers) == "controller";
      result.fetching_role = text(data["fetchingRole"]);
      result.fetching_since = release_text(data["fetchingSince"]);
      result.storing_role = text(data["storingRole"]);
      result.storing_since = release_text(data["storingSince"]);
      result.workspace = flag(data["workspace"]);
    }
    if (const View several = pack["programs"]) programs(several, result.programs);
    if (const View security = pack["security"]) {
      known_keys(security, kSecurityKeys);
      result.root_containers_with = required(security, "rootContainersWith");
    }
    result.runtimes = flag(pack["runtimes"], false);
    result.runtime_kind = text(pack["runtimeKind"]);
    result.serves = flag(pack["serves"]);
    result.lacking = role_fields(pack["lacking"]);
    result.cannot_by_reference = rows(pack["cannotByReference"]);
    result.cannot = rows(pack["cannot"]);
    result.not_yet = rows(pack["notYet"]);
    result.pod_template = static_cast<bool>(pack["pod"]);
    if (result.available && !pack["documents"]) {
      bad(pack->span, "an available target has `documents`");
    }
    return result;
  }

  /// Adds what a file of `limits` says.
  void limits(View shared, TargetFacts& result) {
    if (!known_keys(shared, kLimitKeys)) return;
    for (const Inexpressible& row : rows(shared["cannot"])) result.cannot.push_back(row);
    for (const Inexpressible& row : rows(shared["notYet"])) result.not_yet.push_back(row);
  }

 private:
  void name_budget(View names, TargetFacts& result) {
    known_keys(names, kNamesKeys);
    result.name_limit = integer(names["limit"], result.name_limit);
    result.derived_names = texts(names["derived"]);
    result.derived_names_of_several = texts(names["derivedOfSeveral"]);
    for (const auto* forms : {&result.derived_names, &result.derived_names_of_several}) {
      for (std::string_view form : *forms) {
        if (form.find("{job}") == std::string_view::npos) {
          bad(names->span, "a derived name holds `{job}`");
        }
      }
    }
  }

  void rendezvous(View meeting, TargetFacts& result) {
    known_keys(meeting, kRendezvousKeys);
    result.master_host = required(meeting, "master");
    result.rank_field = text(meeting["rank"]);
    result.rank_variables = texts(meeting["rankVariables"]);
    const bool by_mpirun = !result.mpirun.host_file.empty();
    if (result.rank_field.empty() && result.rank_variables.empty() && !by_mpirun) {
      bad(meeting->span, "`rank` or `rankVariables` says where a node's rank is");
    }
    result.coordinator_host = text(meeting["coordinator"]);
    result.mpirun_host = text(meeting["byMpirun"]);
    if (meeting["rankWithin"]) {
      result.rank_within_role = one_of(meeting, "rankWithin", kRankSpaces) == "role";
    }
    result.rank_field_of_several_roles = text(meeting["rankOfSeveralRoles"]);
    result.host = text(meeting["host"]);
    result.host_of_several_roles = text(meeting["hostOfSeveralRoles"]);
    result.index_field_of_several_roles = text(meeting["indexOfSeveralRoles"]);
    result.master_port = integer(meeting["port"], 0);
    result.master_is_told = flag(meeting["masterTold"]);
    result.port_name = text(meeting["portName"]);
    if (!meeting["service"]) return;
    result.own_service = one_of(meeting, "service", kMakers) == "ours";
  }

  void mpirun(View starter, MpirunFacts& result) {
    known_keys(starter, kMpirunKeys);
    result.host_file = required(starter, "hostFile");
    result.ssh_path = required(starter, "sshPath");
    result.ssh_path_of_user = required(starter, "sshPathOfUser");
    result.key_group = integer(starter["keyGroup"], 0);
    result.launcher_waits = flag(starter["launcherWaits"]);
  }

  void programs(View several, ProgramFacts& result) {
    result.able = known_keys(several, kProgramKeys);
    result.host = required(several, "host");
    result.names = texts(several["names"]);
    result.groups = text(several["groups"]);
    const std::string_view restarts = one_of(several, "restarts", kProgramRestarts);
    result.restarts_alone = restarts != "job";
    result.restarts_all = restarts != "alone";
    const auto ends = std::ranges::find(kEnds, one_of(several, "ends", kEnds));
    if (ends != kEnds.end()) result.ends = static_cast<EndsWith>(ends - kEnds.begin());
    result.states = texts(several["after"]);
    result.after_since = release_text(several["afterSince"]);
    result.several_since = release_text(several["severalSince"]);
    result.most_after = integer(several["mostAfter"], 0);
    result.queueing = texts(several["queueing"]);
    if (several["expendable"]) {
      const auto left = std::ranges::find(kExpendable, one_of(several, "expendable", kExpendable));
      result.expendable =
          left == kExpendable.begin() ? Expendable::ComesBack : Expendable::StaysFailed;
    }
    if (several["failures"]) {
      result.ends_on_failure = one_of(several, "failures", kFailures) == "job";
    }
    result.own = texts(several["own"]);
  }

  RoleShape role_shape(View row) {
    RoleShape result;
    result.frameworks = texts(row["framework"]);
    result.by_mpirun = flag(row["byMpirun"]);
    result.even = texts(row["even"]);
    result.elastic = texts(row["elastic"]);
    result.coordinator = text(row["coordinator"]);
    result.ranked = texts(row["ranked"]);
    result.whole = flag(row["whole"]);
    result.ends = texts(row["ends"]);
    result.leads = texts(row["leads"]);
    if (result.even.empty()) {
      bad(row->span, "`even` names the roles of a job of equal nodes");
      result.even.push_back("worker");
    }
    return result;
  }

  std::vector<std::string_view> role_fields(View list) {
    std::vector<std::string_view> result = texts(list);
    for (std::string_view path : result) {
      const bool known = find_plan_field(path) != nullptr || find_plan_loop(path) != nullptr;
      if (path.starts_with("role.") && known) continue;
      bad(list->span, "`" + std::string(path) + "` is no field of a role");
    }
    return result;
  }

  Queueing queueing(View row) {
    Queueing result;
    result.system = required(row, "system");
    if (row["group"]) {
      result.own_group = one_of(row, "group", kMakers) == "ours";
      result.group_by_controller = !result.own_group;
    }
    if (row["scheduler"]) result.own_scheduler = one_of(row, "scheduler", kMakers) == "ours";
    result.min_member_annotation = text(row["minMemberAnnotation"]);
    result.queue_label = text(row["queueLabel"]);
    result.priority_label = text(row["priorityLabel"]);
    result.elastic_annotation = text(row["elasticAnnotation"]);
    result.kubernetes = release_text(row["kubernetes"]);
    result.always = flag(row["always"], false);
    if (row["topology"]) {
      const auto way = std::ranges::find(kTopologyWays, one_of(row, "topology", kTopologyWays));
      if (way != kTopologyWays.end()) {
        result.topology = static_cast<TopologyWay>(way - kTopologyWays.begin());
      }
    }
    return result;
  }

  void failures(View failing, TargetFacts& result) {
    known_keys(failing, kFailureKeys);
    if (failing["restartPolicy"]) result.restart_policy = text(failing["restartPolicy"]);
    if (failing["restartPolicyOf"]) {
      const std::string_view place = one_of(failing, "restartPolicyOf", kRestartPlaces);
      result.restarts_by_operator = place == "operator";
      result.restart_policy_of_replicas = place == "replica" || result.restarts_by_operator;
    }
    result.exit_codes = flag(failing["exitCodes"], false);
    result.pod_failure_policy = flag(failing["podFailurePolicy"], true);
    result.endless = text(failing["endless"]);
    result.deadline_of_each_start = flag(failing["deadlineOfEachStart"], false);
  }

  bool flag(View value, bool otherwise = false) {
    if (!value) return otherwise;
    if (value->kind != Kind::Bool) bad(value->span, "expected `true` or `false`");
    return value.text() == "true";
  }

  std::string_view release_text(View value) {
    if (value && !release(value.text())) bad(value->span, "expected a release, as `0.12`");
    return value.text();
  }

  std::vector<std::string_view> texts(View list) {
    std::vector<std::string_view> result;
    if (!list) return result;
    if (!list->is_seq()) {
      bad(list->span, "expected a list of texts, found " + std::string(word(list->kind)));
      return result;
    }
    for (NodeId id : list.tree().children(list.id())) {
      result.push_back(text(View(list.tree(), id)));
    }
    return result;
  }

  /// The items of a list of maps; those that are none are reported and left out.
  std::vector<View> maps(View list, Names keys) {
    std::vector<View> result;
    if (!list) return result;
    if (!list->is_seq()) {
      bad(list->span, "expected a list of maps, found " + std::string(word(list->kind)));
      return result;
    }
    for (NodeId id : list.tree().children(list.id())) {
      const View item(list.tree(), id);
      if (known_keys(item, keys)) result.push_back(item);
    }
    return result;
  }

  std::vector<Inexpressible> rows(View list) {
    std::vector<Inexpressible> result;
    for (View item : maps(list, kRowKeys)) result.push_back(row(item));
    return result;
  }

  Inexpressible row(View item) {
    Inexpressible result;
    result.span = item->span;
    result.field = required(item, "field");
    result.because = required(item, "because");
    result.value = text(item["value"]);
    result.releases.since = release_text(item["since"]);
    result.releases.before = release_text(item["before"]);
    if (const View above = item["above"]) result.above = integer(above, 0);
    const bool from_top = result.field.starts_with("spec.") || result.field.starts_with("cluster.");
    if (!result.field.empty() && !from_top) {
      bad(item["field"]->span, "a field is named from the top, as `spec.elastic`");
    }
    result.first_key = first_key(result.field);
    return result;
  }

  /// False when `map` is no map.
  bool known_keys(View map, Names keys) {
    if (!map->is_map()) {
      bad(map->span, "expected a map, found " + std::string(word(map->kind)));
      return false;
    }
    for (NodeId id : map.tree().children(map.id())) {
      const Node& entry = map.tree()[id];
      if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
      Diagnostic& report = bad(entry.key_span, "unknown key `" + std::string(entry.key) + "`");
      if (const auto near = suggest(entry.key, keys)) {
        report.note("did you mean `" + std::string(*near) + "`?");
      }
    }
    return true;
  }

  std::string_view required(View map, std::string_view key) {
    const std::string_view result = text(map[key]);
    if (result.empty()) bad(map->span, "`" + std::string(key) + "` is missing");
    return result;
  }

  std::string_view one_of(View map, std::string_view key, Names values) {
    const std::string_view result = required(map, key);
    if (!result.empty() && std::find(values.begin(), values.end(), result) == values.end()) {
      std::string message = "`" + std::string(key) + "` is one of";
      for (std::string_view value : values) message += " `" + std::string(value) + "`";
      bad(map[key]->span, std::move(message));
    }
    return result;
  }

  std::string_view text(View value) {
    if (value && !value->is_scalar()) {
      bad(value->span, "expected a text, found " + std::string(word(value->kind)));
    }
    return value.text();
  }

  std::int64_t integer(View value, std::int64_t otherwise) {
    if (!value) return otherwise;
    const auto number = as_int64(*value);
    if (!number || *number < 0) {
      bad(value->span, "expected a number of characters or items, 0 or more");
    }
    return number.value_or(otherwise);
  }

  Diagnostic& bad(Span where, std::string message) {
    return sink_.report(DiagnosticKind::BadTargetPack, where, std::move(message));
  }

  Sink& sink_;
};

}  // namespace

TargetFacts decode_target_facts(View pack, Sink& sink) {
  return Decoder(sink).facts(pack);
}

void add_shared_limits(View shared, TargetFacts& facts, Sink& sink) {
  Decoder(sink).limits(shared, facts);
}

}  // namespace trainyard
