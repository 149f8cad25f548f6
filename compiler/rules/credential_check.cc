#include <string>

#include "rules/context.h"
#include "rules/rule.h"
#include "source/credentials.h"
#include "spec/credential_literals.h"

namespace trainyard {
namespace {

void refuse(RuleContext& context, Span value, std::string_view what) {
  refuse_credential(value, what, true, context.sink);
}

void named_variables(RuleContext& context, const TextMap& variables) {
  for (const auto& entry : *variables) {
    if (!names_a_credential(entry.key) || !could_be_credential_value(*entry.value)) continue;
    if (find_credential(*entry.value)) continue;  // said already
    refuse(context, entry.value.span, "a credential, by the name of its variable,");
  }
}

/// `--token=abc`, and `--token abc` in two words.
void named_arguments(RuleContext& context, const TextList& words) {
  bool expects_value = false;
  for (const Text& word : *words) {
    const std::size_t equals = word->find('=');
    const std::string_view name = word->substr(0, equals);
    const bool is_option = word->starts_with('-');
    const bool credential = is_option && names_a_credential(name);
    const bool is_said = find_credential(*word).has_value();
    if (expects_value && !is_option && !is_said && could_be_credential_value(*word)) {
      refuse(context, word.span, "a credential, by the name of its option,");
    }
    if (credential && !is_said && equals != std::string_view::npos &&
        could_be_credential_value(word->substr(equals + 1))) {
      refuse(context, word.span, "a credential, by the name of its option,");
    }
    expects_value = credential && equals == std::string_view::npos;
  }
}

/// Its text stands in the spec and is looked at there.
bool is_literal(const RuleContext& context, const LoadedFile& file) {
  for (const auto& item : *context.spec.files->items) {
    if (item->content && item->path && *item->path == file.path) return true;
  }
  return false;
}

void run(RuleContext& context) {
  refuse_credentials(*context.in.job_tree, context.in.job_tree->root(), context.sink);
  for (const LoadedFile& file : context.in.files) {
    const auto found = find_credential(file.bytes);
    if (!found || is_literal(context, file)) continue;
    refuse_credential(file.span, std::string(found->what) + " in `" + file.path + "`", false,
                      context.sink);
  }
  named_variables(context, context.spec.env);
  for (const RoleInput& input : context.roles) {
    if (input.own != nullptr) named_variables(context, input.own->env);
    const Run& run = *context.of(input, &RoleFields::run);
    named_arguments(context, run.args);
    named_arguments(context, run.command);
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
