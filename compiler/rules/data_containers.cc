#include "rules/data_containers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "rules/data_address.h"
#include "rules/host_names.h"
#include "rules/mounts.h"

namespace trainyard {
namespace {

/// A name in braces, and the value that stands for it.
using Hole = std::pair<std::string_view, std::string_view>;

/// A word with its holes filled; what looks like a hole within a value is none.
std::string filled(std::string_view word, std::span<const Hole> holes) {
  std::string result;
  while (!word.empty()) {
    const auto hole =
        std::ranges::find_if(holes, [&](const Hole& each) { return word.starts_with(each.first); });
    if (hole != holes.end()) {
      result += literal_argument(hole->second);
      word.remove_prefix(hole->first.size());
    } else {
      result += word.front();
      word.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace

std::string literal_argument(std::string_view value) {
  return expanded(value, "$(", "$$(");
}

const Text* DataContainers::image(const DataMove& move) const {
  if (context_.in.cluster != nullptr) {
    const auto& known = *context_.in.cluster->spec->data->images;
    if (const Text* own = find(known, *move.data->scheme)) return own;
  }
  return move.way->image ? &move.way->image : nullptr;
}

std::vector<std::string> DataContainers::words(const DataMove& move) const {
  const DataPlan& data = *move.data;
  const TransferSpec& way = *move.way;
  const std::string_view said = data.kind ? *data.kind : *way.default_kind;
  const Text* kind = find(*way.kinds, said);
  if (kind == nullptr) kind = find(*way.kinds, *way.default_kind);
  const Hole holes[] = {
      {"{uri}", *data.uri},
      {"{path}", move.path},
      {"{file}", move.file},
      {"{inner}", split_address(*data.uri).inner},
      {"{owner}", *data.owner},
      {"{item}", *data.item},
      {"{version}", *data.version},
      {"{revision}", *data.revision},
      {"{kind}", kind == nullptr ? std::string_view() : **kind},
  };
  std::vector<std::string> result;
  const auto add = [&](const TextList& list) {
    for (const Text& word : *list) {
      result.push_back(filled(*word, holes));
    }
  };
  add(!move.fetches ? way.store : move.file.empty() ? way.fetch : way.fetch_file);
  if (data.revision) add(way.revision);
  return result;
}

NodeId DataContainers::pair(std::string_view key, std::string_view value, OriginId origin) {
  const NodeId map = tree_.add_map(origin);
  tree_.append(map, key, string(value, origin));
  return map;
}

NodeId DataContainers::variable(std::string_view name, std::string_view value, OriginId origin) {
  const NodeId entry = pair("name", name, origin);
  tree_.append(entry, "value", string(value, origin));
  return entry;
}

NodeId DataContainers::variables(const DataMove& move, bool asks_for_name) {
  const NodeId list = tree_.add_seq();
  for (const auto& entry : *move.way->env) {
    const OriginId origin = context_.because({context_.from(entry.value)});
    tree_.append(list, variable(entry.key, *entry.value, origin));
  }
  if (move.data->endpoint) {
    tree_.append(
        list, variable(*move.way->endpoint, context_.text(literal_argument(*move.data->endpoint)),
                       move.data->endpoint.origin));
  }
  if (asks_for_name) {
    const OriginId origin = because(context_.plan.multi_node);
    const NodeId entry = pair("name", kPodName, origin);
    const NodeId from = tree_.add_map(origin);
    tree_.append(from, "fieldRef", pair("fieldPath", "metadata.name", origin));
    tree_.append(entry, "valueFrom", from);
    tree_.append(list, entry);
  }
  return list;
}

NodeId DataContainers::credentials(const DataMove& move) {
  const OriginId origin = move.data->credentials.origin;
  const NodeId source = tree_.add_map(origin);
  tree_.append(source, "secretRef", pair("name", *move.data->credentials, origin));
  const NodeId list = tree_.add_seq(origin);
  tree_.append(list, source);
  return list;
}

NodeId DataContainers::resources(const DataMove& move) {
  const auto amounts = [&] {
    const NodeId map = tree_.add_map();
    for (const auto& [key, amount] :
         {std::pair{"cpu", &move.way->cpu}, std::pair{"memory", &move.way->memory}}) {
      if (!*amount) continue;
      tree_.append(map, key, string(**amount, context_.because({context_.from(*amount)})));
    }
    return map;
  };
  const NodeId result = tree_.add_map();
  tree_.append(result, "requests", amounts());
  tree_.append(result, "limits", amounts());
  return result;
}

bool DataContainers::says(const Fragment& security, std::string_view key,
                          std::string_view value) const {
  return security.is_set && View(tree_, *security)[key].text() == value;
}

NodeId DataContainers::security(const Role& role, const DataMove& move) {
  const OriginId origin = context_.because({role.pod_security.origin});
  const NodeId result = tree_.add_map(origin);
  const bool without_root = says(role.pod_security, "runAsNonRoot", "true") ||
                            says(role.container_security, "runAsNonRoot", "true");
  const bool has_user =
      role.pod_security.is_set && View(tree_, *role.pod_security)["runAsUser"].text() != "";
  if (without_root) {
    if (!has_user && move.way->user) {
      tree_.append(
          result, "runAsUser",
          tree_.add_int(*move.way->user, context_.because({context_.from(move.way->user)})));
    }
    tree_.append(result, "runAsNonRoot", tree_.add_bool(true, origin));
  }
  tree_.append(result, "allowPrivilegeEscalation", tree_.add_bool(false, origin));
  if (without_root) {
    const NodeId dropped = tree_.add_seq(origin);
    tree_.append(dropped, string("ALL", origin));
    const NodeId capabilities = tree_.add_map(origin);
    tree_.append(capabilities, "drop", dropped);
    tree_.append(result, "capabilities", capabilities);
  }
  return result;
}

NodeId DataContainers::mount_list(const Role& role, const DataMove& move) {
  const VolumeMount& mount = *mount_of(role, move.path);
  const OriginId origin = context_.because({mount.origin});
  const NodeId entry = pair("name", mount.volume, origin);
  // The program has the file by itself, whatever is around it; it comes into a directory.
  const bool is_the_file = move.is_file && mount.path == move.path;
  const std::string_view place = is_the_file ? context_.text(move.folder) : mount.path;
  tree_.append(entry, "mountPath", string(place, origin));
  if (!is_the_file && !mount.sub_path.empty())
    tree_.append(entry, "subPath", string(mount.sub_path, origin));
  if (!move.fetches) tree_.append(entry, "readOnly", tree_.add_bool(true, origin));
  const NodeId list = tree_.add_seq(origin);
  tree_.append(list, entry);
  return list;
}

NodeId DataContainers::container(const Role& role, const DataMove& move,
                                 const std::vector<std::string>& command, Turn::Who who) {
  const OriginId origin = because(move.data->uri, move.data->path);
  const NodeId result = pair("name", context_.text(move.name), origin);
  const Text& from = *image(move);
  tree_.append(result, "image", string(*from, context_.because({context_.from(from)})));
  const NodeId list = tree_.add_seq(origin);
  for (const std::string& word : command) {
    tree_.append(list, string(context_.text(word), origin));
  }
  tree_.append(result, "command", list);
  if (who != Turn::Who::None) {
    if (move.data->credentials) tree_.append(result, "envFrom", credentials(move));
    tree_.append(result, "env", variables(move, who == Turn::Who::Named));
  }
  tree_.append(result, "resources", resources(move));
  tree_.append(result, "securityContext", security(role, move));
  tree_.append(result, "volumeMounts", mount_list(role, move));
  return result;
}

}  // namespace trainyard
