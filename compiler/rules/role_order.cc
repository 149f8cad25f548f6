#include "rules/role_order.h"

#include <algorithm>
#include <string>

#include "diag/suggest.h"

namespace trainyard {
namespace {

using Named = Entry<RoleSpec>;

class Order {
 public:
  explicit Order(RuleContext& context) : context_(context), roles_(*context.spec.roles) {}

  std::vector<const Named*> make() {
    const std::size_t errors = context_.sink.error_count();
    for (const Named& role : roles_) {
      for (const auto& other : *role.value->after) check_is_there(other);
    }
    if (context_.sink.error_count() == errors) {
      for (const Named& role : roles_) add(role);
    }
    if (context_.sink.error_count() == errors) return done_;
    std::vector<const Named*> all;
    for (const Named& role : roles_) all.push_back(&role);
    return all;
  }

 private:
  const Named* find(std::string_view name) const {
    const auto found = std::ranges::find(roles_, name, &Named::key);
    return found == roles_.end() ? nullptr : &*found;
  }

  void check_is_there(const Entry<RoleState>& other) {
    if (find(other.key) != nullptr) return;
    std::vector<std::string_view> names;
    for (const Named& role : roles_) names.push_back(role.key);
    Diagnostic& report = context_.report(DiagnosticKind::UnknownReference, other.key_span,
                                         "the job has no role " + code(other.key));
    if (const auto near = suggest(other.key, names)) {
      report.fix(other.key_span, std::string(*near), "did you mean " + code(*near) + "?");
    }
  }

  /// Adds a role below those that it waits for. The depth is that of `after`, at most the number of
  /// roles.
  void add(const Named& role) {
    if (std::ranges::find(done_, &role) != done_.end()) return;
    open_.push_back(&role);
    for (const auto& other : *role.value->after) {
      const Named* next = find(other.key);
      const auto met = std::ranges::find(open_, next);
      if (met != open_.end()) {
        circle({met, open_.end()}, other);
        break;
      }
      add(*next);
    }
    open_.pop_back();
    done_.push_back(&role);
  }

  void circle(const std::vector<const Named*>& roles, const Entry<RoleState>& closing) {
    if (circle_told_) return;
    circle_told_ = true;
    Diagnostic& report = context_.report(
        DiagnosticKind::ConflictingValues, closing.key_span,
        "role " + code(roles.front()->key) + " waits for itself, and would never start");
    std::string chain = code(roles.front()->key) + " starts after ";
    for (std::size_t i = 1; i < roles.size(); ++i) {
      chain += code(roles[i]->key) + ", that after ";
    }
    if (roles.size() > 1) report.note(chain + code(roles.front()->key));
  }

  RuleContext& context_;
  const Map<RoleSpec>& roles_;
  std::vector<const Named*> open_;  // those whose waits are being followed
  std::vector<const Named*> done_;
  bool circle_told_ = false;
};

}  // namespace

std::vector<const Entry<RoleSpec>*> start_order(RuleContext& context) {
  return Order(context).make();
}

}  // namespace trainyard
