#include <algorithm>
#include <string>

#include "platform/platform.h"
#include "platform/queues.h"

namespace trainyard {
namespace {

using Domain = Located<TopologyDomain>;

/// Names of objects are those of DNS; values of labels may have more letters.
std::string object_name(std::string_view level, std::string_view domain) {
  std::string name = std::string(level) + "-" + std::string(domain);
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    const bool good = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (!good) letter = '-';
  }
  while (name.ends_with('-')) name.pop_back();
  while (name.starts_with('-')) name.erase(0, 1);
  return name;
}

/// The domains of one pool.
class Domains {
 public:
  Domains(PlatformContext& context, const Pool& pool) : context_(context), pool_(pool) {}

  void make() {
    for (const Domain& domain : *pool_.domains) {
      if (const auto level = level_of(domain)) add(domain, *level);
    }
  }

 private:
  std::size_t count() const { return pool_.topology->size(); }
  const TopologyLevel& level(std::size_t at) const { return *(*pool_.topology)[at]; }

  /// Number of the domain's level in the pool, widest first.
  std::optional<std::size_t> level_of(const Domain& domain) {
    for (std::size_t i = 0; i < count(); ++i) {
      if (*level(i).name == *domain->level) return check(domain, i);
    }
    context_.report(DiagnosticKind::UnknownReference, domain->level.span,
                    "the pool " + code(*pool_.name) + " has no level " + code(*domain->level));
    return std::nullopt;
  }

  /// The domain that it is in has to be one of the next wider level, where those are listed.
  std::optional<std::size_t> check(const Domain& domain, std::size_t at) {
    const bool is_listed = at > 0 && std::ranges::any_of(*pool_.domains, [&](const Domain& other) {
                             return *other->level == *level(at - 1).name;
                           });
    if (!is_listed && !domain->within) return at;
    const auto contains = [&](const Domain& other) {
      return at > 0 && *other->level == *level(at - 1).name && *other->name == *domain->within;
    };
    if (domain->within && std::ranges::any_of(*pool_.domains, contains)) return at;
    Diagnostic& report = context_.report(
        DiagnosticKind::UnknownReference, domain->within ? domain->within.span : domain->name.span,
        domain->within ? "no domain " + code(*domain->within) + " of the next wider level is listed"
                       : "the Cluster does not say which " + code(*level(at - 1).name) + " the " +
                             code(*domain->level) + " " + code(*domain->name) + " is in");
    report.note(at > 0 ? "`within` names a domain of the level " + code(*level(at - 1).name)
                       : "it is a domain of the widest level, and in no other");
    return std::nullopt;
  }

  HyperNodePlan& found_or_made(const Domain& domain, std::size_t at) {
    auto& all = context_.plan.hyper_nodes;
    const std::string_view name = context_.text(object_name(*domain->level, *domain->name));
    const auto known =
        std::ranges::find_if(all, [&](const HyperNodePlan& each) { return *each.name == name; });
    if (known != all.end()) return *known;
    HyperNodePlan& made = all.emplace_back();
    made.name = context_.computed(name, {domain->level.span, domain->name.span});
    const TopologyLevel& of = level(at);
    made.tier =
        of.tier ? context_.given(of.tier)
                : context_.computed(static_cast<std::int64_t>(count() - at), {pool_.topology.span});
    made.tier_name = context_.given(of.node_label);
    return made;
  }

  void add(const Domain& domain, std::size_t at) {
    HyperNodePlan& made = found_or_made(domain, at);
    const auto put = [&made](HyperMember member) {
      const auto same = [&](const HyperMember& other) {
        return *other.of == *member.of && other.name.is_set == member.name.is_set &&
               (!member.name || *other.name == *member.name);
      };
      if (std::ranges::none_of(made.members, same)) made.members.push_back(std::move(member));
    };
    bool has_parts = false;
    for (const Domain& part : *pool_.domains) {
      if (at + 1 >= count() || *part->level != *level(at + 1).name || !part->within ||
          *part->within != *domain->name) {
        continue;
      }
      has_parts = true;
      put({context_.computed<std::string_view>("HyperNode", {part->within.span}),
           {},
           context_.computed(context_.text(object_name(*part->level, *part->name)),
                             {part->level.span, part->name.span})});
    }
    if (has_parts) return;
    put({context_.computed<std::string_view>("Node", {domain->name.span}),
         {{*level(at).node_label, *domain->name, context_.from(domain->name.span)}},
         {}});
  }

  PlatformContext& context_;
  const Pool& pool_;
};

bool has_volcano(const PlatformContext& context) {
  if (context.cluster.operators) return context.has(Operator::Volcano);
  return uses(context.cluster, QueueSystem::Volcano);
}

void run(PlatformContext& context) {
  for (const auto& pool : *context.cluster.pools) {
    if (!pool->domains) continue;
    if (has_volcano(context)) {
      Domains(context, *pool).make();
      continue;
    }
    context
        .report(DiagnosticKind::NoEffect, pool->domains.span,
                "only Volcano has objects for `domains`, and it is not there")
        .note("Kueue and KAI find domains by the labels of the levels");
  }
}

}  // namespace

extern const PlatformStep hyper_nodes_step{
    "platform-hyper-nodes",
    "Each domain that a pool lists is a HyperNode of Volcano: of the nodes with its label, or of "
    "the domains within it.",
    run};

}  // namespace trainyard
