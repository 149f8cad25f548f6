#include "schema/schema_check.h"

#include "schema/walk.h"

namespace trainyard {

Checker::Checker(const SchemaPack& pack) : pack_(&pack), rules_(std::make_unique<Rules>(pack)) {}
Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;

std::vector<Violation> Checker::check(SchemaId schema, const Tree& tree, NodeId root) {
  if (root == kNoNode) return {};
  const Frame at{nullptr, root, kNoLimit, &(*pack_)[schema]};
  return Walk(*pack_, {patterns_, fields_, *rules_}, tree).value(schema, at);
}

std::vector<Violation> Checker::check_again(SchemaId schema, const Tree& tree, NodeId root) {
  if (root == kNoNode) return {};
  const Frame at{nullptr, root, kNoLimit, &(*pack_)[schema]};
  return Walk(*pack_, {patterns_, fields_, *rules_}, tree, {&tree, root}).value(schema, at);
}

std::vector<Violation> Checker::check_object(const SchemaKind& kind, const Tree& tree, NodeId root,
                                             const Tree* old, bool ratchets) {
  if (root == kNoNode) return {};
  const OldDocument before{old, old == nullptr ? kNoNode : old->root(), ratchets};
  return Walk(*pack_, {patterns_, fields_, *rules_}, tree, before, kind, root).whole_object();
}

std::vector<Violation> check_schema(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                                    NodeId root) {
  return Checker(pack).check(schema, tree, root);
}

}  // namespace trainyard
