#include "schema/schema_check.h"

#include "schema/walk.h"

namespace trainyard {

Checker::Checker(const SchemaPack& pack) : pack_(&pack), rules_(std::make_unique<Rules>(pack)) {}
Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;

std::vector<Violation> Checker::check(SchemaId schema, const Tree& tree, NodeId root) {
  std::vector<Violation> violations;
  if (root == kNoNode) return violations;
  const Frame at{nullptr, root, kNoLimit, &(*pack_)[schema]};
  Walk(*pack_, patterns_, fields_, *rules_, tree, {}, violations).value(schema, at, {});
  return violations;
}

std::vector<Violation> Checker::check_again(SchemaId schema, const Tree& tree, NodeId root) {
  std::vector<Violation> violations;
  if (root == kNoNode) return violations;
  const Frame at{nullptr, root, kNoLimit, &(*pack_)[schema]};
  const OldDocument before{&tree, root};
  Walk(*pack_, patterns_, fields_, *rules_, tree, before, violations).value(schema, at, {});
  return violations;
}

std::vector<Violation> Checker::check_object(const SchemaKind& kind, const Tree& tree, NodeId root,
                                             const Tree* old, bool ratchets) {
  std::vector<Violation> violations;
  if (root == kNoNode) return violations;
  const OldDocument before{old, old == nullptr ? kNoNode : old->root(), ratchets};
  Walk(*pack_, patterns_, fields_, *rules_, tree, before, violations).whole_object(kind, root);
  return violations;
}

std::vector<Violation> check_schema(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                                    NodeId root) {
  return Checker(pack).check(schema, tree, root);
}

Violation* Walk::fail(DiagnosticKind kind, const Frame& at) {
  failed_ = true;
  if (quiet_) return nullptr;
  Violation& violation = violations_.emplace_back();
  violation.kind = kind;
  violation.node = at.node;
  violation.path = path_of(tree_, at);
  violation.firm = in_head_;
  return &violation;
}

Violation* Walk::warn(DiagnosticKind kind, const Frame& at) {
  if (quiet_) return nullptr;
  Violation* violation = fail(kind, at);
  violation->severity = Severity::Warning;
  return violation;
}

namespace {

bool is_plain_key(std::string_view key) {
  if (key.empty()) return false;
  for (char c : key) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && c != '-' && c != '_' && c != '$') return false;
  }
  return true;
}

void append_step(const Tree& tree, const Frame& at, std::string& path) {
  if (at.in_list()) {
    path += "[" + std::to_string(at.index) + "]";
    return;
  }
  append_key(tree[at.node].key, path);
}

void append_path(const Tree& tree, const Frame& at, std::string& path) {
  if (at.up == nullptr) return;
  append_path(tree, *at.up, path);
  append_step(tree, at, path);
}

}  // namespace

void append_key(std::string_view key, std::string& path) {
  if (!is_plain_key(key)) {
    path.append("[\"").append(key).append("\"]");
    return;
  }
  if (!path.empty()) path += '.';
  path += key;
}

std::string path_of(const Tree& tree, const Frame& at) {
  std::string path;
  append_path(tree, at, path);
  return path;
}

}  // namespace trainyard
