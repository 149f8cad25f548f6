#include "convert/ledger.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

std::uint64_t key_of(Span span) {
  return (static_cast<std::uint64_t>(span.file) << 40) ^
         (static_cast<std::uint64_t>(span.begin) << 12) ^ span.end;
}

bool is_leaf(const Node& node) {
  return node.first == kNoNode;
}

std::string step_to(std::string_view key) {
  if (key.find_first_of("./[]\" ") != std::string_view::npos) {
    return "[\"" + std::string(key) + "\"]";
  }
  return "." + std::string(key);
}

}  // namespace

void Ledger::watch(View object) {
  if (find(object.tree(), object.id()) != nullptr) return;
  Watched& watched = watched_.emplace_back();
  watched.tree = &object.tree();
  watched.root = object.id();
  watched.parents.assign(object.tree().size(), kNoNode);
  watched.fates.assign(object.tree().size(), Fate::Open);
  std::vector<NodeId> open = {object.id()};
  watched.parents[object.id()] = object.id();
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = object.tree()[id];
    // A null is a field that is not set.
    if (node.kind == Kind::Null) watched.fates[id] = Fate::Derived;
    if (node.span.known()) by_span_.emplace(key_of(node.span), Place{&watched, id});
    for (NodeId child : object.tree().children(id)) {
      watched.parents[child] = id;
      open.push_back(child);
    }
  }
}

Ledger::Watched* Ledger::find(const Tree& tree, NodeId id) const {
  for (const Watched& each : watched_) {
    const bool has = each.tree == &tree && id < each.parents.size() && each.parents[id] != kNoNode;
    if (has) return const_cast<Watched*>(&each);
  }
  return nullptr;
}

/// The node itself, or those of the input that one of a made tree was copied from.
std::vector<Ledger::Place> Ledger::places(View part) const {
  if (Watched* watched = find(part.tree(), part.id())) return {{watched, part.id()}};
  std::vector<Place> result;
  if (part->origin >= origins_.size()) return result;
  const Span span = origins_[part->origin].span;
  if (!span.known()) return result;
  const auto [begin, end] = by_span_.equal_range(key_of(span));
  for (auto at = begin; at != end; ++at) {
    if ((*at->second.in->tree)[at->second.node].span == span) result.push_back(at->second);
  }
  return result;
}

/// A map that was made has no place, and the first of its values that was copied has one.
std::vector<Ledger::Place> Ledger::first_places(View part) const {
  std::vector<Place> found = places(part);
  for (NodeId child : part.tree().children(part.id())) {
    if (!found.empty()) break;
    found = first_places(View(part.tree(), child));
  }
  return found;
}

void Ledger::mark(View part, Fate fate) {
  if (!part) return;
  if (!is_leaf(*part)) {
    for (NodeId child : part.tree().children(part.id())) mark(View(part.tree(), child), fate);
    return;
  }
  for (const Place& place : places(part)) {
    Fate& now = place.in->fates[place.node];
    if (now == Fate::Open) now = fate;
  }
}

void Ledger::lost(View part, std::string reason, std::string advice) {
  if (!part) return;
  const std::vector<Place> found = first_places(part);
  if (!found.empty()) {
    const Place& at = found.front();
    lost_.push_back({View(*at.in->tree, at.node), path(*at.in, at.node), std::move(reason),
                     std::move(advice), false});
  }
  mark(part, Fate::Reported);
}

void Ledger::withheld(View part, std::string advice) {
  const std::size_t before = lost_.size();
  lost(part, "it holds a credential, which a spec must not", std::move(advice));
  for (std::size_t i = before; i < lost_.size(); ++i) lost_[i].is_secret = true;
}

Fate Ledger::fate(View leaf) const {
  if (!leaf) return Fate::Open;
  const std::vector<Place> found = places(leaf);
  return found.empty() ? Fate::Derived : found.front().in->fates[found.front().node];
}

bool Ledger::is_untouched(const Watched& watched, NodeId id) const {
  if (is_leaf((*watched.tree)[id])) return watched.fates[id] == Fate::Open;
  const auto children = watched.tree->children(id);
  return std::all_of(children.begin(), children.end(),
                     [&](NodeId child) { return is_untouched(watched, child); });
}

/// An empty list or map is a field that is not set, as clients in Go and Python send it.
bool Ledger::says_nothing(const Tree& tree, NodeId id) {
  if (tree[id].is_scalar()) return tree[id].kind == Kind::Null;
  const auto children = tree.children(id);
  return std::all_of(children.begin(), children.end(),
                     [&](NodeId child) { return says_nothing(tree, child); });
}

/// The largest parts without any value that was taken.
void Ledger::report_open(Watched& watched, NodeId id, std::vector<NotCarried>& out) {
  if (is_untouched(watched, id)) {
    if (says_nothing(*watched.tree, id)) return;
    const View at(*watched.tree, id);
    out.push_back({at, path(watched, id), "a TrainingJob has no field for it",
                   "say it in `patches` of the spec if the target has it, or do without"});
    mark(at, Fate::Reported);
    return;
  }
  for (NodeId child : watched.tree->children(id)) report_open(watched, child, out);
}

std::vector<View> Ledger::watched() const {
  std::vector<View> result;
  for (const Watched& each : watched_) result.emplace_back(*each.tree, each.root);
  return result;
}

std::vector<NotCarried> Ledger::report() {
  std::vector<NotCarried> all = std::exchange(lost_, {});
  for (Watched& each : watched_) report_open(each, each.root, all);
  std::stable_sort(all.begin(), all.end(), [](const NotCarried& a, const NotCarried& b) {
    const Span& x = a.at->span;
    const Span& y = b.at->span;
    return x.file != y.file ? x.file < y.file : x.begin < y.begin;
  });
  return all;
}

std::string Ledger::path(const Watched& watched, NodeId id) {
  std::string text;
  for (NodeId at = id; at != watched.root; at = watched.parents[at]) {
    const NodeId parent = watched.parents[at];
    if ((*watched.tree)[parent].is_seq()) {
      std::size_t index = 0;
      for (NodeId child : watched.tree->children(parent)) {
        if (child == at) break;
        ++index;
      }
      text.insert(0, "[" + std::to_string(index) + "]");
    } else {
      text.insert(0, step_to((*watched.tree)[at].key));
    }
  }
  return text.starts_with('.') ? text.substr(1) : text;
}

}  // namespace trainyard
