#include <algorithm>
#include <string>

#include "diag/secrets.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "spec/credential_literals.h"

namespace trainyard {
namespace {

/// Its text stands in the spec and is looked at there.
bool is_literal(const RuleContext& context, const LoadedFile& file) {
  const auto* role = find(*context.spec.roles, file.role);
  const Files& files = role == nullptr ? *context.spec.files : *(*role)->files;
  return std::ranges::any_of(*files.items, [&](const auto& item) {
    return item->content && item->path && *item->path == file.path;
  });
}

/// Where in a file, whose text is not shown.
std::string place_in(const LoadedFile& file, std::size_t offset) {
  const std::string_view before = std::string_view(file.bytes).substr(0, offset);
  const auto lines = std::ranges::count(before, '\n');
  return "line " + std::to_string(lines + 1) + " of `" + file.path + "`";
}

void run(RuleContext& context) {
  const Tree& spec = *context.in.job_tree;
  refuse_credentials(spec, spec.root(), context.sink);
  for (const LoadedFile& file : context.in.files) {
    const auto found = find_written_secret(file.bytes);
    if (!found || is_literal(context, file)) continue;
    refuse_credential(file.span, std::string(found->what) + " in " + place_in(file, found->begin),
                      false, context.sink);
  }
}

}  // namespace

extern const Rule credential_check_rule{
    "credential-check",
    Rule::Phase::Check,
    "No credential stands in the spec, in an argument or in a staged file; none is ever printed.",
    "Manifests are kept in Git, in the API server and in every `kubectl describe`.",
    "spec",
    "",
    run};

}  // namespace trainyard
