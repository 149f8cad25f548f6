// What pods ask of the API server, against the roles of their ServiceAccounts.

#include "lints/launch/account_rights.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "manifest/embedded_yaml.h"
#include "manifest/inventory.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A kind as kubectl takes it, and what roles call it.
struct Resource {
  std::string_view word;  // of one object
  std::string_view brief;
  std::string_view group;
  std::string_view name;
};
constexpr auto kResources = std::to_array<Resource>({
    {"configmap", "cm", "", "configmaps"},
    {"node", "no", "", "nodes"},
    {"persistentvolumeclaim", "pvc", "", "persistentvolumeclaims"},
    {"pod", "po", "", "pods"},
    {"secret", "", "", "secrets"},
    {"service", "svc", "", "services"},
    {"deployment", "deploy", "apps", "deployments"},
    {"statefulset", "sts", "apps", "statefulsets"},
    {"cronjob", "cj", "batch", "cronjobs"},
    {"job", "", "batch", "jobs"},
    {"jobset", "", "jobset.x-k8s.io", "jobsets"},
    {"mpijob", "", "kubeflow.org", "mpijobs"},
    {"pytorchjob", "", "kubeflow.org", "pytorchjobs"},
    {"tfjob", "", "kubeflow.org", "tfjobs"},
    {"leaderworkerset", "lws", "leaderworkerset.x-k8s.io", "leaderworkersets"},
    {"raycluster", "", "ray.io", "rayclusters"},
    {"rayjob", "", "ray.io", "rayjobs"},
    {"trainjob", "", "trainer.kubeflow.org", "trainjobs"},
});

const Resource* resource_of(std::string_view word) {
  word = word.substr(0, word.find('.'));  // `pytorchjobs.kubeflow.org`
  const auto* const found = std::ranges::find_if(kResources, [word](const Resource& each) {
    return word == each.word || word == each.name || (!each.brief.empty() && word == each.brief);
  });
  return found == kResources.end() ? nullptr : found;
}

/// What a command asks of the API server.
struct Request {
  std::string_view verb;
  const Resource* resource = nullptr;
  std::string_view object;  // its name; "" for none that is known
  std::optional<std::string_view> name_space;
  WordView at;
};

constexpr auto kVerbs = std::to_array<std::string_view>({"get", "delete", "patch", "wait"});
/// Options of kubectl with a value behind them.
constexpr auto kWithValue = std::to_array<std::string_view>(
    {"-n", "--namespace", "-l", "--selector", "-o", "--output", "--for", "--timeout", "--type",
     "-p", "--patch", "--field-selector", "--template", "--sort-by", "--grace-period"});
/// With these it is another user, or another server.
constexpr auto kOfOthers = std::to_array<std::string_view>(
    {"--kubeconfig", "--token", "--context", "--server", "-s", "--as", "--user", "--cluster", "-f",
     "--filename", "-k", "-A", "--all-namespaces", "--raw", "--dry-run"});

/// The words of a call of kubectl that are no options; nothing where it asks as another user.
std::optional<std::vector<ShellWord>> words_of_call(std::span<const ShellWord> words,
                                                    Request& request) {
  std::vector<ShellWord> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (text == "|" || text == "||" || text == "&&" || text == ">") break;
    if (!text.starts_with('-')) {
      found.push_back(words[i]);
      continue;
    }
    const std::string_view option = text.substr(0, text.find('='));
    if (std::ranges::find(kOfOthers, option) != kOfOthers.end()) return std::nullopt;
    const bool has_value = std::ranges::find(kWithValue, option) != kWithValue.end();
    const OptionValue value = has_value ? value_at(words, i) : OptionValue();
    if (option == "-n" || option == "--namespace") {
      if (value.text.find('$') != std::string::npos) return std::nullopt;
      request.name_space = text.find('=') != text.npos ? text.substr(text.find('=') + 1)
                           : i + 1 < words.size()      ? words[i + 1].text
                                                       : std::string_view();
    }
    if (has_value && text.find('=') == text.npos) ++i;
  }
  return found;
}

std::optional<Request> request_of(std::span<const ShellWord> command) {
  std::size_t at = 0;
  while (at < command.size() && is_before_program(command[at].text)) ++at;
  if (at >= command.size() || program_name(command[at].text) != "kubectl") return std::nullopt;
  Request request;
  const auto words = words_of_call(command.subspan(at + 1), request);
  if (!words || words->size() < 2) return std::nullopt;
  std::size_t type = 1;
  request.verb = (*words)[0].text;
  if (request.verb == "rollout") {
    const std::string_view part = (*words)[1].text;
    request.verb = part == "restart" ? "patch" : part == "status" ? "get" : "";
    type = 2;
  }
  if (std::ranges::find(kVerbs, request.verb) == kVerbs.end() || words->size() <= type) {
    return std::nullopt;
  }
  if (request.verb == "wait") request.verb = "get";
  const std::string_view word = (*words)[type].text;
  const std::size_t slash = word.find('/');
  request.resource = resource_of(word.substr(0, slash));
  request.at = (*words)[type].at;
  if (slash != word.npos) {
    request.object = word.substr(slash + 1);
  } else if (words->size() > type + 1) {
    request.object = (*words)[type + 1].text;
  }
  if (request.object.find('$') != request.object.npos) request.object = {};
  const bool is_list = request.object.empty() && words->size() == type + 1 && slash == word.npos;
  if (is_list && request.verb == "get") request.verb = "list";
  return request.resource == nullptr ? std::nullopt : std::optional(request);
}

/// Of `resource.action`.
constexpr auto kActions = std::to_array<std::string_view>({"create", "delete", "get", "patch"});

bool holds(View list, std::string_view word) {
  return std::ranges::any_of(
      Items(list), [word](View each) { return string_of(each) == word || string_of(each) == "*"; });
}

