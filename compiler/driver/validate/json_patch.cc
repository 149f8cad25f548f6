#include "driver/validate/json_patch.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using State = JsonPatchResult::State;
using Steps = std::vector<std::string>;

/// RFC 6901: `~1` is a slash, and `~0` a tilde.
Steps steps_of(std::string_view pointer) {
  Steps steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '/') {
      steps.emplace_back();
    } else if (!steps.empty() && c == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!steps.empty()) {
      steps.back() += c;
    }
  }
  return steps;
}

std::string path_of(const Steps& steps, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) path += "/" + steps[i];
  return path;
}

/// kustomize keeps notes of its own in the annotations of an object while it works on it.
bool is_always_there(const Steps& steps, std::size_t count) {
  return count == 2 && steps[0] == "metadata" && steps[1] == "annotations";
}

/// One operation on an object.
class Operation {
 public:
  Operation(View operation, Tree& tree, NodeId object, std::size_t& left)
      : name_(string_at(operation, "op")),
        path_(operation["path"]),
        steps_(steps_of(string_of(path_))),
        value_(operation["value"]),
        tree_(tree),
        at_(object),
        left_(left) {}

  JsonPatchResult run() {
    const bool removes = name_ == "remove";
    if (!removes && name_ != "add" && name_ != "replace") return {State::NotFollowed};
    if (steps_.empty() || (!removes && !value_)) return {State::NotFollowed};
    if (JsonPatchResult result = go_down(); result.state != State::Done) return result;
    if (!may_go_through(at_)) return {State::NotFollowed};
    const NodeId entry = entry_of(at_, steps_.back());
    if (removes && entry == kNoNode) {
      return {State::Refused, "has no " + shown(path_of(steps_, steps_.size())) + " for `remove`"};
    }
    if (removes) {
      tree_.remove(at_, entry);
    } else if (tree_[at_].is_map()) {
      set(entry);
    } else if (tree_[at_].is_seq()) {
      return into_list(entry);
    } else {
      return {State::NotFollowed};
    }
    return {};
  }

 private:
  /// To the map or list that holds the last step.
  JsonPatchResult go_down() {
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      if (!may_go_through(at_)) return {State::NotFollowed};
      NodeId next = entry_of(at_, steps_[i]);
      if (next == kNoNode && is_always_there(steps_, i + 1) && name_ != "remove") {
        next = tree_.add_map();
        tree_.append(at_, tree_.intern(steps_[i]), next);
      }
      if (next == kNoNode || tree_[next].kind == Kind::Null) {
        return {State::Refused, "has no " + shown(path_of(steps_, i + 1)) + " for " + shown(name_) +
                                    " of " + shown(path_of(steps_, steps_.size()))};
      }
      at_ = next;
    }
    return {};
  }

  bool may_go_through(NodeId in) {
    const std::size_t size = tree_[in].size;
    left_ -= std::min(left_, size);
    return left_ > 0;
  }

  /// The entry of a map or the item of a list.
  NodeId entry_of(NodeId in, const std::string& step) const {
    if (tree_[in].is_map()) return tree_.find(in, step);
    const auto index = read_number<std::size_t>(step);
    if (!tree_[in].is_seq() || !index || *index >= tree_[in].size) return kNoNode;
    NodeId item = tree_[in].first;
    for (std::size_t i = 0; i < *index; ++i) item = tree_[item].next;
    return item;
  }

  NodeId copy_of_value() { return tree_.copy(value_.tree(), value_.id()); }

  /// Where the path has its last step; unknown if it is written in another way.
  Span place_of_key() const {
    const Span path = path_->span;
    const std::uint32_t around = path.size() - std::min(path.size(), size_of(path_->text));
    const std::uint32_t length = size_of(steps_.back());
    if (around % 2 != 0 || around > 2 || !path_->text.ends_with("/" + steps_.back())) return {};
    const std::uint32_t end = path.end - around / 2;
    return {path.file, end - length, end};
  }
  static std::uint32_t size_of(std::string_view text) {
    return static_cast<std::uint32_t>(text.size());
  }

  void set(NodeId entry) {
    const NodeId value = copy_of_value();
    tree_[value].key_span = place_of_key();
    if (entry == kNoNode) {
      tree_.append(at_, tree_.intern(steps_.back()), value);
    } else {
      tree_.replace(at_, entry, value);
    }
  }

  JsonPatchResult into_list(NodeId entry) {
    const std::string& step = steps_.back();
    if (name_ == "replace") {
      if (entry == kNoNode) return {State::NotFollowed};
      tree_.replace(at_, entry, copy_of_value());
      return {};
    }
    const auto index = read_number<std::size_t>(step);
    if (step != "-" && (!index || *index > tree_[at_].size)) return {State::NotFollowed};
    std::vector<NodeId> items;
    for (NodeId item : tree_.children(at_)) items.push_back(item);
    const auto place =
        step == "-" ? items.end() : items.begin() + static_cast<std::ptrdiff_t>(*index);
    items.insert(place, copy_of_value());
    tree_.reorder(at_, items);
    return {};
  }

  std::string_view name_;
  View path_;
  Steps steps_;
  View value_;
  Tree& tree_;
  NodeId at_;
  std::size_t& left_;
};

}  // namespace

JsonPatchResult apply_json_patch(View operations, Tree& tree, NodeId object, std::size_t& left) {
  for (View each : Items(operations)) {
    if (!each->is_map()) return {State::NotFollowed};
    JsonPatchResult result = Operation(each, tree, object, left).run();
    if (result.state != State::Done) return result;
  }
  return {};
}

}  // namespace trainyard
