#include "driver/explain/pod_printer.h"

#include <algorithm>
#include <map>
#include <set>

#include "diag/secrets.h"
#include "emit/field_order.h"
#include "tree/typed_fields.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

class PodWriter {
 public:
  PodWriter(Tree& tree, NodeId pod, const Origins& origins, std::vector<InjectedValue>& injected)
      : tree_(tree), pod_(pod), origins_(origins), injected_(injected) {}

  std::string write() {
    into_written_form(tree_, pod_);
    std::vector<WrittenNode> written;
    write_yaml(tree_, pod_, text_, &written);
    for (const WrittenNode& each : written) places_[each.node] = each.begin;
    visit(pod_, {}, {});
    return with_comments();
  }

 private:
  /// `covering` is the mark of what the node is in: what was added as a whole is marked once.
  void visit(NodeId id, std::string_view covering, const std::string& path) {
    const Origin& origin = origins_[tree_[id].origin];
    const bool marked = origin.kind == OriginKind::Injected && origin.name != covering;
    if (marked && !holds_maps(id) && !has_several_makers(id)) {
      comment(id, origin.name);
      injected_.push_back({path, std::string(origin.name)});
      covering = origin.name;
    }
    if (tree_[id].key == "fieldPath") resolve(id);
    if (tree_[id].key == "env") mark_replaced(id);
    std::size_t index = 0;
    for (NodeId child : tree_.children(id)) {
      const std::string step = tree_[id].is_seq() ? "[" + std::to_string(index++) + "]"
                                                  : step_to(tree_[child].key, path.empty());
      visit(child, covering, path + step);
    }
  }

  static std::string step_to(std::string_view key, bool first) {
    if (key.find_first_of("./[]\" ") != std::string_view::npos) {
      return "[\"" + std::string(key) + "\"]";
    }
    return (first ? "" : ".") + std::string(key);
  }

  /// A list of items that have lines of their own to be marked on.
  bool holds_maps(NodeId id) const {
    if (!tree_[id].is_seq()) return false;
    const NodeId first = tree_[id].first;
    return first != kNoNode && tree_[first].is_map();
  }

  /// Labels or annotations, each with its own mark.
  bool has_several_makers(NodeId id) const {
    const Node& node = tree_[id];
    if (node.key != "labels" && node.key != "annotations") return false;
    const std::string_view own = origins_[node.origin].name;
    const auto children = tree_.children(id);
    return std::any_of(children.begin(), children.end(),
                       [&](NodeId child) { return origins_[tree_[child].origin].name != own; });
  }

  void comment(NodeId id, std::string_view text) {
    const auto place = places_.find(id);
    if (place == places_.end()) return;
    const std::size_t end = text_.find('\n', place->second);
    comments_.emplace(end == std::string::npos ? text_.size() : end, std::string(text));
  }

  /// Of several variables with one name the last counts.
  void mark_replaced(NodeId env) {
    std::map<std::string_view, NodeId> seen;
    for (NodeId each : tree_.children(env)) {
      const std::string_view name = string_at(View(tree_, each), "name");
      if (name.empty()) continue;
      const auto [entry, first] = seen.try_emplace(name, each);
      if (first) continue;
      comment(entry->second, "without effect: `" + std::string(name) + "` is set again below");
      entry->second = each;
    }
  }

  /// `metadata.annotations['a']`, when the pod has it.
  void resolve(NodeId id) {
    const std::string_view field = tree_[id].text;
    const View metadata = get(View(tree_, pod_), "metadata");
    View value;
    if (field == "metadata.namespace") value = get(metadata, "namespace");
    for (std::string_view map : {"labels", "annotations"}) {
      const std::string start = "metadata." + std::string(map) + "['";
      if (!field.starts_with(start) || !field.ends_with("']")) continue;
      value = get(get(metadata, map), field.substr(start.size(), field.size() - start.size() - 2));
    }
    if (value && value->text.find('<') == std::string_view::npos) {
      comment(id, "here `" + std::string(value->text) + "`");
    }
  }

  std::string with_comments() const {
    std::string result;
    std::size_t done = 0;
    for (const auto& [end, comment] : comments_) {
      result.append(text_, done, end - done).append("  # ").append(comment);
      done = end;
    }
    return result.append(text_, done);
  }

  Tree& tree_;
  NodeId pod_;
  const Origins& origins_;
  std::vector<InjectedValue>& injected_;
  std::string text_;
  std::map<NodeId, std::size_t> places_;
  std::map<std::size_t, std::string> comments_;  // by the end of their line
};

/// Values that a mask stands for: an alias of YAML can bring one along under another name.
using Secrets = std::set<std::string_view>;

/// The value of a variable whose name says that it is a credential.
void mask_variable(Tree& tree, NodeId variable, Secrets& secrets) {
  const View value = get(View(tree, variable), "value");
  if (!value || !is_named_credential(string_at(View(tree, variable), "name"), value->text)) return;
  if (!could_be_credential_value(value->text)) return;
  constexpr std::size_t kShortest = 6;  // shorter ones are words that stand anywhere
  if (value->text.size() >= kShortest) secrets.insert(value->text);
  tree[value.id()].text = kSecretMask;
}

/// `--token=••••`, or all of a word that is a value alone.
std::string masked_word(std::string_view word) {
  const std::size_t equals = word.starts_with('-') ? word.find('=') : word.npos;
  const std::string_view shown = equals == word.npos ? "" : word.substr(0, equals + 1);
  return std::string(shown) + std::string(kSecretMask);
}

/// The words behind options that take a credential.
void mask_words(Tree& tree, NodeId words) {
  CredentialWords command;
  for (NodeId word : tree.children(words)) {
    // The text stays as it was for the next word.
    const std::string_view text = tree[word].text;
    if (command.holds_one(text)) tree[word].text = tree.intern(masked_word(text));
  }
}

void mask(Tree& tree, NodeId part, Secrets& secrets) {
  if (tree[part].is_map()) mask_variable(tree, part, secrets);
  if (tree[part].kind == Kind::String) {
    const std::string masked = without_secrets(tree[part].text);
    if (masked != tree[part].text) tree[part].text = tree.intern(masked);
  }
  for (NodeId child : tree.children(part)) {
    const std::string_view key = tree[child].key;
    if (tree[child].is_seq() && (key == "command" || key == "args")) mask_words(tree, child);
    mask(tree, child, secrets);
  }
}

void mask_copies(Tree& tree, NodeId part, const Secrets& secrets) {
  if (secrets.contains(tree[part].text)) tree[part].text = kSecretMask;
  for (NodeId child : tree.children(part)) mask_copies(tree, child, secrets);
}

}  // namespace

void mask_secrets(Tree& tree, NodeId pod) {
  Secrets secrets;
  mask(tree, pod, secrets);
  if (!secrets.empty()) mask_copies(tree, pod, secrets);
}

std::string written_pod(Tree& tree, NodeId pod, const Origins& origins,
                        std::vector<InjectedValue>& injected) {
  return PodWriter(tree, pod, origins, injected).write();
}

}  // namespace trainyard