/// The roles of an account, as far as the inputs bind some to it and have them all.
class Rights {
 public:
  Rights(std::string_view account, std::string_view name_space, const Inventory& inventory)
      : account_(account), name_space_(name_space), inventory_(inventory) {
    constexpr std::string_view group = "rbac.authorization.k8s.io";
    for (View each : inventory.all(group, "ClusterRoleBinding")) add(each, "");
    for (View each : inventory.all(group, "RoleBinding")) {
      add(each, string_at(get(each, "metadata"), "namespace"));
    }
  }

  bool are_known() const { return is_known_ && !roles_.empty(); }
  View a_role() const { return roles_.front().role; }

  bool allow(const Request& request) const {
    const std::string_view where = request.name_space.value_or(name_space_);
    return std::ranges::any_of(roles_, [&](const Bound& bound) {
      const bool here = bound.name_space.empty() || bound.name_space == where;
      const Items rules = items_at(bound.role, "rules");
      return here && std::any_of(rules.begin(), rules.end(),
                                 [&](View rule) { return allows(rule, request); });
    });
  }

 private:
  struct Bound {
    View role;
    std::string_view name_space;  // in which it holds; "" for all
  };

  static bool allows(View rule, const Request& request) {
    const View names = get(rule, "resourceNames");
    const bool is_named =
        !has_items(names) || request.object.empty() || holds(names, request.object);
    return is_named && holds(get(rule, "verbs"), request.verb) &&
           holds(get(rule, "apiGroups"), request.resource->group) &&
           holds(get(rule, "resources"), request.resource->name);
  }

  bool is_subject(View subject, std::string_view space) const {
    const View own = get(subject, "namespace");
    const std::string_view kind = string_at(subject, "kind");
    const std::string_view name = string_at(subject, "name");
    if (kind == "Group") return name.starts_with("system:serviceaccounts");
    return kind == "ServiceAccount" && name == account_ &&
           (own ? string_of(own) : space) == name_space_;
  }

  void add(View binding, std::string_view space) {
    const Items subjects = items_at(binding, "subjects");
    const bool is_ours = std::any_of(subjects.begin(), subjects.end(),
                                     [&](View each) { return is_subject(each, space); });
    if (!is_ours) return;
    const View reference = get(binding, "roleRef");
    const View role =
        inventory_.find("rbac.authorization.k8s.io", string_at(reference, "kind"),
                        string_at(reference, "kind") == "Role" ? space : std::string_view(),
                        string_at(reference, "name"));
    if (!role || get(role, "aggregationRule")) {
      is_known_ = false;
      return;
    }
    roles_.push_back({role, space});
  }

  std::string_view account_;
  std::string_view name_space_;
  const Inventory& inventory_;
  std::vector<Bound> roles_;
  bool is_known_ = true;
};

void tell(const Request& request, std::string_view account, const Rights& rights,
          CheckContext& context) {
  const std::string group(request.resource->group);
  const std::string_view where = request.name_space.value_or(std::string_view());
  context
      .lint(request.at, "no role of ServiceAccount " + shown(account) + " allows " +
                            shown(request.verb) + " on " + shown(request.resource->name) +
                            (group.empty() ? std::string() : " of the group " + shown(group)) +
                            (where.empty() ? std::string() : " in namespace " + shown(where)))
      .also(context.place(get(get(rights.a_role(), "metadata"), "name")), "what it is bound to");
}

}  // namespace

void check_account_rights(const Pod& pod, CheckContext& context) {
  const View account = get(pod.spec, "serviceAccountName");
  if (string_of(account).empty()) return;
  const bool asks = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    return each.node && each.node->is_map() && contains_text(each.node, "kubectl");
  });
  const Inventory* inventory = asks ? context.inventory() : nullptr;
  if (inventory == nullptr) return;
  const Rights rights(account->text, string_at(get(context.object(), "metadata"), "namespace"),
                      *inventory);
  if (!rights.are_known()) return;
  for (const PodContainer& each : pod.containers) {
    if (!contains_text(each.node, "kubectl") || contains_text(each.node, "||")) continue;
    each_command(command_words(each.node), [&](std::span<const ShellWord> words) {
      const auto first = std::ranges::find(words, true, &ShellWord::is_in_script);
      if (first != words.end()) {
        words = words.subspan(static_cast<std::size_t>(first - words.begin()));
      }
      const auto request = request_of(words);
      if (request && !rights.allow(*request)) tell(*request, account->text, rights, context);
    });
  }
}

void check_workflow_rights(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View account = get(spec, "serviceAccountName");
  const Inventory* inventory = string_of(account).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const Rights rights(account->text, string_at(get(object, "metadata"), "namespace"), *inventory);
  if (!rights.are_known()) return;
  for (View each : items_at(spec, "templates")) {
    const View resource = get(each, "resource");
    const View manifest = get(resource, "manifest");
    if (string_of(manifest).empty() || get(each, "serviceAccountName")) continue;
    const TextYaml yaml(manifest);
    const std::string kind = lower_case(string_at(yaml.root(), "kind"));
    Request request;
    request.verb = string_at(resource, "action");
    if (request.verb == "apply") request.verb = "create";
    request.resource = resource_of(kind);
    request.at = WordView(get(resource, "action"));
    const bool is_plain = std::ranges::find(kActions, request.verb) != kActions.end();
    if (!is_plain || request.resource == nullptr) continue;
    if (const View other = get(get(yaml.root(), "metadata"), "namespace")) {
      if (string_of(other).find("{{") != std::string_view::npos) continue;
      request.name_space = string_of(other);
    }
    if (!rights.allow(request)) tell(request, account->text, rights, context);
  }
}

}  // namespace trainyard
